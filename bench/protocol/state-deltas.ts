import type { JsonPatchOperation } from 'holdpoint/protocol';
import { EventType } from 'holdpoint/protocol';
import { chunkPerEvent, consumers } from './consume.ts';
import type { Contest } from './contest.ts';
import { aRun, items } from './samples.ts';

const ITEMS = 10_000;
const WARM_UP = 20;

/** Small changes of a large state, with a look at the state after every event. */
export const stateDeltaContests: readonly Contest[] = [
  contest('state deltas array', {
    deltas: 500,
    state: () => ({ items: items(ITEMS) }),
    change: (index) => ({ op: 'replace', path: `/items/${scattered(index)}/score`, value: index }),
  }),
  contest('state deltas keyed', {
    // The peer takes long for each of them.
    deltas: 50,
    state: () => ({ items: Object.fromEntries(items(ITEMS).map((item) => [item.id, item])) }),
    change: (index) => ({ op: 'replace', path: `/items/item-${scattered(index)}/score`, value: index }),
  }),
  contest('state deltas append', {
    deltas: 100,
    state: () => ({ items: items(ITEMS) }),
    change: (index) => ({ op: 'add', path: '/items/-', value: { id: `new-${index}`, score: index } }),
  }),
];

interface Shape {
  readonly deltas: number;
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
      return { events: shape.deltas, ...contestants(shape.deltas), warmUp: contestants(WARM_UP) };
    },
  };
}

function scattered(index: number): number {
  return (index * 7_919) % ITEMS;
}
