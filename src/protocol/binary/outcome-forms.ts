import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { notEncodable } from './binary-errors.ts';

/** The member of each outcome type; on the wire it lies beside the outcome. */
const PAYLOAD_OF = new Map<unknown, string>([
  ['success', 'pendingToolCallIds'],
  ['interrupt', 'interrupts'],
  ['suspended', 'interruptIds'],
]);

/**
 * Flattens the outcome of a run or a subagent: its type becomes a string, empty without an outcome, and its members
 * move beside it. Throws `INPUT_INVALID` for an outcome without a type.
 */
export function flattenOutcome(event: UnknownRecord): UnknownRecord {
  const flat: UnknownRecord = { ...event, outcome: '' };
  for (const payload of PAYLOAD_OF.values()) flat[payload] = undefined;
  const { outcome } = event;
  if (outcome === undefined || outcome === null) return flat;
  if (!isRecord(outcome) || typeof outcome.type !== 'string') throw notEncodable('the outcome has no type');
  const payload = PAYLOAD_OF.get(outcome.type);
  if (payload !== undefined) flat[payload] = outcome[payload];
  flat.outcome = outcome.type;
  return flat;
}

/** Restores the outcome object. The members of an unknown type stay, for the caller to judge. */
export function gatherOutcome(event: UnknownRecord): UnknownRecord {
  const { outcome: type, ...rest } = event;
  if (type === '') return rest;
  const outcome: UnknownRecord = type === 'interrupt' ? { type, interrupts: [] } : { type };
  for (const payload of PAYLOAD_OF.values()) {
    if (rest[payload] !== undefined) outcome[payload] = rest[payload];
    delete rest[payload];
  }
  return { ...rest, outcome };
}
