import { HoldpointError } from '../../core/index.ts';
import { markRestored } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import { restoreSqlite } from '../../store/sqlite/index.ts';
import type { Call, Command } from '../command.ts';
import { databaseOf, DB_FLAGS, isPostgres, openStore, shownDatabase } from '../open-store.ts';
import { progress } from '../terminal.ts';

/** Puts a backup in the place of a database, and marks what it cannot know. */
export const restore: Command = {
  usage: 'restore <backup> [--db …]',
  summary: 'puts a backup in the place of the database; what it waits for needs a person again',
  flags: { json: { type: 'boolean', help: 'as JSON, for programs' }, ...DB_FLAGS },
  async run(call) {
    const [backup] = call.words;
    const database = databaseOf(call);
    if (isPostgres(database) !== (backup === undefined)) {
      throw new HoldpointError(
        'INPUT_INVALID',
        isPostgres(database)
          ? 'Restore PostgreSQL with its own tools first, and then run `holdpoint restore --db postgres://…` without a backup.'
          : 'Say which file to restore: holdpoint restore <backup>.',
      );
    }
    const { marked, replaced } = await restoreDatabase(call, database, backup);
    const kept = replaced === undefined ? {} : { replaced };
    const sentence = replaced === undefined ? '' : `The file that was there is ${replaced}.\n`;
    call.terminal.out(
      call.has('json')
        ? `${JSON.stringify({ database: shownDatabase(call), marked, ...kept })}\n`
        : `${shownDatabase(call)} is restored. ${marked} threads wait for a person: their calls may already have run.\n${sentence}`,
    );
    return 0;
  },
};

async function restoreDatabase(call: Call, database: string, backup: string | undefined) {
  const bar = progress(call.terminal, 'threads looked at');
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
