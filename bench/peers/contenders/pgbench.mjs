import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/**
 * Seconds of a slice. The time to connect is part of them, though not of the result, so many connections get more. On a busy machine even
 * these may end before the first transaction.
 */
const [SLICE_S, MANY_S, BUSY_S] = [1, 2, 15];

/**
 * `pgbench` of Debian's package `postgresql`: a transaction of its script is one cycle with as many commits, rows and bytes as ours, prepared,
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
      const usual = inFlight === 1 ? SLICE_S : MANY_S;
      const cyclesPerSecond = async (seconds = usual) => {
        const clients = ['-c', String(inFlight), '-j', '1', '-T', String(seconds)];
        const { stdout } = await run('pgbench', ['-n', '-M', 'prepared', '-f', script, ...clients, url]);
        const found = /tps = ([\d.]+) \(without initial/.exec(stdout)?.[1];
        if (found !== undefined) return Number(found);
        if (seconds === usual) return cyclesPerSecond(BUSY_S);
        throw new Error(`pgbench made no transaction within ${seconds} s.`);
      };
      return { warmUp: () => cyclesPerSecond(), slice: () => cyclesPerSecond() };
    },
  };
}
