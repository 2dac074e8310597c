/** A process that does what `holdpoint restore` does. Its parent may kill it. */
import { restoreSqlite } from 'holdpoint/store/sqlite';
import { markRestored } from '../../src/ledger/index.ts';

export interface RestorePlan {
  readonly backup: string;
  readonly path: string;
}

await restoreSqlite({
  ...(JSON.parse(process.argv[2] ?? '{}') as RestorePlan),
  prepare: async (store) => void (await markRestored(store)),
});
