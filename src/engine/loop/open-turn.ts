import { defined, HoldpointError } from '../../core/index.ts';
import type { Message, ToolCall } from '../../protocol/index.ts';
import type { CallState, PendingQuestion, WaitingCall } from '../calls/call-state.ts';
import { callState, turnState } from '../calls/call-state.ts';
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
