import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defined, messageOf } from '../../core/index.ts';
import { inspectPostgres } from '../../store/postgres/index.ts';
import type { InspectedPostgres } from '../../store/postgres/index.ts';
import { inspectSqlite } from '../../store/sqlite/index.ts';
import type { Problem } from '../check-setting.ts';
import { checkDatabase, checkToken, checkUrl } from '../check-setting.ts';
import type { Call, Command } from '../command.ts';
import { realModel } from '../demo/real-model.ts';
import { databaseOf, DB_FLAGS, isMissing, isPostgres, shownDatabase } from '../open-store.ts';
import { paint, plural } from '../terminal.ts';

/** The result of one check. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly says: string;
  /** The next step; absent if the check passed. */
  readonly next?: string;
}

/** Checks everything that a host needs and prints a next step for each problem. */
export const doctor: Command = {
  usage: 'doctor [--db …]',
  summary: 'checks Node, the settings, the database, its schema and its clock, and names the next steps',
  flags: { json: { type: 'boolean', help: 'JSON output' }, ...DB_FLAGS },
  async run(call) {
    const { terminal } = call;
    const findings = [
      nodeFinding(),
      ...(await settingFindings(process.env, process.cwd())),
      await driverFinding(databaseOf(call)),
      ...(await databaseFindings(call)),
    ];
    if (call.has('json')) terminal.out(`${JSON.stringify(findings)}\n`);
    else {
      for (const { what, ok, says, next } of findings) {
        const mark = ok ? paint(terminal, 'green', 'ok  ') : paint(terminal, 'red', 'bad ');
        terminal.out(`${mark} ${what.padEnd(15)} ${says}\n${next === undefined ? '' : `     ${next}\n`}`);
      }
    }
    return findings.every(({ ok }) => ok) ? 0 : 1;
  },
};

function good(what: string, says: string): Finding {
  return { what, ok: true, says };
}

function bad(what: string, says: string, next: string): Finding {
  return { what, ok: false, says, next };
}

function nodeFinding(): Finding {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  return isNew ? good('node', node) : bad('node', node, 'Install Node 20.19 or newer.');
}

/** Checks the form of the `HOLDPOINT_` variables, and loads the provider of the model. The findings contain no secret. */
export async function settingFindings(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<readonly Finding[]> {
  const settingFinding = (name: string, check: (value: string) => Problem | undefined): Finding => {
    const value = environment[name];
    if (value === undefined) return good(name, 'not set');
    const problem = check(value);
    return problem === undefined ? good(name, 'valid') : bad(name, problem.says, problem.next);
  };
  return [
    settingFinding('HOLDPOINT_DB', checkDatabase),
    settingFinding('HOLDPOINT_URL', checkUrl),
    settingFinding('HOLDPOINT_TOKEN', checkToken),
    await modelFinding(environment['HOLDPOINT_MODEL'], folder),
  ];
}

async function modelFinding(name: string | undefined, folder: string): Promise<Finding> {
  const what = 'HOLDPOINT_MODEL';
  if (name === undefined) return good(what, 'not set; the demo uses its built-in model');
  try {
    await realModel(name, folder);
    return good(what, `${name}; its provider loads`);
  } catch (error) {
    return bad(what, `${name === '' ? 'an empty name' : name} cannot be used`, messageOf(error));
  }
}

/** Loads the database drivers. */
export interface DriverLoaders {
  readonly libsql: () => Promise<unknown>;
  readonly pg: () => Promise<unknown>;
}

const LOADERS: DriverLoaders = { libsql: () => import('libsql'), pg: () => import('pg') };

/** Checks that the driver of this kind of database loads. The other driver may be missing. */
export async function driverFinding(database: string, loaders = LOADERS): Promise<Finding> {
  const [name, kind] = isPostgres(database)
    ? (['pg', 'PostgreSQL'] as const)
    : (['libsql', 'SQLite'] as const);
  try {
    await loaders[name]();
    return good(name, 'loads');
  } catch (error) {
    const [sentence = ''] = messageOf(error).split('\n');
    return bad(name, sentence, `Run \`npm install ${name}\` in this folder; ${kind} needs it.`);
  }
}

/** Checks that the database exists and opens, its schema, its clock and its failed threads. Writes nothing. */
async function databaseFindings(call: Call): Promise<readonly Finding[]> {
  const database = databaseOf(call);
  const folder = isPostgres(database) ? [] : [folderFinding(database)];
  if (isMissing(database)) {
    const next = 'Create it with `holdpoint migrate` or `holdpoint demo`, or give another --db.';
    return [...folder, bad('database', `there is no database at ${database}`, next)];
  }
  try {
    const found = isPostgres(database)
      ? await inspectPostgres(database, defined({ schema: call.flag('schema') }))
      : { ...inspectSqlite(database), skewMs: 0 };
    const opens = schemaFinding(shownDatabase(call), found);
    return [
      ...folder,
      opens,
      ...('isolation' in found ? hostFindings(found) : []),
      clockFinding(found.skewMs),
      threadsFinding(found.failedThreads),
    ];
  } catch (error) {
    const next = isPostgres(database)
      ? 'Check the address and the user, and that PostgreSQL runs.'
      : 'Check the path and its permissions.';
    return [...folder, bad('database', messageOf(error), next)];
  }
}

function folderFinding(database: string): Finding {
  const folder = dirname(resolve(database));
  try {
    accessSync(folder, constants.W_OK);
    return good('folder', `${folder} is writable`);
  } catch {
    return bad('folder', `${folder} is not writable`, 'Change its permissions, or give another --db.');
  }
}

function schemaFinding(
  database: string,
  { version, isCurrent }: { readonly version: number; readonly isCurrent: boolean },
): Finding {
  if (isCurrent) return good('database', `${database} opens; its schema is current`);
  const says = version === 0 ? 'has no schema yet' : `has the earlier schema version ${version}`;
  return bad(
    'database',
    `${database} opens; it ${says}`,
    'Run `holdpoint migrate`, or start a host: both migrate it.',
  );
}

/** Whether hosts can do with this PostgreSQL, or its pooler, what they need. */
function hostFindings({
  isolation,
  isReadOnly,
  keepsNames,
  hearsChanges,
}: InspectedPostgres): readonly Finding[] {
  return [
    isReadOnly
      ? bad('writes', 'refused: the server is a standby or read-only', 'Give the address of the primary.')
      : good('writes', 'allowed'),
    isolation === 'read committed'
      ? good('isolation', isolation)
      : bad('isolation', isolation, 'Set default_transaction_isolation to "read committed".'),
    good(
      'statements',
      keepsNames
        ? 'prepared once on each connection'
        : 'prepared each time: a pooler does not keep their names',
    ),
    ...(hearsChanges === undefined
      ? []
      : [
          good(
            'changes',
            hearsChanges
              ? 'heard by LISTEN'
              : 'polled every 250 ms: LISTEN hears nothing here, as behind a pooler in transaction mode',
          ),
        ]),
  ];
}

/** Milliseconds that the clocks of this process and the database may differ. */
const MAX_SKEW_MS = 2000;

function clockFinding(skew: number): Finding {
  if (skew < MAX_SKEW_MS) return good('clock', `differs from the database by ${Math.round(skew)} ms`);
  const next = 'Synchronise both machines with NTP. Leases use the clock of the database.';
  return bad('clock', `differs from the database by ${Math.round(skew / 1000)} s`, next);
}

function threadsFinding(failed: number): Finding {
  if (failed === 0) return good('threads', 'no failed threads');
  const next = 'POST /threads/<id>/continue tries a thread again.';
  return bad('threads', `${plural(failed, 'thread')} failed five times and will not be retried`, next);
}
