import { migratePostgres } from '../../store/postgres/index.ts';
import { migrateSqlite } from '../../store/sqlite/index.ts';
import type { Call, Command } from '../command.ts';
import { databaseOf, DB_FLAGS, isPostgres, shownDatabase } from '../open-store.ts';
import { progress } from '../terminal.ts';

/** Brings a database to the schema of this version; opening a store does the same. */
export const migrate: Command = {
  usage: 'migrate [--db …]',
  summary: 'brings the database to the schema of this version, and keeps a backup of an earlier one',
  flags: { json: { type: 'boolean', help: 'as JSON, for programs' }, ...DB_FLAGS },
  async run(call) {
    const backup = await migrateDatabase(call);
    const database = shownDatabase(call);
    const kept = backup === undefined ? {} : { backup };
    const sentence = backup === undefined ? '' : `It is as it was in ${backup}.\n`;
    call.terminal.out(
      call.has('json')
        ? `${JSON.stringify({ database, upToDate: true, ...kept })}\n`
        : `${database} is up to date.\n${sentence}`,
    );
    return 0;
  },
};

/** Gives where the database is kept as it was, if its schema was changed. */
async function migrateDatabase(call: Call): Promise<string | undefined> {
  const database = databaseOf(call);
  const schema = call.flag('schema');
  const bar = progress(call.terminal, 'rows moved');
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) =>
    bar.set(done, total);
  try {
    const migrated = isPostgres(database)
      ? await migratePostgres(database, { onProgress, ...(schema === undefined ? {} : { schema }) })
      : await migrateSqlite(database, { onProgress });
    return migrated.backup;
  } finally {
    bar.end();
  }
}
