import { invalidInput, isRecord, kindOf } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events/stream-event.ts';
import type { Findings } from './check-shape.ts';
import { checkShape } from './check-shape.ts';
import { EVENT_SHAPES } from './shape-table.ts';
import type { Shape } from './shape-table.ts';

export interface DecodeOptions {
  /** Told where something a newer protocol must have added was left out; the root pointer means the event. */
  readonly onUnknown?: (pointer: string) => void;
}

const SHAPES: ReadonlyMap<string, Shape> = new Map(Object.entries(EVENT_SHAPES));

/**
 * Reads a value as an event of AG-UI 1.0. Members the protocol does not name stay; optional members that
 * are null are left out; the same object comes back when nothing had to change. An event type that this
 * version does not know gives undefined. Throws `INPUT_INVALID` with pointers for anything malformed.
 */
export function decodeEvent(value: unknown, options: DecodeOptions = {}): AgentStreamEvent | undefined {
  if (!isRecord(value)) {
    throw invalidInput('event', [{ pointer: '', message: `expected an object, found ${kindOf(value)}` }]);
  }
  const { type } = value;
  if (typeof type !== 'string') {
    throw invalidInput('event', [
      { pointer: '/type', message: `expected the type of an event, found ${kindOf(type)}` },
    ]);
  }
  const shape = SHAPES.get(type);
  if (shape === undefined) {
    options.onUnknown?.('');
    return undefined;
  }
  const findings: Findings = { issues: [], onUnknown: options.onUnknown };
  const event = checkShape(value, shape, { pointer: '', findings });
  if (findings.issues.length > 0) throw invalidInput(`${type} event`, findings.issues);
  // The shape table says of every member what the type says; the conformance tests hold the two together.
  return event as unknown as AgentStreamEvent;
}
