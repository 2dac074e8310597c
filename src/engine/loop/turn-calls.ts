import type { Message, ToolCall } from '../../protocol/index.ts';
import type { CallState } from '../calls/call-state.ts';
import { withCallState, withTurnState } from '../calls/call-state.ts';
import type { RunContext } from '../calls/run-context.ts';
import { resultContent, resultMessageId, toolMessage } from '../calls/tool-message.ts';

type AssistantMessage = Extract<Message, { role: 'assistant' }>;

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
    // The event has no member for an error; the message that it becomes gets the metadata.
    const failure = state.error === undefined ? {} : { metadata: { error: state.error } };
    const options = { messageId: resultMessageId(call.id), ...failure };
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
