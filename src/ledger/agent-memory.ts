import type { JsonObject, JsonValue } from '../core/index.ts';
import type { RowKey, Store } from '../store/index.ts';
import { lost } from './lease.ts';
import type { ThreadKey } from './records.ts';
import type { RunSession } from './run-session.ts';

/** A value with the version that a change of it must name. */
export interface RememberedValue {
  readonly value: JsonValue;
  readonly version: number;
}

/** Values that an agent keeps with a thread, by name. They go when the thread is removed. */
export interface AgentMemoryRows {
  read(thread: ThreadKey, name: string): Promise<RememberedValue | undefined>;
  /** False when the value has changed since `expect` was read; 0 says that it is new. */
  write(
    thread: ThreadKey,
    name: string,
    change: { readonly value: unknown; readonly expect: number },
  ): Promise<boolean>;
}

/**
 * The memory of an agent in a store. Its rows are in the table `files`: of the tables that belong to a thread it is the one that
 * no run reads as a whole, and a row without `data` is not an upload.
 */
export function agentMemoryRows(store: Store, kind: string, agent: string): AgentMemoryRows {
  const place = (thread: ThreadKey, name: string): RowKey => ({ ...thread, id: `${kind}:${agent}:${name}` });
  return {
    async read(thread, name) {
      const [row] = await store.get('files', [place(thread, name)]);
      return row === undefined ? undefined : { value: row.doc['value'] ?? null, version: row.version };
    },
    async write(thread, name, { value, expect }) {
      const doc = JSON.parse(JSON.stringify({ value })) as JsonObject;
      const key = place(thread, name);
      const index = { status: kind, agent };
      return (await store.commit({ puts: [{ table: 'files', key, doc, index, expect }] })).ok;
    },
  };
}

/** The memory of the agent of a run: one value, written only while the run has the thread. */
export function openAgentMemory(
  store: Store,
  session: Pick<RunSession, 'lease' | 'assertHeld'>,
  agent: string,
): { read(): Promise<JsonValue | undefined>; write(value: JsonValue): Promise<void> } {
  const rows = agentMemoryRows(store, 'memory', agent);
  const { lease } = session;
  let current: Promise<RememberedValue | undefined> | undefined;
  const read = () => (current ??= rows.read(lease.key, 'value'));
  return {
    read: async () => (await read())?.value,
    async write(value) {
      const expect = (await read())?.version ?? 0;
      session.assertHeld();
      if (!(await rows.write(lease.key, 'value', { value, expect }))) throw lost(lease);
      current = undefined;
    },
  };
}
