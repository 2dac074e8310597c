import { withContenders } from './start-contender.mjs';

/** The turns of the thread on which a cycle may not write more than on a fresh one. */
const LONG = 500;

/** What each contender writes in a cycle, on a fresh thread and on a long one. The bare driver knows no history. */
export async function countFootprints(names, { given, inTurn }) {
  const found = new Map(names.map((name) => [name, {}]));
  const count = async (jobs) => {
    const starting = jobs.map(({ name }) => given(name, found.get('holdpoint')?.fresh));
    await withContenders(starting, (opened) =>
      Promise.all(
        jobs.map(async ({ name, thread, turns }, index) => {
          found.get(name)[thread] = await opened[index].footprint(turns);
        }),
      ),
    );
  };
  // What ours writes is counted first: the bare driver is to write as much.
  const ours = names.filter((name) => name === 'holdpoint').flatMap(jobsOf);
  const others = names.filter((name) => name !== 'holdpoint').flatMap(jobsOf);
  const groups = inTurn ? [...ours, ...others].map((job) => [job]) : [ours, others];
  for (const jobs of groups) await count(jobs);
  return found;
}

function jobsOf(name) {
  const fresh = { name, thread: 'fresh', turns: 0 };
  return name === 'bare' ? [fresh] : [fresh, { name, thread: 'long', turns: LONG }];
}
