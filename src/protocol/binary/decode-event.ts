import type { UnknownRecord } from '../../core/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import { malformed } from './binary-errors.ts';
import { readArm } from './read-message.ts';
import { fromWireForm } from './wire-forms.ts';
import { openInput, readEachField, readNested } from './wire-input.ts';
import { ENVELOPE, EVENT_TYPE_NUMBERS, messageTagOf } from './wire-shapes.ts';

/**
 * The JSON of an event from its protobuf message; optional fields that are not there are absent. Its
 * structure is sound but it is not validated, just like an event from SSE. An event of a later protocol,
 * which has no name to give it, is undefined; unknown fields are left out.
 * Throws `INPUT_INVALID`, and nothing else, for bytes that are no event, for JSON past the limits of
 * `parseJson`, and for a member named `__proto__` or `constructor`.
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

/** Lifts the members of the base event; its type must be that of the arm it was found in. */
function withoutBase(event: UnknownRecord): UnknownRecord {
  const { baseEvent, ...rest } = event;
  if (!isRecord(baseEvent)) throw malformed('it has no base event');
  const { type, ...base } = baseEvent;
  if (type !== EVENT_TYPE_NUMBERS.get(event.type)) {
    throw malformed(`${String(event.type)} declares the type ${String(type)}`);
  }
  return { ...rest, ...base };
}

/** True for an envelope without an event of ours, but with a message where a later protocol has events. */
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
