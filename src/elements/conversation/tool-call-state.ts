import type { Interrupt, Message } from '../../protocol/index.ts';
import type { IconName } from '../base/icon.ts';

/** The state of a tool call. */
export type ToolCallState =
  | 'pending'
  | 'streaming'
  | 'awaiting'
  | 'executing'
  | 'completed'
  | 'failed'
  | 'stopped';

export const STATE_WORDS: Readonly<
  Record<ToolCallState, { readonly label: string; readonly icon: IconName }>
> = {
  pending: { label: 'Pending', icon: 'clock' },
  streaming: { label: 'Writing arguments', icon: 'spinner' },
  awaiting: { label: 'Waiting for an answer', icon: 'help' },
  executing: { label: 'Running', icon: 'spinner' },
  completed: { label: 'Done', icon: 'check' },
  failed: { label: 'Failed', icon: 'alert' },
  stopped: { label: 'Not run', icon: 'minus' },
};

/** A tool call of the conversation. */
export interface CallShown {
  readonly id: string;
  readonly name: string;
  /** JSON text, possibly incomplete. */
  readonly args: string;
}

/** Derives the state of a tool call from the conversation. */
export function toolCallState(
  call: CallShown,
  around: {
    readonly result: Extract<Message, { role: 'tool' }> | undefined;
    readonly interrupts: readonly Interrupt[];
    readonly isRunning: boolean;
  },
): ToolCallState {
  const { result, interrupts, isRunning } = around;
  if (result !== undefined) return result.error === undefined ? 'completed' : 'failed';
  if (interrupts.some(({ toolCallId }) => toolCallId === call.id)) return 'awaiting';
  if (!isRunning) return interrupts.length > 0 ? 'pending' : 'stopped';
  if (call.args === '') return 'pending';
  return isWhole(call.args) ? 'executing' : 'streaming';
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
