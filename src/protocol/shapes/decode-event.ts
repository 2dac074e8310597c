import { isRecord } from '../../core/basics/index.ts';
import { invalidInput, kindOf } from '../../core/issues/index.ts';
import type { AgentStreamEvent } from '../events/stream-event.ts';
import { checkShape, newFindings } from './check-shape.ts';
import { SHAPES } from './shape-table.ts';

export interface DecodeOptions {
  /** Told where something a newer protocol must have added was left out; the root pointer means the event. */
  readonly onUnknown?: (pointer: string) => void;
}

/**
 * Reads a value as an event of AG-UI 1.0. Members the protocol does not name stay; optional members that
 * are null are left out; the same object comes back when nothing had to change. An event type that this
 * version does not know gives undefined. Throws `INPUT_INVALID` with pointers for anything malformed.
 */
export function decodeEvent(value: unknown, { onUnknown }: DecodeOptions = {}): AgentStreamEvent | undefined {
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
  const findings = newFindings(onUnknown);
  const event = checkShape(value, shape, findings);
  if (findings.issues.length > 0) throw invalidInput(`${type} event`, findings.issues);
  // The shape table says of every member what the type says; the conformance tests hold the two together.
  return event as unknown as AgentStreamEvent;
}
