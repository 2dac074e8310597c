import type { Message, ResumeEntry, ToolCall } from '../../protocol/index.ts';
import type { PendingQuestion } from '../calls/call-state.ts';
import { withCallState, withoutState, withTurnState } from '../calls/call-state.ts';
import type { Journal, JournalEntry } from '../calls/journal.ts';
import type { BodyQuestion } from '../calls/pausing-context.ts';
import { createPausing } from '../calls/pausing-context.ts';
import { MODEL_CALL } from '../calls/public-messages.ts';
import { askQuestion, questionRules } from '../calls/questions.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import type { ModelPart, ModelRequest } from './chat-model.ts';
import type { LoopSettings } from './loop-settings.ts';
import { answersOf, matchReplies } from './match-replies.ts';
import type { OpenTurn } from './open-turn.ts';
import { answerClientCalls } from './turn-calls.ts';

/** Calls the model with the conversation, what the providers add, and the tools of this turn. */
export async function callModel(
  messages: readonly Message[],
  settings: LoopSettings,
  { run, journal }: { readonly run: RunContext; readonly journal: Journal<BodyQuestion> | undefined },
): Promise<{ readonly parts: AsyncIterable<ModelPart>; readonly tools: ReadonlyMap<string, Tool> }> {
  const tools = new Map(settings.tools);
  const instructions = settings.instructions === undefined ? [] : [settings.instructions];
  const added: Message[] = [];
  for (const provide of settings.contextProviders) {
    const context = await provide({ messages, run });
    if (context === undefined) continue;
    if (context.instructions !== undefined) instructions.push(context.instructions);
    added.push(...(context.messages ?? []));
    for (const tool of context.tools ?? []) tools.set(tool.name, tool);
  }
  const shown = [...tools.values()].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const client = settings.clientTools
    .filter(({ name }) => !tools.has(name))
    .map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: (parameters ?? { type: 'object' }) as ModelRequest['tools'][number]['inputSchema'],
    }));
  const request: ModelRequest = {
    // An activity is for people.
    messages: [...added, ...answerClientCalls(messages).map(withoutState)].filter(
      ({ role }) => role !== 'activity',
    ),
    instructions: instructions.length === 0 ? undefined : instructions.join('\n\n'),
    tools: [...shown, ...client],
    settings: settings.settings,
    signal: modelSignal(run),
  };
  if (journal === undefined) return { parts: begin(() => settings.model.stream(request)), tools };
  const context = createPausing(journal, run);
  const call = settings.modelMiddleware.reduceRight<(given?: ModelRequest) => AsyncIterable<ModelPart>>(
    (next, middleware) =>
      (given = request) =>
        middleware(given, next, context),
    (given = request) => settings.model.stream(given),
  );
  return { parts: begin(call), tools };
}

/** A model is stopped at once by whoever wants the run to stop; calls are not. */
function modelSignal({ signal, checkpoints }: RunContext): AbortSignal {
  return checkpoints === undefined ? signal : AbortSignal.any([signal, checkpoints.cancelSignal]);
}

/** A model that throws at once has failed as much as one that throws half way. */
async function* begin(call: () => AsyncIterable<ModelPart>): AsyncIterable<ModelPart> {
  yield* call();
}

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
