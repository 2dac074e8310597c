/**
 * core: errors, ids, clock and JSON. Imports no other module and no package; every other module may import it.
 * Schemas and their validator have a separate entry, `core/schema`.
 */
export { fromBase64, toBase64 } from './bytes.ts';
export type { Bytes } from './bytes.ts';
export {
  aboveZero,
  callback,
  checkOptions,
  distinct,
  each,
  either,
  expecting,
  filledText,
  flag,
  members,
  milliseconds,
  oneOf,
  optional,
  record,
  text,
} from './check.ts';
export type { Check, Report } from './check.ts';
export { canonicalJson } from './canonical-json.ts';
export { nextTurn, pause, systemClock, TOO_LATE, unref, within } from './clock.ts';
export type { Clock } from './clock.ts';
export { csvCell } from './csv-cell.ts';
export { defined } from './defined.ts';
export { digestJson, digestText } from './digest.ts';
export { HTTP_STATUS, httpStatusOf } from './error-codes.ts';
export type { ErrorCode } from './error-codes.ts';
export { everyPage } from './every-page.ts';
export { FAULT_POINTS, faultPoint, hasFaultHook, setFaultHook } from './fault-points.ts';
export type { FaultPoint } from './fault-points.ts';
export { fetchWithin } from './fetch-within.ts';
export { escapeControls } from './escape-controls.ts';
export { HoldpointError, messageOf, publicError, publicMessage } from './holdpoint-error.ts';
export type { Issue } from './holdpoint-error.ts';
export { createIds, newId, toHex } from './ids.ts';
export type { IdGenerator } from './ids.ts';
export { invalidAnswer, invalidInput } from './invalid-value.ts';
export { copyIfJson, jsonCopy, whyNotJson } from './json-copy.ts';
export { DEFAULT_JSON_LIMITS, jsonOrText, parseJson } from './json-limits.ts';
export type { JsonLimits } from './json-limits.ts';
export { childPointer, pointerTokens } from './json-pointer.ts';
export { isAcceptedFile } from './accepted-file.ts';
export { isForbiddenKey, isRecord, kindOf, listOf, ownMember, toList } from './json-value.ts';
export type { JsonObject, JsonValue, UnknownRecord } from './json-value.ts';
export { abortAfter, linkSignals } from './signals.ts';
export { onDemand } from './on-demand.ts';
export { parseUniqueJson } from './parse-unique-json.ts';
