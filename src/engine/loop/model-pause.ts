import type { Message, ResumeEntry, ToolCall } from '../../protocol/index.ts';
import type { BodyQuestion } from '../calls/body-question.ts';
import type { PendingQuestion } from '../calls/call-state.ts';
import { withCallState, withTurnState } from '../calls/call-state.ts';
import { MODEL_CALL } from '../calls/hidden-call.ts';
import { askQuestion, questionRules } from '../calls/questions.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { Journal, JournalEntry } from '../journal/journal.ts';
import type { Reply } from '../tools/tool-replies.ts';
import { answersOf } from './answers-of.ts';
import { matchReplies } from './match-replies.ts';
import type { OpenTurn } from './open-turn.ts';

/**
 * The message of a turn whose middleware asks before the model is called: a call that nobody sees, with the journal by
 * which the middleware goes on.
 */
export function pausedModelCall(journal: Journal<BodyQuestion>, turns: number, run: RunContext): Message {
  const questions = journal.openAsks.flatMap(({ key, name, question }): PendingQuestion[] =>
    'part' in question
      ? []
      : [
          {
            kind: 'ask',
            interrupt: askQuestion({ name, ...question }, undefined, run),
            askKey: key,
            ...questionRules(question.options),
          },
        ],
  );
  const call: ToolCall = {
    id: run.newId(),
    type: 'function',
    function: { name: MODEL_CALL, arguments: '{}' },
  };
  const state = { status: 'waiting' as const, questions, input: {}, journal: journal.entries };
  const message: Message = { id: run.newId(), role: 'assistant', toolCalls: [withCallState(call, state)] };
  return withTurnState(message, { turns });
}

/** The journal of a model call that waited, with the answers in it; undefined for a turn of tool calls. */
export function resumedModelCall(
  turn: OpenTurn,
  replies: readonly (Reply | ResumeEntry)[],
  run: RunContext,
): readonly JournalEntry[] | undefined {
  const [first] = turn.calls;
  if (first?.call.function.name !== MODEL_CALL || first.state?.status !== 'waiting') return undefined;
  return [...first.state.journal, ...answersOf(first.state, matchReplies(turn, replies, run.secrets))];
}
