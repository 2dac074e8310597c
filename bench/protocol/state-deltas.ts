import type { JsonPatchOperation } from 'holdpoint/protocol';
import { EventType } from 'holdpoint/protocol';
import { chunkPerEvent, consumers } from './consume.ts';
import type { Contest } from './contest.ts';
import { aRun, items } from './samples.ts';

const ITEMS = 10_000;
const DELTAS = 500;

/** Small changes of a large state, with a look at the state after every event. */
export const stateDeltaContests: readonly Contest[] = [
  contest('state deltas array', {
    state: () => ({ items: items(ITEMS) }),
    change: (index) => ({ op: 'replace', path: `/items/${scattered(index)}/score`, value: index }),
  }),
  contest('state deltas keyed', {
    state: () => ({ items: Object.fromEntries(items(ITEMS).map((item) => [item.id, item])) }),
    change: (index) => ({ op: 'replace', path: `/items/item-${scattered(index)}/score`, value: index }),
  }),
  contest('state deltas append', {
    state: () => ({ items: items(ITEMS) }),
    change: (index) => ({ op: 'add', path: '/items/-', value: { id: `new-${index}`, score: index } }),
  }),
];

interface Shape {
  state(): unknown;
  change(index: number): JsonPatchOperation;
}

function contest(name: string, shape: Shape): Contest {
  return {
    name,
    prepare() {
      const state = shape.state();
      const deltas = (count: number) =>
        Array.from({ length: count }, (_, index) => ({
          type: EventType.STATE_DELTA as const,
          delta: [shape.change(index)],
        }));
      const contestants = (count: number) =>
        consumers({ chunks: chunkPerEvent(aRun(deltas(count))), state, watch: 'state' });
      return { events: DELTAS, ...contestants(DELTAS), warmUp: contestants(20) };
    },
  };
}

function scattered(index: number): number {
  return (index * 7_919) % ITEMS;
}
