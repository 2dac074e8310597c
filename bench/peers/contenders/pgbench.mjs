import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const [WARM_UP_S, SLICE_S] = [1, 1];

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
      const cyclesPerSecond = async (seconds) => {
        const clients = ['-c', String(inFlight), '-j', '1', '-T', String(seconds)];
        const { stdout } = await run('pgbench', ['-n', '-M', 'prepared', '-f', script, ...clients, url]);
        const found = /tps = ([\d.]+) \(without initial/.exec(stdout)?.[1];
        if (found === undefined) throw new Error(stdout);
        return Number(found);
      };
      return { warmUp: () => cyclesPerSecond(WARM_UP_S), slice: () => cyclesPerSecond(SLICE_S) };
    },
  };
}
