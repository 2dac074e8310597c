import { chunkPerEvent, consumers } from './consume.ts';
import type { Contest } from './contest.ts';
import { aRun, aText, history } from './samples.ts';

const DELTAS = 2_000;

/** A long answer in a long thread, read, verified and applied, with a look at the messages after every event. */
export const textDeltaContests: readonly Contest[] = [
  {
    name: 'text deltas',
    prepare() {
      const messages = history(1_000);
      const contestants = (deltas: number) =>
        consumers({ chunks: chunkPerEvent(aRun(aText(deltas))), messages, watch: 'messages' });
      return { events: DELTAS, ...contestants(DELTAS), warmUp: contestants(DELTAS / 10) };
    },
  },
];
