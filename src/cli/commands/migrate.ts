import { defined } from '../../core/index.ts';
import { migratePostgres } from '../../store/postgres/index.ts';
import { migrateSqlite } from '../../store/sqlite/index.ts';
import type { Call, Command } from '../command.ts';
import { databaseOf, DB_FLAGS, isPostgres, shownDatabase } from '../open-store.ts';
import { progress } from '../terminal.ts';

/** Migrates a database to the schema of this version. Opening a store does the same. */
export const migrate: Command = {
  usage: 'migrate [--db …]',
  summary: 'brings the database to the schema of this version and keeps a backup of the earlier one',
  flags: { json: { type: 'boolean', help: 'JSON output' }, ...DB_FLAGS },
  async run(call) {
    const backup = await migrateDatabase(call);
    const database = shownDatabase(call);
    const sentence = backup === undefined ? '' : `Backup of the earlier version: ${backup}\n`;
    call.terminal.out(
      call.has('json')
        ? `${JSON.stringify({ database, upToDate: true, ...defined({ backup }) })}\n`
        : `${database} is up to date.\n${sentence}`,
    );
    return 0;
  },
};

/** Returns the place of the backup, if the schema was changed. */
async function migrateDatabase(call: Call): Promise<string | undefined> {
  const database = databaseOf(call);
  const schema = call.flag('schema');
  const bar = progress(call.terminal, 'rows moved');
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) =>
    bar.set(done, total);
  try {
    const migrated = isPostgres(database)
      ? await migratePostgres(database, { onProgress, ...defined({ schema }) })
      : await migrateSqlite(database, { onProgress });
    return migrated.backup;
  } finally {
    bar.end();
  }
}
