import { invalidInput, isRecord, kindOf } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import type { Upgrade } from './check-shape.ts';
import { checkShape, newFindings } from './check-shape.ts';
import { SHAPES } from './shape-table.ts';

/** Options of the decoders. */
export interface DecodeOptions {
  /**
   * Called with the pointer of a dropped part of a newer protocol; the root pointer means the event. Default: not
   * called.
   */
  readonly onUnknown?: (pointer: string) => void;
}

/**
 * Reads a value as an event of AG-UI 1.0. Unknown members stay; optional members that are null are dropped; without
 * changes the same object is returned. Returns undefined for an unknown event type. Throws `INPUT_INVALID` with
 * pointers for a malformed event.
 *
 * @example
 * ```ts
 * import { decodeEvent } from 'holdpoint/protocol';
 *
 * const event = decodeEvent(JSON.parse(frame.data));
 * ```
 */
export function decodeEvent(value: unknown, options: DecodeOptions = {}): AgentStreamEvent | undefined {
  return decodeEventWith(undefined, value, options);
}

/** Reads an event like {@link decodeEvent}; `upgrade` gives parts of earlier protocols their current form. */
export function decodeEventWith(
  upgrade: Upgrade | undefined,
  value: unknown,
  { onUnknown }: DecodeOptions,
): AgentStreamEvent | undefined {
  if (!isRecord(value)) {
    throw invalidInput('event', [{ pointer: '', message: `expected an object, found ${kindOf(value)}` }]);
  }
  const { type } = value;
  if (typeof type !== 'string') {
    throw invalidInput('event', [
      { pointer: '/type', message: `expected the type of an event, found ${kindOf(type)}` },
    ]);
  }
  const shape = Object.hasOwn(SHAPES.events, type) ? SHAPES.events[type] : undefined;
  if (shape === undefined) {
    onUnknown?.('');
    return undefined;
  }
  const findings = newFindings(onUnknown, upgrade);
  const event = checkShape(value, shape, findings);
  if (findings.issues.length > 0) throw invalidInput(`${type} event`, findings.issues);
  // The shape table describes every member of the type; the conformance tests compare the two.
  return event as unknown as AgentStreamEvent;
}
