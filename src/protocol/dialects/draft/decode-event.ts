import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/basics/index.ts';
import { defined, isRecord } from '../../../core/basics/index.ts';
import { invalidInput, kindOf } from '../../../core/issues/index.ts';
import type { AgentStreamEvent } from '../../events/index.ts';
import { functionDetails, UNNAMED_INTERRUPT } from '../../interrupts/approval/index.ts';
import { InterruptReason } from '../../interrupts/reasons/index.ts';
import type { StreamMemory } from '../stream-memory.ts';
import { decodeEvent as decodeV1 } from '../v1/decode-event.ts';

/** True for an end whose outcome is a string, or that has an `interrupt` and no outcome. */
export function ownsEvent(value: UnknownRecord): boolean {
  if (value['type'] !== EventType.RUN_FINISHED || isRecord(value['outcome'])) return false;
  return typeof value['outcome'] === 'string' || isRecord(value['interrupt']);
}

/**
 * Reads the draft's RUN_FINISHED: `outcome` is a string, compared without case; without it, an `interrupt` means
 * interrupted, and otherwise success. A run that says it was interrupted is never a success, even without an
 * interrupt.
 */
export function decodeEvent(value: UnknownRecord, memory: StreamMemory): AgentStreamEvent[] {
  if (value['type'] !== EventType.RUN_FINISHED || isRecord(value['outcome'])) return decodeV1(value, memory);
  const { outcome, interrupt, pendingToolCallIds, ...rest } = value;
  const word = outcomeWord(outcome, interrupt);
  switch (word) {
    case undefined:
      return decodeV1(rest, memory);
    case 'success': {
      const success = {
        type: 'success',
        ...defined({ pendingToolCallIds }),
      };
      return decodeV1({ ...rest, outcome: success }, memory);
    }
    case 'cancelled':
      return decodeV1({ ...rest, outcome: { type: 'cancelled' } }, memory);
    case 'interrupt':
      return decodeV1(
        { ...rest, outcome: { type: 'interrupt', interrupts: [toInterrupt(interrupt)] } },
        memory,
      );
    default:
      throw invalidInput('RUN_FINISHED event', [
        { pointer: '/outcome', message: `expected "success" or "interrupt", found ${JSON.stringify(word)}` },
      ]);
  }
}

function outcomeWord(outcome: unknown, interrupt: unknown): string | undefined {
  if (outcome === undefined || outcome === null) {
    return interrupt === undefined || interrupt === null ? undefined : 'interrupt';
  }
  if (typeof outcome === 'string') return outcome.toLowerCase();
  throw invalidInput('RUN_FINISHED event', [
    { pointer: '/outcome', message: `expected a word or an object, found ${kindOf(outcome)}` },
  ]);
}

function toInterrupt(value: unknown): UnknownRecord {
  if (value === undefined || value === null) {
    return { id: UNNAMED_INTERRUPT, reason: InterruptReason.InputRequired };
  }
  if (!isRecord(value)) {
    throw invalidInput('RUN_FINISHED event', [
      { pointer: '/interrupt', message: `expected an object, found ${kindOf(value)}` },
    ]);
  }
  const { id, reason, payload, metadata, ...rest } = value;
  const details = functionDetails(payload);
  const assumed = details === undefined ? InterruptReason.InputRequired : InterruptReason.ToolCall;
  const interrupt: UnknownRecord = { ...rest, id: id ?? UNNAMED_INTERRUPT, reason: reason ?? assumed };
  if (payload !== undefined) interrupt['metadata'] = { ...(isRecord(metadata) ? metadata : {}), payload };
  else if (metadata !== undefined) interrupt['metadata'] = metadata;
  return interrupt;
}
