import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Seconds, with the time to connect. On a busy machine a slice may end before its first transaction, and gets more time. */
const [SLICE_S, BUSY_SLICE_S] = [1, 5];

/**
 * `pgbench` of Debian's postgresql-contrib: a transaction of its script is one cycle with as many commits, rows and bytes as ours, prepared,
 * over as many connections as there are cycles in flight.
 */
export async function pgbench({ url, folder, pool }, { commits, rowsPerCommit, bytesPerCommit }) {
  await run('pgbench', ['--version']).catch((cause) => {
    throw new Error('pgbench is not installed', { cause });
  });
  await pool.query(
    'CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, doc text NOT NULL)',
  );
  const bytes = Math.round(bytesPerCommit / rowsPerCommit);
  const commit = `INSERT INTO bare (doc) SELECT repeat('x', ${bytes}) FROM generate_series(1, ${rowsPerCommit});`;
  const script = join(folder, 'cycle.sql');
  await writeFile(script, `${Array.from({ length: commits }, () => commit).join('\n')}\n`);
  return {
    createLoad({ inFlight = 1 }) {
      const cyclesPerSecond = async (seconds = SLICE_S) => {
        const clients = ['-c', String(inFlight), '-j', '1', '-T', String(seconds)];
        const { stdout } = await run('pgbench', ['-n', '-M', 'prepared', '-f', script, ...clients, url]);
        const found = /tps = ([\d.]+) \(without initial/.exec(stdout)?.[1];
        if (found !== undefined) return Number(found);
        if (seconds === SLICE_S) return cyclesPerSecond(BUSY_SLICE_S);
        throw new Error(`pgbench made no transaction within ${seconds} s.`);
      };
      return { warmUp: () => cyclesPerSecond(), slice: () => cyclesPerSecond() };
    },
  };
}
