import type { LogName, TableName } from '../store.ts';
import type { Connection } from './connection.ts';
import type { StoredKey } from './pending.ts';
import { threadText } from './pending.ts';
import { isIn, perTable } from './row-columns.ts';

/** What a commit has to know of a row. */
export interface Found {
  /** 0 for a row that is not there. */
  readonly version: number;
  readonly place: number;
  readonly createdAt: number;
}

const selectRow = perTable<TableName>(
  (table) => `SELECT version, place, created_at FROM rows WHERE ${isIn(table)} AND id = ?3`,
);
const selectLast = perTable<LogName>(
  (log) => `SELECT id FROM rows WHERE ${isIn(log)} ORDER BY id DESC LIMIT 1`,
);
const SELECT_HEAD = 'SELECT next FROM log_heads WHERE scope = ? AND thread = ? AND log = ?';
const SELECT_ANY = `SELECT EXISTS (SELECT 1 FROM rows WHERE scope = ?1 AND thread = ?2)
  OR EXISTS (SELECT 1 FROM log_heads WHERE scope = ?1 AND thread = ?2)`;

/** Threads that are remembered at most. */
const MOST_THREADS = 10_000;

/** What is filed. Remembers of which threads nothing is, until something is filed: a new thread is looked for only once. */
export class Filed {
  readonly #connection: Connection;
  readonly #hasAny = new Map<string, boolean>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Whether anything of a thread is filed. */
  hasAny({ scope, thread }: Pick<StoredKey, 'scope' | 'thread'>): boolean {
    const text = threadText({ scope, thread });
    const known = this.#hasAny.get(text);
    if (known !== undefined) return known;
    const found = this.#connection.number(SELECT_ANY, [scope, thread]) === 1;
    if (this.#hasAny.size >= MOST_THREADS) this.#hasAny.clear();
    this.#hasAny.set(text, found);
    return found;
  }

  /** Something was filed. */
  forget(): void {
    this.#hasAny.clear();
  }

  /** A row; undefined where there is none. */
  find(key: StoredKey & { readonly table: TableName }): Found | undefined {
    if (!this.hasAny(key)) return undefined;
    const columns = this.#connection.row(selectRow(key.table), [key.scope, key.thread, key.id]);
    if (columns === undefined) return undefined;
    const [version, place, createdAt] = columns;
    return { version: Number(version), place: Number(place), createdAt: Number(createdAt) };
  }

  /** The sequence after the last item of a log; when all was trimmed, where it was then. */
  next(key: StoredKey & { readonly table: LogName }): number {
    if (!this.hasAny(key)) return 1;
    const { table, scope, thread } = key;
    const last = this.#connection.value(selectLast(table), [scope, thread]);
    return last === undefined || last === null
      ? Number(this.#connection.value(SELECT_HEAD, [scope, thread, table]) ?? 1)
      : Number(last) + 1;
  }
}
