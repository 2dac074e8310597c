/** basics: errors, the clock, plain JSON and loading on demand; a door of its own, so that a page which needs no more loads no more. */
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
export { present } from '../present.ts';
