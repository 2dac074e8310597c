import type { Message } from '../../protocol/index.ts';
import { withCallState } from '../calls/call-state.ts';
import { openQuestions, openTurn } from '../loop/open-turn.ts';
import type { LoopResult } from '../loop/run-loop.ts';
import type { QuestionStamp } from './question-stamp.ts';
import { stampInterrupt } from './question-stamp.ts';

/** Stamps the questions a loop ended with, where the paused turn keeps them, so that all who read them see the same. */
export function stampResult(result: LoopResult, stamp: QuestionStamp): LoopResult {
  const turn = openTurn(result.messages);
  if (result.finishReason !== 'interrupted' || turn === undefined) return result;
  const toolCalls = turn.calls.map(({ call, state }) => {
    if (state?.status !== 'waiting') return call;
    const questions = state.questions.map((question) => ({
      ...question,
      interrupt: stampInterrupt(question.interrupt, stamp),
    }));
    return withCallState(call, { ...state, questions });
  });
  const stamped: Message = { ...turn.message, toolCalls };
  const messages = result.messages.map((message) => (message === turn.message ? stamped : message));
  const open = openTurn(messages);
  return { ...result, messages, interrupts: open === undefined ? [] : openQuestions(open) };
}
