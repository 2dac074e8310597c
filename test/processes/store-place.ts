import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import type { Store } from '../../src/store/index.ts';

/** A store that several processes open. */
export interface StorePlace {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  readonly schema?: string;
}

export function openPlace({ kind, place, schema }: StorePlace): Store {
  if (kind === 'sqlite') return sqliteStore(place);
  return postgresStore(place, schema === undefined ? {} : { schema });
}
