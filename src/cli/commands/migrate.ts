import type { Command } from '../command.ts';
import { DB_FLAGS, openStore, shownDatabase } from '../open-store.ts';

/** Brings a database to the schema of this version; opening a store does the same. */
export const migrate: Command = {
  usage: 'migrate [--db …]',
  summary: 'brings the database to the schema of this version',
  flags: { json: { type: 'boolean', help: 'as JSON, for programs' }, ...DB_FLAGS },
  async run(call) {
    const store = await openStore(call);
    await store.close();
    const database = shownDatabase(call);
    call.terminal.out(
      call.has('json') ? `${JSON.stringify({ database, upToDate: true })}\n` : `${database} is up to date.\n`,
    );
    return 0;
  },
};
