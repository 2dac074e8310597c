import { defined, HoldpointError } from '../../core/index.ts';
import { markRestored } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import { restoreSqlite } from '../../store/sqlite/index.ts';
import type { Call, Command } from '../command.ts';
import { databaseOf, DB_FLAGS, isPostgres, openStore, shownDatabase } from '../open-store.ts';
import { plural, progress } from '../terminal.ts';

/** Replaces a database by a backup, and marks the threads whose calls may have run since the backup. */
export const restore: Command = {
  usage: 'restore <backup> [--db …]',
  summary: 'replaces the database by a backup; a person decides about calls that may have run since',
  flags: { json: { type: 'boolean', help: 'JSON output' }, ...DB_FLAGS },
  async run(call) {
    const [backup] = call.words;
    const database = databaseOf(call);
    if (isPostgres(database) !== (backup === undefined)) {
      throw new HoldpointError(
        'INPUT_INVALID',
        isPostgres(database)
          ? 'Restore PostgreSQL with its own tools first. Then run `holdpoint restore --db postgres://…` without a backup file.'
          : 'Give the backup file: holdpoint restore <backup>.',
      );
    }
    const { marked, replaced } = await restoreDatabase(call, database, backup);
    const sentence = replaced === undefined ? '' : `Previous file: ${replaced}\n`;
    call.terminal.out(
      call.has('json')
        ? `${JSON.stringify({ database: shownDatabase(call), marked, ...defined({ replaced }) })}\n`
        : `${shownDatabase(call)} is restored. ${plural(marked, 'thread')} with calls that may already have run: a person decides about them.\n${sentence}`,
    );
    return 0;
  },
};

async function restoreDatabase(call: Call, database: string, backup: string | undefined) {
  const bar = progress(call.terminal, 'threads checked');
  let marked = 0;
  const mark = async (store: Store) => {
    marked = await markRestored(store, { onProgress: ({ looked }) => bar.set(looked) });
  };
  try {
    if (backup !== undefined) {
      const replaced = await restoreSqlite({ backup, path: database, prepare: mark });
      return { marked, replaced };
    }
    const store = await openStore(call);
    try {
      await mark(store);
    } finally {
      await store.close();
    }
    return { marked, replaced: undefined };
  } finally {
    bar.end();
  }
}
