import { isRecord } from '../../core/index.ts';
import type { Interrupt, Message } from '../../protocol/index.ts';
import type { IconName } from '../base/icon.ts';
import { cardFacts } from '../interrupt/card-facts.ts';
import { decisionOf, isTrialRun } from '../interrupt/decision.ts';
import type { InterruptEntry } from './records.ts';
import { type Text } from '../base/strings.ts';

/** The state of a tool call. */
export type ToolCallState =
  | 'pending'
  | 'streaming'
  | 'awaiting'
  | 'held'
  | 'starting'
  | 'executing'
  | 'completed'
  | 'rejected'
  | 'cancelled'
  | 'withdrawn'
  | 'expired'
  | 'skipped'
  | 'failed'
  | 'unknown'
  | 'stopped';

export const STATE_WORDS: Readonly<Record<ToolCallState, { readonly label: Text; readonly icon: IconName }>> =
  {
    pending: { label: 'Pending', icon: 'clock' },
    streaming: { label: 'Writing arguments', icon: 'spinner' },
    awaiting: { label: 'Waiting for an answer', icon: 'help' },
    held: { label: 'Waits for the other requests', icon: 'clock' },
    starting: { label: 'Starts in a moment', icon: 'clock' },
    executing: { label: 'Running', icon: 'spinner' },
    completed: { label: 'Done', icon: 'check' },
    rejected: { label: 'Rejected', icon: 'ban' },
    cancelled: { label: 'Cancelled', icon: 'close' },
    withdrawn: { label: 'Withdrawn', icon: 'back' },
    expired: { label: 'Expired', icon: 'clock' },
    skipped: { label: 'Skipped', icon: 'minus' },
    failed: { label: 'Failed', icon: 'alert' },
    unknown: { label: 'Not known whether it ran', icon: 'alert' },
    stopped: { label: 'Not run', icon: 'minus' },
  };

/** A tool call of the conversation. */
export interface CallShown {
  readonly id: string;
  readonly name: string;
  /** JSON text, possibly incomplete. */
  readonly args: string;
}

/** The message with the result of a call. */
export type ToolResult = Extract<Message, { role: 'tool' }>;

/** Derives the state of a tool call from the conversation and from what was decided about it. */
export function toolCallState(
  call: CallShown,
  around: {
    readonly result: ToolResult | undefined;
    readonly interrupts: readonly Interrupt[];
    /** The open interrupts whose time is over. */
    readonly expired: readonly Interrupt[];
    /** The interrupts of this call, the oldest first. */
    readonly records: readonly InterruptEntry[];
    readonly isRunning: boolean;
  },
): ToolCallState {
  const { result, interrupts, isRunning } = around;
  const isAbout = ({ toolCallId }: Interrupt) => toolCallId === call.id;
  if (around.expired.some(isAbout)) return 'expired';
  if (interrupts.some(isAbout)) return 'awaiting';
  if (result !== undefined && isUncertain(around.records)) return 'unknown';
  if (result !== undefined)
    return decidedState(around.records) ?? (isFailed(result) ? 'failed' : 'completed');
  if (!isRunning) {
    // The other requests of the turn hold up a call that has its answer.
    const isHeld = interrupts.length > 0;
    if (!isAboutToRun(around.records)) return isHeld ? 'pending' : 'stopped';
    return decidedState(around.records) ?? (isHeld ? 'held' : 'starting');
  }
  if (call.args === '') return 'pending';
  return isWhole(call.args) ? 'executing' : 'streaming';
}

/**
 * True when a call may have changed something: it has run, or it is not known whether it has. False for a call without a result,
 * a failed one, a trial run, and a call whose every interrupt was decided against it.
 */
export function hadEffect(result: ToolResult | undefined, records: readonly InterruptEntry[]): boolean {
  if (result !== undefined && isUncertain(records)) return true;
  if (result === undefined || isFailed(result) || records.some(isTrial)) return false;
  return records.length === 0 || records.some((record) => decidedState([record]) === undefined);
}

/** True when the run of the call was lost, and the person who was asked did not say whether it was made. */
function isUncertain(records: readonly InterruptEntry[]): boolean {
  return records.at(-1)?.isUncertain === true;
}

/** True when a call was approved as a trial run: by its arguments, or by a value of the approval. */
function isTrial({ interrupt, answered = {} }: InterruptEntry): boolean {
  const decision = decisionOf(answered);
  if (decision !== 'approved' && decision !== 'changed') return false;
  return isTrialRun(answered.payload) || (decision === 'approved' && cardFacts(interrupt).isTrial);
}

/** True when the newest interrupt has an answer that no run has carried out yet: the answer can still be undone. */
export function isAboutToRun(records: readonly InterruptEntry[]): boolean {
  const status = records.at(-1)?.status;
  return status === 'answered' || status === 'claimed';
}

/** The state of a call that a person, or the end of its time, has decided against or left out; undefined for any other. */
function decidedState(records: readonly InterruptEntry[]): ToolCallState | undefined {
  const last = records.at(-1);
  if (last === undefined) return undefined;
  if (last.status === 'expired') return 'expired';
  const decision = last.answered === undefined ? undefined : decisionOf(last.answered);
  // A question that was left empty was answered.
  if (decision === 'skipped') return isRecord(last.answered?.payload) ? 'skipped' : undefined;
  return AGAINST.find((one) => one === decision);
}

const AGAINST = ['rejected', 'cancelled', 'withdrawn', 'expired'] as const;

/** True when the result is an error: a stored message says so itself, a live one in its metadata. */
function isFailed({ error, metadata }: ToolResult): boolean {
  return error !== undefined || (isRecord(metadata) && metadata['error'] !== undefined);
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
