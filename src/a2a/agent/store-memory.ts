import type { JsonObject } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { Row, RowKey, Store } from '../../store/index.ts';
import type { A2aMemory, TaskMemory, ThreadMemory } from './a2a-memory.ts';

/**
 * The memory in a store: one row for the thread and one for each task, under the thread, so that both go when it is
 * removed. They are rows of the table `files`: of the tables that belong to a thread it is the one that no run reads as a
 * whole, and what has no `data` is not taken for an upload.
 */
export function storeMemory(store: Store, agent: string): A2aMemory {
  const place = (key: ThreadKey, name: string): RowKey => ({ ...key, id: `a2a:${agent}:${name}` });
  const read = async (key: RowKey): Promise<Row | undefined> => (await store.get('files', [key]))[0];
  const write = async (key: RowKey, value: object, expect: number): Promise<boolean> => {
    const doc = JSON.parse(JSON.stringify({ value })) as JsonObject;
    const index = { status: 'a2a', agent };
    return (await store.commit({ puts: [{ table: 'files', key, doc, index, expect }] })).ok;
  };
  return {
    async readThread(key) {
      const row = await read(place(key, 'thread'));
      if (row === undefined) return { value: { tasks: [], sent: [] }, version: 0 };
      return { value: row.doc['value'] as unknown as ThreadMemory, version: row.version };
    },
    async readTask(key, taskId) {
      const row = await read(place(key, `task:${taskId}`));
      if (row === undefined) return undefined;
      return { value: row.doc['value'] as unknown as TaskMemory, version: row.version };
    },
    writeThread: (key, value, expect) => write(place(key, 'thread'), value, expect),
    writeTask: (key, value, expect) => write(place(key, `task:${value.taskId}`), value, expect),
  };
}
