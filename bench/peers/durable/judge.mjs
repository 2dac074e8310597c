import { median } from '../measure.mjs';
import { ONE_BY_ONE } from './classes.mjs';

const FRESH = 'fresh thread';
const MANY = '64 in flight';

/** How many times as fast as a peer we have to be, one cycle after the other, each on a fresh thread. */
const RATIOS = [
  { store: 'SQLite NORMAL', peer: 'ai-sdk', atLeast: 0.6 },
  { store: 'SQLite NORMAL', peer: 'langgraph', atLeast: 6 },
  { store: 'SQLite NORMAL', peer: 'mastra', atLeast: 20 },
  { store: 'SQLite FULL', peer: 'bare', atLeast: 0.5 },
  { store: 'PostgreSQL', peer: 'bare', atLeast: 0.5 },
];

/** What commits of many at once have to bring. */
const GROUP = { store: 'SQLite FULL', atLeast: 3 };

/**
 * Commits in a cycle: to raise, to claim and to settle, and one to begin with a new message. And how many times as much it
 * may write on a thread of 500 turns; ids grow by a digit or two.
 */
const COMMITS = 4;
const GROWTH = 1.1;

/** Which budgets are met. One whose contenders were left out is not judged. */
export function judge(results) {
  const ratios = RATIOS.map(({ store, peer, atLeast }) => {
    const line = results.get(store)?.rates.get(FRESH);
    return {
      budget: `${store}: holdpoint : ${peer}`,
      value: ratio(line, 'holdpoint', peer),
      // What is left when our own code costs nothing: the same commits and bytes.
      bare: peer === 'bare' ? undefined : ratio(line, 'bare', peer),
      atLeast,
    };
  });
  const group = {
    budget: `${GROUP.store}: holdpoint, 64 in flight : one`,
    value: ratio(results.get(GROUP.store)?.rates.get(MANY), 'holdpoint', ONE_BY_ONE),
    atLeast: GROUP.atLeast,
  };
  const written = [...results].flatMap(([store, { footprints }]) => {
    const { fresh, long } = footprints.get('holdpoint') ?? {};
    if (fresh === undefined) return [];
    return [
      {
        budget: `${store}: commits of a cycle, the new message's own included`,
        value: fresh.commits,
        atMost: COMMITS,
      },
      { budget: `${store}: rows, 500 turns : none`, value: long.rows / fresh.rows, atMost: GROWTH },
      { budget: `${store}: bytes, 500 turns : none`, value: long.bytes / fresh.bytes, atMost: GROWTH },
    ];
  });
  return [...ratios, group, ...written].map((budget) => ({ ...budget, met: isMet(budget) }));
}

/** How many times as fast as the other: the median of the rounds, which ran side by side. */
export function ratio(line, ours, theirs) {
  const slower = line?.get(theirs);
  const values = line?.get(ours)?.map((rate, round) => rate / slower?.[round]);
  return values === undefined || slower === undefined ? undefined : median(values);
}

function isMet({ value, atLeast, atMost }) {
  if (value === undefined) return undefined;
  return atLeast === undefined ? value <= atMost : value >= atLeast;
}
