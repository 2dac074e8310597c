import type { RunFinishedEvent } from '@ag-ui/core';
import type { AgentStreamEvent } from '../events.ts';
import type { StreamMemory } from './stream-memory.ts';

/**
 * Decides about interrupts that arrived as events: a run that ends without an outcome ended with them; a run with
 * an interrupt outcome names its own; in any other run they stay events.
 */
export function settleHeld(finished: RunFinishedEvent, memory: StreamMemory): AgentStreamEvent[] {
  const { held } = memory;
  if (held.length === 0) return [finished];
  memory.held = [];
  if (finished.outcome === undefined) {
    const [first, ...rest] = held.map(({ interrupt }) => interrupt);
    if (first === undefined) return [finished];
    const interrupts = [first, ...rest.map((interrupt, index) => named(interrupt, index))];
    return [{ ...finished, outcome: { type: 'interrupt', interrupts } }];
  }
  if (finished.outcome.type === 'interrupt') return [finished];
  return [...releaseHeld(held), finished];
}

/** The held interrupts as the original events. */
export function releaseHeld(held: StreamMemory['held']): AgentStreamEvent[] {
  return held.flatMap(({ event }) => event ?? []);
}

/** Gives ids to all but the first interrupt without an id. */
function named<T extends { id: string }>(interrupt: T, index: number): T {
  return interrupt.id === '' ? { ...interrupt, id: `interrupt-${index + 2}` } : interrupt;
}
