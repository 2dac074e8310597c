import type { UnknownRecord } from '../../core/index.ts';
import { notNamed } from './binary-errors.ts';

/** JSON Patch operations by their number on the wire. */
const OPERATIONS: readonly unknown[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

/** A JSON Patch operation with the number of its `op`. Throws `INPUT_INVALID` for an op without one. */
export function numberOperation(operation: UnknownRecord): UnknownRecord {
  const op = OPERATIONS.indexOf(operation.op);
  if (op === -1) throw notNamed('patch operation', operation.op);
  return { ...operation, op };
}

/** The name again; an operation of a later protocol keeps its number as text, which no reader takes for a name. */
export function nameOperation(operation: UnknownRecord): UnknownRecord {
  return { ...operation, op: OPERATIONS[Number(operation.op)] ?? String(operation.op) };
}
