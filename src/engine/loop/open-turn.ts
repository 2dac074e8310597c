import { defined, HoldpointError } from '../../core/index.ts';
import type { Message, ToolCall } from '../../protocol/index.ts';
import type { CallState, PendingQuestion, WaitingCall } from '../calls/call-state.ts';
import {
  callState,
  resultContent,
  resultMessageId,
  resultMetadata,
  toolMessage,
  turnState,
  withCallState,
  withTurnState,
} from '../calls/call-state.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { InterruptPart } from '../tools/tool-replies.ts';

type AssistantMessage = Extract<Message, { role: 'assistant' }>;

/** A turn that waits: the message that carries its calls, and where each of them stands. */
export interface OpenTurn {
  readonly message: AssistantMessage;
  readonly calls: readonly { readonly call: ToolCall; readonly state: CallState | undefined }[];
  readonly turns: number;
}

/**
 * The last turn, when it waits for a person; it is the last message then. With `unfinished`, whether or not it waits:
 * somebody knows that it did not come to its end.
 */
export function openTurn(
  messages: readonly Message[],
  { unfinished = false }: { readonly unfinished?: boolean } = {},
): OpenTurn | undefined {
  const index = messages.findLastIndex((message) => message.role === 'assistant');
  const message = messages[index];
  if (message?.role !== 'assistant' || message.toolCalls === undefined) return undefined;
  const calls = message.toolCalls.map((call) => ({ call, state: callState(call) }));
  if (!unfinished && !calls.some(({ state }) => state?.status === 'waiting')) return undefined;
  return { message, calls, turns: turnState(message).turns };
}

/** The questions of a turn, in the order of its calls. */
export function openQuestions(turn: OpenTurn): InterruptPart[] {
  return turn.calls.flatMap(({ call, state }) =>
    state?.status === 'waiting' ? state.questions.map((question) => toPart(call, state, question)) : [],
  );
}

function toPart(call: ToolCall, state: WaitingCall, question: PendingQuestion): InterruptPart {
  const { kind, interrupt, toolName, rules } = question;
  return {
    kind,
    toolName: toolName ?? call.function.name,
    toolCallId: interrupt.toolCallId ?? call.id,
    input: state.input,
    interrupt,
    ...defined({ rules }),
    metadata: interrupt.metadata ?? {},
  };
}

/** Throws when a conversation that waits for answers is given something else. */
export function assertNothingOpen(messages: readonly Message[]): void {
  const turn = openTurn(messages);
  if (turn === undefined) return;
  const ids = openQuestions(turn).map(({ interrupt }) => interrupt.id);
  const isLast = messages.at(-1) === turn.message;
  throw new HoldpointError(
    isLast ? 'INTERRUPTS_UNANSWERED' : 'INTERRUPTS_PENDING',
    isLast
      ? `The conversation waits for an answer to ${ids.join(', ')}.`
      : `A new message has to wait: ${ids.join(', ')} is still open. Answer it, or cancel it and send the message.`,
  );
}

/** A call of a turn, and where it stands; one that the client runs has no state of ours. */
export interface TurnCall {
  readonly call: ToolCall;
  readonly state: CallState | undefined;
}

/** Waits for every call of a turn, also when one breaks the run: what the others did is kept. Throws what the first one threw. */
export async function settleAll(calls: readonly Promise<TurnCall>[]): Promise<TurnCall[]> {
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

/** Shows the results that are new, in the order of the calls. */
export function showResults(calls: readonly TurnCall[], shown: ReadonlySet<string>, run: RunContext): void {
  for (const { call, state } of calls) {
    if (state?.status !== 'done' || shown.has(call.id)) continue;
    const options = { messageId: resultMessageId(call.id), ...resultMetadata(state) };
    run.emitter.toolResult(call.id, resultContent(state.output), options);
  }
}

/** The message of a turn that waits: what is finished is kept in it, and so is what the rest waits for. */
export function waitingMessage(
  message: AssistantMessage,
  calls: readonly TurnCall[],
  turns: number,
): Message {
  const toolCalls = calls.map(({ call, state }) => (state === undefined ? call : withCallState(call, state)));
  return withTurnState({ ...message, toolCalls }, { turns });
}

/** The message of a turn that is finished: a call whose arguments were edited shows what really ran. */
export function finishedMessage(message: AssistantMessage, calls: readonly TurnCall[]): Message {
  const edited = new Map(
    calls.flatMap(({ call, state }) =>
      state?.status === 'done' && state.ranWith !== undefined ? [[call.id, state.ranWith] as const] : [],
    ),
  );
  if (edited.size === 0) return message;
  const toolCalls = (message.toolCalls ?? []).map((call) => {
    if (!edited.has(call.id)) return call;
    return {
      ...call,
      function: { ...call.function, arguments: JSON.stringify(edited.get(call.id)) },
      metadata: { ...call.metadata, originalArguments: call.function.arguments },
    };
  });
  return { ...message, toolCalls };
}

/** The tool messages of the calls that are finished, in the order of the calls. */
export function resultMessages(calls: readonly TurnCall[]): Message[] {
  return calls.flatMap(({ call, state }) => (state?.status === 'done' ? [toolMessage(call.id, state)] : []));
}

/** Ids of calls that have their result already: kept in the turn, or as a message. */
export function finishedIds(calls: readonly TurnCall[]): Set<string> {
  return new Set(calls.flatMap(({ call, state }) => (state?.status === 'done' ? [call.id] : [])));
}

/** What a call gets whose result nobody has any more. */
export const ORPHAN_TEXT = 'Result unavailable (conversation was restored).';

/**
 * Makes sure that every call has a result before a model sees the conversation. Calls the client was to run are
 * answered by the messages that follow; one that was left behind by a later message gets a stand-in. Throws
 * `INPUT_INVALID` when the conversation ends with a call that still has no result.
 */
export function answerClientCalls(messages: readonly Message[]): Message[] {
  if (messages.every((message, index) => isAnswered(message, index, messages))) return [...messages];
  const answered = new Set(
    messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
  );
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant' || message.toolCalls === undefined) return [message];
    const open = message.toolCalls.filter((call) => !answered.has(call.id) && callState(call) === undefined);
    const waits = message.toolCalls.some((call) => callState(call)?.status === 'waiting');
    if (open.length === 0 || waits) return [message];
    const goesOn = messages.slice(index + 1).some(({ role }) => role === 'user' || role === 'assistant');
    if (!goesOn) {
      const names = open.map(({ id, function: { name } }) => `${id} (${name})`).join(', ');
      throw new HoldpointError('INPUT_INVALID', `The call ${names} has no result.`);
    }
    const standIns = open.map(({ id }): Message => ({
      id: resultMessageId(id),
      role: 'tool',
      toolCallId: id,
      content: ORPHAN_TEXT,
    }));
    return [message, ...standIns];
  });
}

/** The usual case, told without looking further: the results of a message's calls stand right behind it. */
function isAnswered(message: Message, index: number, messages: readonly Message[]): boolean {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return true;
  return message.toolCalls.every((call, place) => {
    const result = messages[index + 1 + place];
    return result?.role === 'tool' && result.toolCallId === call.id;
  });
}
