/** basics: errors, the clock, JSON types and loading on demand. A separate entry, so that a page loads only this. */
export { systemClock } from '../clock.ts';
export type { Clock } from '../clock.ts';
export type { ErrorCode } from '../error-codes.ts';
export { HoldpointError } from '../holdpoint-error.ts';
export type { HoldpointErrorOptions, Issue } from '../holdpoint-error.ts';
export type { IdGenerator } from '../ids.ts';
export { isRecord, ownMember } from '../json-value.ts';
export type { UnknownRecord } from '../json-value.ts';
export { messageOf } from '../message-of.ts';
export { onDemand } from '../on-demand.ts';
export { defined } from '../defined.ts';
