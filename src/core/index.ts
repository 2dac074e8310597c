/**
 * core: errors, ids, clock and JSON. Imports no other module and no package; every other module may import it.
 * Schemas and their validator have a separate entry, `core/schema`.
 */
export { defined } from './defined.ts';
export { HoldpointError, messageOf, publicError, publicMessage } from './holdpoint-error.ts';
export { isRecord, ownMember, isForbiddenKey, kindOf } from './json-value.ts';
export { systemClock } from './clock.ts';
export { childPointer, pointerTokens } from './json-pointer.ts';
export { invalidInput, invalidAnswer } from './invalid-value.ts';
export { onDemand } from './on-demand.ts';
export { parseUniqueJson } from './parse-unique-json.ts';
export type { Clock } from './clock.ts';
export type { ErrorCode } from './error-codes.ts';
export type { HoldpointErrorOptions, Issue } from './holdpoint-error.ts';
export { canonicalJson } from './canonical-json.ts';
export { digestJson } from './digest.ts';
export { FAULT_POINTS, faultPoint, hasFaultHook, setFaultHook } from './fault-points.ts';
export type { FaultPoint } from './fault-points.ts';
export { toHex } from './hex.ts';
export { HTTP_STATUS, httpStatusOf } from './error-codes.ts';
export { newId, createIds } from './ids.ts';
export type { IdGenerator, RandomSource } from './ids.ts';
export { jsonCopy, whyNotJson } from './json-copy.ts';
export { parseJson, checkJsonLimits, DEFAULT_JSON_LIMITS } from './json-limits.ts';
export type { JsonLimits } from './json-limits.ts';
export { linkSignals } from './link-signals.ts';
export { nextTurn } from './next-turn.ts';
export type { UnknownRecord, JsonObject, JsonValue } from './json-value.ts';
