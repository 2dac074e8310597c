import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../core/index.ts';
import type { Call, Command } from '../command.ts';
import { databaseOf, DB_FLAGS, isMissing, isPostgres, openStore } from '../open-store.ts';
import { paint } from '../terminal.ts';

interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly says: string;
  /** What to do about it. */
  readonly next?: string;
}

/** Looks at everything that has to be right, and says what to do about what is not. */
export const doctor: Command = {
  usage: 'doctor [--db …]',
  summary: 'checks Node, the database, its schema and the clock, and says what to do',
  flags: { json: { type: 'boolean', help: 'as JSON, for programs' }, ...DB_FLAGS },
  async run(call) {
    const findings: Finding[] = [node(), await libsql(), folder(databaseOf(call))];
    if (isMissing(databaseOf(call))) {
      findings.push({
        what: 'database',
        ok: false,
        says: `there is no database at ${databaseOf(call)} yet`,
        next: 'Make it with `holdpoint migrate` or `holdpoint demo`, or give another --db.',
      });
      return tell(call, findings);
    }
    try {
      const store = await openStore(call);
      findings.push({ what: 'database', ok: true, says: `${databaseOf(call)} opens, its schema fits` });
      const before = Date.now();
      const skew = Math.abs((await store.now()) - (before + Date.now()) / 2);
      findings.push(
        skew < 2000
          ? { what: 'clock', ok: true, says: `${Math.round(skew)} ms apart from the database` }
          : {
              what: 'clock',
              ok: false,
              says: `${Math.round(skew / 1000)} s apart from the database`,
              next: 'Set the time of both machines by the network (NTP); leases go by the database.',
            },
      );
      const { rows } = await store.list({ table: 'threads', status: ['failed'], limit: 100 });
      findings.push({
        what: 'threads',
        ok: rows.length === 0,
        says: rows.length === 0 ? 'none was given up' : `${rows.length} were tried five times and given up`,
        ...(rows.length === 0
          ? {}
          : { next: 'Look at them in the inbox; POST /threads/<id>/continue tries again.' }),
      });
      await store.close();
    } catch (error) {
      findings.push({
        what: 'database',
        ok: false,
        says: messageOf(error),
        next: isPostgres(databaseOf(call))
          ? 'Check the address, the user and that it is running.'
          : 'Check the path and who may write there.',
      });
    }
    return tell(call, findings);
  },
};

/** Writes the findings; gives the exit code. */
function tell(call: Call, findings: readonly Finding[]): number {
  const { terminal } = call;
  if (call.has('json')) terminal.out(`${JSON.stringify(findings)}\n`);
  else {
    for (const { what, ok, says, next } of findings) {
      const mark = ok ? paint(terminal, 'green', 'ok  ') : paint(terminal, 'red', 'bad ');
      terminal.out(`${mark} ${what.padEnd(9)} ${says}\n${next === undefined ? '' : `     ${next}\n`}`);
    }
  }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return {
    what: 'node',
    ok,
    says: process.versions.node,
    ...(ok ? {} : { next: 'Install Node 20.19 or newer.' }),
  };
}

async function libsql(): Promise<Finding> {
  try {
    await import('libsql');
    return { what: 'libsql', ok: true, says: 'loads' };
  } catch (error) {
    return {
      what: 'libsql',
      ok: false,
      says: messageOf(error),
      next: 'Run `npm install libsql`; SQLite needs it.',
    };
  }
}

function folder(database: string): Finding {
  if (isPostgres(database)) return { what: 'place', ok: true, says: 'PostgreSQL' };
  const place = dirname(resolve(database));
  try {
    accessSync(place, constants.W_OK);
    return { what: 'place', ok: true, says: `${place} can be written` };
  } catch {
    return { what: 'place', ok: false, says: `${place} cannot be written`, next: 'Give another --db.' };
  }
}
