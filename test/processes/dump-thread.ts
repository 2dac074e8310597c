import type { LogName, Store, TableName } from '../../src/store/index.ts';

const TABLES: readonly TableName[] = [
  'threads',
  'runs',
  'interrupts',
  'executions',
  'grants',
  'secrets',
  'files',
];
const LOGS: readonly LogName[] = ['messages', 'history', 'events'];

/** All rows of a thread, with their versions. */
export async function dumpThread(
  store: Store,
  key: { readonly scope: string; readonly thread: string },
): Promise<Readonly<Record<string, unknown>>> {
  const tables = TABLES.map(async (table) => {
    const { rows, next } = await store.list({ table, ...key, limit: 1000 });
    if (next !== undefined) throw new Error(`The thread has more than 1,000 rows in ${table}.`);
    return [table, rows] as const;
  });
  const logs = LOGS.map(async (log) => [log, await store.read({ log, ...key, limit: 10_000 })] as const);
  return Object.fromEntries(await Promise.all([...tables, ...logs]));
}
