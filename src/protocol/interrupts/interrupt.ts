import type { Interrupt, RunFinishedEvent } from '@ag-ui/core';

/**
 * The id of an interrupt without an id, which the draft allows, and of an answer that names no interrupt. A host
 * publishes every interrupt with an id, so an answer with this id matches no interrupt of a host.
 */
export const UNNAMED_INTERRUPT = '';

/**
 * The metadata member of a RUN_FINISHED before a RUN_ERROR: a rejected run shows the thread first. A reader that stops at
 * the end of a run then reads on until the error.
 */
export const ERROR_FOLLOWS = 'errorFollows';

/** The reasons that this project and AG-UI name. Every other string is a valid reason too. */
export const InterruptReason = {
  ToolCall: 'tool_call',
  InputRequired: 'input_required',
  Confirmation: 'confirmation',
  HumanApproval: 'human_approval',
  UploadRequired: 'upload_required',
  PolicyHold: 'policy_hold',
  DatabaseModification: 'database_modification',
  ErrorRecovery: 'error_recovery',
} as const;

/**
 * Tells whether a reason is known, an application's own (`<framework>:<name>`), or reserved (`core:`).
 *
 * @example
 * ```ts
 * import { reasonKind } from 'holdpoint/protocol';
 *
 * reasonKind('tool_call'); // 'known'
 * reasonKind('acme:sign_off'); // 'custom'
 * ```
 */
export function reasonKind(reason: string): 'known' | 'custom' | 'reserved' {
  if (Object.values<string>(InterruptReason).includes(reason)) return 'known';
  return reason.startsWith('core:') ? 'reserved' : 'custom';
}

/** The outcomes of a run that did not fail. */
export const RunFinishedOutcome = {
  Success: 'success',
  Interrupt: 'interrupt',
  Cancelled: 'cancelled',
} as const;

/**
 * The outcome of a run; success when RUN_FINISHED has no outcome.
 *
 * @example
 * ```ts
 * import { isRunFinished, outcomeOf } from 'holdpoint/protocol';
 *
 * for (const event of events) if (isRunFinished(event)) console.log(outcomeOf(event));
 * ```
 */
export function outcomeOf(event: RunFinishedEvent): 'success' | 'interrupt' | 'cancelled' {
  return event.outcome?.type ?? RunFinishedOutcome.Success;
}

/**
 * The interrupts that ended the run; empty for other outcomes.
 *
 * @example
 * ```ts
 * import { interruptsOf, isRunFinished } from 'holdpoint/protocol';
 *
 * const open = events.filter(isRunFinished).flatMap(interruptsOf);
 * ```
 */
export function interruptsOf(event: RunFinishedEvent): readonly Interrupt[] {
  return event.outcome?.type === 'interrupt' ? event.outcome.interrupts : [];
}

/**
 * The expiry of an interrupt in milliseconds since the Unix epoch; undefined without one or for a malformed date.
 *
 * @example
 * ```ts
 * import { expiryOf } from 'holdpoint/protocol';
 *
 * const leftMs = (expiryOf(interrupt) ?? Infinity) - Date.now();
 * ```
 */
export function expiryOf(interrupt: Pick<Interrupt, 'expiresAt'>): number | undefined {
  if (interrupt.expiresAt === undefined) return undefined;
  const time = Date.parse(interrupt.expiresAt);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * True when the interrupt is expired at `now` (milliseconds since the Unix epoch).
 *
 * @example
 * ```ts
 * import { isExpired } from 'holdpoint/protocol';
 *
 * const answerable = interrupts.filter((one) => !isExpired(one, Date.now()));
 * ```
 */
export function isExpired(interrupt: Pick<Interrupt, 'expiresAt'>, now: number): boolean {
  const expiry = expiryOf(interrupt);
  return expiry !== undefined && expiry <= now;
}
