import { defined, HoldpointError } from '../../core/index.ts';
import type { Message, ToolCall } from '../../protocol/index.ts';
import type { CallState, PendingInterrupt, WaitingCall } from '../calls/call-state.ts';
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

/** A waiting turn: the message with its calls, and their states. */
export interface OpenTurn {
  readonly message: AssistantMessage;
  readonly calls: readonly { readonly call: ToolCall; readonly state: CallState | undefined }[];
  readonly turns: number;
}

/**
 * The last turn if it waits for a person; it is then the last message. With `unfinished`, also if it does not wait.
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

/** The interrupts of a turn, in the order of its calls. */
export function openParts(turn: OpenTurn): InterruptPart[] {
  return turn.calls.flatMap(({ call, state }) =>
    state?.status === 'waiting' ? state.interrupts.map((pending) => toPart(call, state, pending)) : [],
  );
}

function toPart(call: ToolCall, state: WaitingCall, pending: PendingInterrupt): InterruptPart {
  const { kind, interrupt, toolName, rules } = pending;
  return {
    kind,
    toolName: toolName ?? call.function.name,
    toolCallId: interrupt.toolCallId ?? call.id,
    input: state.input,
    interrupt,
    ...defined({ rules, toolVersion: state.version }),
    metadata: interrupt.metadata ?? {},
  };
}

/** Throws if a waiting conversation gets anything but answers. */
export function assertNothingOpen(messages: readonly Message[]): void {
  const turn = openTurn(messages);
  if (turn === undefined) return;
  const ids = openParts(turn).map(({ interrupt }) => interrupt.id);
  const isLast = messages.at(-1) === turn.message;
  throw new HoldpointError(
    isLast ? 'INTERRUPTS_UNANSWERED' : 'INTERRUPTS_PENDING',
    isLast
      ? `The conversation waits for an answer to ${ids.join(', ')}.`
      : `A new message must wait: ${ids.join(', ')} is still open. Answer it, or cancel it and send the message.`,
  );
}

/** A call of a turn and its state; a call of the client has none. */
export interface TurnCall {
  readonly call: ToolCall;
  readonly state: CallState | undefined;
}

/**
 * Waits for all calls of a turn, also if one fails, so that the work of the others is stored. Throws the first
 * error.
 */
export async function settleAll(calls: readonly Promise<TurnCall>[]): Promise<TurnCall[]> {
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

/** Emits new results, in the order of the calls. The client knows the results that it sent. */
export function showResults(calls: readonly TurnCall[], shown: ReadonlySet<string>, run: RunContext): void {
  for (const { call, state } of calls) {
    if (state?.status !== 'done' || state.messageId !== undefined || shown.has(call.id)) continue;
    const options = { messageId: resultMessageId(call.id), ...resultMetadata(state) };
    run.emitter.toolResult(call.id, resultContent(state.output), options);
  }
}

/** The message of a waiting turn, with the states of its calls. */
export function waitingMessage(
  message: AssistantMessage,
  calls: readonly TurnCall[],
  turns: number,
): Message {
  const toolCalls = calls.map(({ call, state }) => (state === undefined ? call : withCallState(call, state)));
  return withTurnState({ ...message, toolCalls }, { turns });
}

/** The message of a finished turn; an edited call shows the arguments that ran. */
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

/** The tool messages of finished calls, in the order of the calls. */
export function resultMessages(calls: readonly TurnCall[]): Message[] {
  return calls.flatMap(({ call, state }) => (state?.status === 'done' ? [toolMessage(call.id, state)] : []));
}

/** Ids of calls with a result, in the turn or as a message. */
export function finishedIds(calls: readonly TurnCall[]): Set<string> {
  return new Set(calls.flatMap(({ call, state }) => (state?.status === 'done' ? [call.id] : [])));
}

/** The result of a call whose result is lost. */
export const ORPHAN_TEXT = 'Result unavailable (conversation was restored).';

/**
 * Ensures that every call has a result before a model sees the conversation. Later messages answer calls of the
 * client; an abandoned one gets a placeholder. Throws `INPUT_INVALID` if the conversation ends with an unanswered
 * call.
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

/** The usual case, checked first: the results directly follow the message. */
function isAnswered(message: Message, index: number, messages: readonly Message[]): boolean {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return true;
  return message.toolCalls.every((call, place) => {
    const result = messages[index + 1 + place];
    return result?.role === 'tool' && result.toolCallId === call.id;
  });
}
