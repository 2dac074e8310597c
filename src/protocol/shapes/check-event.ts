import { invalidInput, isRecord, kindOf } from '../../core/basics/index.ts';
import type { AgentStreamEvent } from '../events/stream-event.ts';
import { checkShape, newFindings } from './check-shape.ts';
import type { ShapeTable } from './shape.ts';

/**
 * Reads a value as an event, with the shapes of one table; undefined when the table does not have all that it
 * takes. Throws `INPUT_INVALID` with pointers for anything malformed.
 */
export function checkEvent(
  value: unknown,
  table: ShapeTable,
  onUnknown?: (pointer: string) => void,
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
  const shape = Object.hasOwn(table.events, type) ? table.events[type] : undefined;
  if (shape === undefined) return undefined;
  const findings = newFindings(table, onUnknown);
  const event = checkShape(value, shape, findings);
  if (findings.incomplete) return undefined;
  if (findings.issues.length > 0) throw invalidInput(`${type} event`, findings.issues);
  // The shape table says of every member what the type says; the conformance tests hold the two together.
  return event as unknown as AgentStreamEvent;
}
