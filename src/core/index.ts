/**
 * core: errors, ids, clock and JSON. Imports nothing of ours and no package; every other room stands on it.
 * Schemas and their validator live behind a door of their own, `core/schema`.
 */
export { canonicalJson } from './canonical-json.ts';
export { systemClock } from './clock.ts';
export type { Clock } from './clock.ts';
export { digestJson } from './digest.ts';
export { FAULT_POINTS, faultPoint, setFaultHook } from './fault-points.ts';
export type { FaultPoint } from './fault-points.ts';
export { HTTP_STATUS, httpStatusOf } from './error-codes.ts';
export type { ErrorCode } from './error-codes.ts';
export { HoldpointError, invalidAnswer, invalidInput } from './holdpoint-error.ts';
export type { HoldpointErrorOptions, Issue } from './holdpoint-error.ts';
export { createIds, newId } from './ids.ts';
export type { IdGenerator, RandomSource } from './ids.ts';
export { checkJsonLimits, DEFAULT_JSON_LIMITS, isForbiddenKey, parseJson } from './json-limits.ts';
export type { JsonLimits } from './json-limits.ts';
export { childPointer, pointerTokens } from './json-pointer.ts';
export { messageOf } from './message-of.ts';
export { nextTurn } from './next-turn.ts';
export { isRecord, kindOf, ownMember } from './json-value.ts';
export type { JsonObject, JsonValue, UnknownRecord } from './json-value.ts';
