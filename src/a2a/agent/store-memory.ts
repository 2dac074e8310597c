import { agentMemoryRows } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import type { A2aMemory, TaskMemory, ThreadMemory } from './a2a-memory.ts';

/** The memory in a store: a value for the thread and one for each task, which go when the thread is removed. */
export function storeMemory(store: Store, agent: string): A2aMemory {
  const rows = agentMemoryRows(store, 'a2a', agent);
  return {
    async readThread(key) {
      const row = await rows.read(key, 'thread');
      if (row === undefined) return { value: { tasks: [], sent: [] }, version: 0 };
      return { value: row.value as unknown as ThreadMemory, version: row.version };
    },
    async readTask(key, taskId) {
      const row = await rows.read(key, `task:${taskId}`);
      if (row === undefined) return undefined;
      return { value: row.value as unknown as TaskMemory, version: row.version };
    },
    writeThread: (key, value, expect) => rows.write(key, 'thread', { value, expect }),
    writeTask: (key, value, expect) => rows.write(key, `task:${value.taskId}`, { value, expect }),
  };
}
