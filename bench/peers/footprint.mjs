import { rowsOfPostgres, walOfPostgres } from './postgres-probe.mjs';
import { runCycle, threadsOf } from './load.mjs';
import { rowsOfSqlite, walOfSqlite } from './sqlite-probe.mjs';

/** Cycles that are counted each time, unless a contender puts off some of what it writes for longer. */
const COUNTED = 5;

/**
 * What one cycle writes: commits and bytes of the write-ahead log, then rows and the bytes of their columns. They are
 * counted one after the other, since the triggers that count rows write too.
 */
export async function footprint(contender, { place, turns }) {
  const { putsOffFor: counted = COUNTED } = contender;
  // As many before, so that what was put off by then is part of what is counted.
  const threads = threadsOf(contender, turns, 3 * counted);
  const cycles = async (count) => {
    for (let done = 0; done < count; done += 1) await runCycle(contender, await threads.next());
  };
  await cycles(counted);
  const work = () => cycles(counted);
  const sqlite = place.file !== undefined;
  const wal = await (sqlite
    ? walOfSqlite(contender, { file: place.file, work })
    : walOfPostgres(place.pool, work));
  const rows = await (sqlite ? rowsOfSqlite(contender, work) : rowsOfPostgres(place.pool, work));
  const found = Object.entries({ ...wal, ...rows });
  return Object.fromEntries(found.map(([what, number]) => [what, number / counted]));
}
