import { ASSUMED_FOOTPRINT, SITUATIONS } from './classes.mjs';
import { footprint } from './footprint.mjs';
import { measure } from './measure.mjs';
import { postgresPlace, sqlitePlace } from './places.mjs';
import { footprintTable, heading, rateLines } from './table.mjs';

/** The turns of the thread on which a cycle may not write more than on a fresh one. */
const LONG = 500;

/** What the contenders of one kind of store write in a cycle, and how many cycles they do in a second. */
export async function measureClass(contenders, { synchronous, url, print }) {
  const open = async (name, written) => {
    const place = await (url === undefined ? sqlitePlace(synchronous) : postgresPlace(url));
    try {
      const contender = { name, ...(await contenders[name](place, perCommit(written))) };
      return { contender, place };
    } catch (error) {
      await place.remove();
      throw error;
    }
  };
  const names = Object.keys(contenders);
  const footprints = new Map();
  for (const name of names) footprints.set(name, await footprintsOf(name, open, footprints));
  print(footprintTable(footprints));
  const rates = new Map();
  print(`\n${heading(names)}`);
  for (const situation of SITUATIONS) {
    const opened = [];
    try {
      for (const name of names) {
        if (name === 'bare' && situation.turns > 0) continue;
        opened.push(await open(name, footprints.get('holdpoint')?.fresh));
      }
      const line = await measure(
        opened.map(({ contender }) => contender),
        situation,
      );
      rates.set(situation.name, line);
      print(rateLines(situation.name, line, names));
    } finally {
      for (const one of opened) await close(one);
    }
  }
  return { rates, footprints };
}

/** What ours writes is counted first: the bare driver is to write as much. */
async function footprintsOf(name, open, known) {
  const count = async (turns) => {
    const one = await open(name, known.get('holdpoint')?.fresh);
    try {
      return await footprint(one.contender, { place: one.place, turns });
    } finally {
      await close(one);
    }
  };
  const fresh = await count(0);
  return name === 'bare' ? { fresh } : { fresh, long: await count(LONG) };
}

async function close({ contender, place }) {
  await contender.close();
  await place.remove();
}

function perCommit({ commits, rows, bytes } = ASSUMED_FOOTPRINT) {
  const whole = Math.round(commits);
  return {
    commits: whole,
    // Rather a row less than ours.
    rowsPerCommit: Math.max(1, Math.floor(rows / whole)),
    bytesPerCommit: Math.round(bytes / whole),
  };
}
