import type { RunFinishedEvent } from '@ag-ui/core';
import type { AgentStreamEvent } from '../events/index.ts';
import type { StreamMemory } from './stream-memory.ts';

/**
 * Decides what became of questions that arrived as events of their own: a run that ends without saying how
 * ended with them; one that says it was interrupted has said it all; for one that says otherwise they were
 * mere events.
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

/** The held questions as the events they were. */
export function releaseHeld(held: StreamMemory['held']): AgentStreamEvent[] {
  return held.flatMap(({ event }) => event ?? []);
}

/** Only one question may be without an id. */
function named<T extends { id: string }>(interrupt: T, index: number): T {
  return interrupt.id === '' ? { ...interrupt, id: `question-${index + 2}` } : interrupt;
}
