import { defined, digestJson } from '../core/index.ts';
import type { NewAnswer } from './check-answer.ts';
import type { HistoryEntry, ThreadRecord } from './records.ts';
import type { ThreadView } from './thread-view.ts';

/** What comes before the first entry. */
export const CHAIN_START = '';

export type HistoryFacts = Omit<HistoryEntry, 'previous' | 'hash'>;

/** Adds facts to a chain: each entry is sealed with the hash of the one before it. */
export function extendChain(
  chain: ThreadRecord['chain'],
  facts: readonly HistoryFacts[],
): { readonly chain: ThreadRecord['chain']; readonly entries: readonly HistoryEntry[] } {
  const entries: HistoryEntry[] = [];
  if (facts.length === 0) return { chain, entries };
  let { count, hash } = chain;
  for (const fact of facts) {
    const sealed = seal(fact, hash);
    entries.push(sealed);
    hash = sealed.hash;
    count += 1;
  }
  return { chain: { count, hash }, entries };
}

/** The place of the first entry that was changed, left out or moved; undefined when all are as they were written. */
export function findBrokenEntry(
  entries: readonly HistoryEntry[],
  head: ThreadRecord['chain'],
): number | undefined {
  let previous = CHAIN_START;
  for (const [index, entry] of entries.entries()) {
    const { previous: claimed, hash, ...facts } = entry;
    if (claimed !== previous || seal(facts, previous).hash !== hash) return index;
    previous = hash;
  }
  return entries.length === head.count && previous === head.hash ? undefined : entries.length;
}

function seal(facts: HistoryFacts, previous: string): HistoryEntry {
  const linked = { ...facts, previous };
  return { ...linked, hash: digestJson(linked) };
}

/** The history of answers that were given just now. */
export function stagedFacts(view: ThreadView, answers: ReadonlyMap<string, NewAnswer>): HistoryFacts[] {
  return [...answers].map(([interruptId, { answer }]) => {
    const { status, payload, by, at, via } = answer;
    const raisedAt = view.interrupts.get(interruptId)?.raisedAt ?? at;
    return {
      what: status === 'cancelled' ? ('cancelled' as const) : ('staged' as const),
      interruptId,
      at,
      by,
      via,
      status,
      ...defined({ payload }),
      latency: at - raisedAt,
    };
  });
}
