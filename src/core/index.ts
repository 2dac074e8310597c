/**
 * core: errors, ids, clock and JSON. Imports no other module and no package; every other module may import it.
 * Schemas and their validator have a separate entry, `core/schema`.
 */
export { defined, HoldpointError, isRecord, messageOf, ownMember, systemClock } from './basics/index.ts';
export { newId } from './new-id/index.ts';
export { childPointer, invalidInput, isForbiddenKey, kindOf, pointerTokens } from './issues/index.ts';
export { parseJson } from './json/index.ts';
export { parseUniqueJson } from './parse-unique-json.ts';
export type {
  Clock,
  ErrorCode,
  HoldpointErrorOptions,
  IdGenerator,
  Issue,
  UnknownRecord,
} from './basics/index.ts';
export { canonicalJson } from './canonical/index.ts';
export { digestJson } from './digest.ts';
export { FAULT_POINTS, faultPoint, hasFaultHook, setFaultHook } from './fault-points.ts';
export type { FaultPoint } from './fault-points.ts';
export { toHex } from './hex.ts';
export { HTTP_STATUS, httpStatusOf } from './codes/index.ts';
export { invalidAnswer } from './answers/index.ts';
export { createIds } from './ids.ts';
export type { RandomSource } from './ids.ts';
export { jsonCopy } from './json-copy.ts';
export { checkJsonLimits, DEFAULT_JSON_LIMITS } from './json-limits.ts';
export type { JsonLimits } from './json-limits.ts';
export { linkSignals } from './link-signals.ts';
export { nextTurn } from './next-turn.ts';
export type { JsonObject, JsonValue } from './json-value.ts';
export { publicError, publicMessage } from './public-error.ts';
export { whyNotJson } from './why-not-json.ts';
