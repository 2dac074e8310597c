import type { UnknownRecord } from '../../core/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import { malformed } from './binary-errors.ts';
import { readArm } from './read-message.ts';
import { fromWireForm } from './wire-forms.ts';
import { openInput, readEachField, readNested } from './wire-input.ts';
import { ENVELOPE, EVENT_TYPE_NUMBERS, messageTagOf } from './wire-shapes.ts';

/**
 * The JSON of an event from its protobuf message; missing optional fields are absent. The structure is sound but
 * not validated, like that of an event from SSE. Returns undefined for an event of a later protocol; drops unknown
 * fields. Throws only `INPUT_INVALID`: for bytes that are not an event, for JSON past the limits of `parseJson`,
 * and for a member named `__proto__` or `constructor`.
 */
export function decodeBinaryEvent(bytes: Uint8Array): unknown {
  try {
    const event = readArm(openInput(bytes), ENVELOPE);
    if (typeof event.type === 'string') return fromWireForm(event.type, withoutBase(event));
    if (isFutureEvent(bytes)) return undefined;
  } catch (cause) {
    throw HoldpointError.is(cause) ? cause : malformed('its bytes are not protobuf', cause);
  }
  throw malformed('it holds no event');
}

/** Moves the members of the base event to the event; its type must match the arm. */
function withoutBase(event: UnknownRecord): UnknownRecord {
  const { baseEvent, ...rest } = event;
  if (!isRecord(baseEvent)) throw malformed('it has no base event');
  const { type, ...base } = baseEvent;
  if (type !== EVENT_TYPE_NUMBERS.get(event.type)) {
    throw malformed(`${String(event.type)} declares the type ${String(type)}`);
  }
  return { ...rest, ...base };
}

/** True for an envelope without a known event, but with a message in an unknown arm. */
function isFutureEvent(bytes: Uint8Array): boolean {
  const input = openInput(bytes);
  let found = false;
  readEachField(input, (tag) => {
    if (tag !== messageTagOf(tag)) return false;
    readNested(input, () => readEachField(input, () => false));
    found = true;
    return true;
  });
  return found;
}
