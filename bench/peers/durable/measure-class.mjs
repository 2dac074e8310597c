import { ASSUMED_FOOTPRINT, CLASSES, ONE_BY_ONE, SITUATIONS } from './classes.mjs';
import { countFootprints } from './count-footprints.mjs';
import { measure } from './measure.mjs';
import { withContenders } from './start-contender.mjs';
import { footprintTable, heading, rateLines } from './table.mjs';

/** What the contenders of one kind of store write in a cycle, and how many cycles they do in a second. */
export async function measureClass(store, { names, url, print, rounds }) {
  const given = (name, written) => ({ store, name, url, written: perCommit(written) });
  // Nothing is timed here, so it may be done at once. But a server counts what all its databases write.
  const footprints = await countFootprints(names, { given, inTurn: url !== undefined });
  print(footprintTable(footprints));
  const rates = new Map();
  print(`\n${heading(names)}`);
  for (const situation of SITUATIONS) {
    const present = names.filter((name) => name !== 'bare' || situation.turns === 0);
    const written = footprints.get('holdpoint')?.fresh;
    const starting = present.map((name) => ({ ...given(name, written), situation }));
    if (CLASSES[store].oneBesideMany && situation.inFlight > 1 && names.includes('holdpoint')) {
      starting.push({ ...given('holdpoint'), label: ONE_BY_ONE, situation: { ...situation, inFlight: 1 } });
    }
    const line = await withContenders(starting, (opened) =>
      measure(opened, Math.min(rounds, situation.rounds)),
    );
    rates.set(situation.name, line);
    print(rateLines(situation.name, line, names));
  }
  return { rates, footprints };
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
