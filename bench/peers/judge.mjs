import { median } from './measure.mjs';
import { MESSAGES_PER_TURN } from './scenario.mjs';

/** How many times as fast as a peer each variant of ours has to be, whatever the history. */
const RATIOS = [
  { ours: 'ours, approval', peer: 'Genkit, restart', atLeast: 1.5 },
  { ours: 'ours, approval', peer: 'AI SDK, approval', atLeast: 1 },
  { ours: 'ours, restart', peer: 'Genkit, restart', atLeast: 1.5 },
  { ours: 'ours, restart', peer: 'AI SDK, approval', atLeast: 1 },
];

/** Microseconds that one earlier message may add to a cycle of ours. */
const GROWTH = { names: ['ours, approval', 'ours, restart'], atMost: 3 };

/** What the history costs each contender, and which budgets are met. A ratio is the median of those of the rounds. */
export function judge(measured) {
  const first = measured[0];
  const last = measured.at(-1);
  const messages = (last.turns - first.turns) * MESSAGES_PER_TURN;
  const growth = [...first.times.keys()].map((name) => {
    const none = median(first.times.get(name));
    const all = median(last.times.get(name));
    return { name, ratio: all / none, microsecondsPerMessage: ((all - none) * 1_000) / messages };
  });
  const ratios = measured.flatMap(({ turns, times }) =>
    RATIOS.map(({ ours, peer, atLeast }) => {
      const theirs = times.get(peer);
      const value = median(times.get(ours).map((time, round) => theirs[round] / time));
      return { budget: `${ours} : ${peer}, ${turns} turns`, value, atLeast, met: value >= atLeast };
    }),
  );
  const flat = growth
    .filter(({ name }) => GROWTH.names.includes(name))
    .map(({ name, microsecondsPerMessage: value }) => ({
      budget: `${name}: µs for an earlier message`,
      value,
      atMost: GROWTH.atMost,
      met: value <= GROWTH.atMost,
    }));
  return { growth, budgets: [...ratios, ...flat] };
}
