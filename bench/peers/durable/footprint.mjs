import { rowsOfPostgres, walOfPostgres } from './postgres-probe.mjs';
import { runCycle } from './run-cycle.mjs';
import { rowsOfSqlite, walOfSqlite } from './sqlite-probe.mjs';
import { threadsOf } from './threads.mjs';

/**
 * Cycles before something is counted, and those that are counted, each time. Ours files what 256 commits wrote at once: so
 * many that it does so as often as it has to.
 */
const BEFORE = 64;
const COUNTED = 64;

/**
 * What one cycle writes: commits and bytes of the write-ahead log, then rows and the bytes of their columns. They are
 * counted one after the other, since the triggers that count rows write too.
 */
export async function footprint(contender, { place, turns }) {
  const threads = threadsOf(contender, turns, BEFORE + 2 * COUNTED);
  const cycles = async (count) => {
    for (let done = 0; done < count; done += 1) await runCycle(contender, await threads.next());
  };
  await cycles(BEFORE);
  const work = () => cycles(COUNTED);
  const sqlite = place.file !== undefined;
  const wal = await (sqlite
    ? walOfSqlite(contender, { file: place.file, work })
    : walOfPostgres(place.pool, work));
  const rows = await (sqlite ? rowsOfSqlite(contender, work) : rowsOfPostgres(place.pool, work));
  const counted = Object.entries({ ...wal, ...rows });
  return Object.fromEntries(counted.map(([what, number]) => [what, number / COUNTED]));
}
