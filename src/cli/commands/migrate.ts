import type { Command } from '../command.ts';
import { databaseOf, DB_FLAGS, openStore } from '../open-store.ts';

/** Brings a database to the schema of this version; opening a store does the same. */
export const migrate: Command = {
  usage: 'migrate [--db …]',
  summary: 'brings the database to the schema of this version',
  flags: DB_FLAGS,
  async run(call) {
    const store = await openStore(call);
    await store.close();
    call.terminal.out(`${databaseOf(call)} is up to date.\n`);
    return 0;
  },
};
