import type { UnknownRecord } from '../../core/index.ts';
import { notNamed } from './binary-errors.ts';

/** JSON Patch operations by their number on the wire. */
const OPERATIONS: readonly unknown[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

/** Replaces the `op` of a JSON Patch operation by its number. Throws `INPUT_INVALID` for an unknown op. */
export function numberOperation(operation: UnknownRecord): UnknownRecord {
  const op = OPERATIONS.indexOf(operation.op);
  if (op === -1) throw notNamed('patch operation', operation.op);
  return { ...operation, op };
}

/** Restores the name; an unknown operation keeps its number as text, which is not a valid name. */
export function nameOperation(operation: UnknownRecord): UnknownRecord {
  return { ...operation, op: OPERATIONS[Number(operation.op)] ?? String(operation.op) };
}
