import { pruneThreads } from '../../src/ledger/index.ts';
import { backUp, execute as executeInFile } from '../../src/store/sqlite/testing-support/execute.ts';
import type { Store } from '../../src/store/index.ts';
import type { StorePlace } from './store-place.ts';

export interface MaintainedStore extends StorePlace {
  readonly store: Store;
}

/** What an operator does to a store while processes work on it. */
export interface Maintenance {
  /**
   * Trims a log and commits a row at the same moment, so that both share a transaction with any commit that is queued
   * then. Resolves when the row is acknowledged.
   */
  trimAndKeep(id: string): Promise<void>;
  prune(olderThanMs: number): Promise<void>;
  /** SQLite: empties the write-ahead log into the file. PostgreSQL: a checkpoint. */
  checkpoint(): Promise<void>;
  /** SQLite: writes a copy of the file to this path (`VACUUM INTO`). PostgreSQL: vacuums. */
  backup(path: string): Promise<void>;
}

export const KEPT = { scope: 'maintenance', thread: 'kept' } as const;

export function createMaintenance({ kind, place, store }: MaintainedStore): Maintenance {
  const execute = async (sqlite: string, postgres: string): Promise<void> => {
    if (kind === 'sqlite') return executeInFile(place, sqlite);
    const { Client } = await import('pg');
    const client = new Client({ connectionString: place });
    await client.connect();
    await client.query(postgres);
    await client.end();
  };
  return {
    async trimAndKeep(id) {
      const log = { log: 'events', ...KEPT } as const;
      const [, { ok }] = await Promise.all([
        store.trim({ ...log, through: 1 }),
        store.commit({
          puts: [{ table: 'runs', key: { ...KEPT, id }, doc: {}, expect: 0 }],
          appends: [{ ...log, items: [id] }],
        }),
      ]);
      if (!ok) throw new Error(`The row ${id} is already there.`);
    },
    prune: async (olderThanMs) => void (await pruneThreads(store, { olderThanMs })),
    checkpoint: () => execute('PRAGMA wal_checkpoint(TRUNCATE)', 'CHECKPOINT'),
    backup: async (path) => (kind === 'sqlite' ? backUp(place, path) : execute('', 'VACUUM')),
  };
}
