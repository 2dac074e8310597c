/** Hosts with one A2A agent on one store with a manual clock; they sweep only on request. Closes them after each test. */
import { randomUUID } from 'node:crypto';
import { afterEach } from 'vitest';
import type { HostOptions } from '../../host/index.ts';
import { createHost } from '../../host/index.ts';
import type { Answered, HostClient, Told } from '../../host/testing-support/host-client.ts';
import { createHostClient, eventually } from '../../host/testing-support/host-client.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import type { A2aAgent } from '../index.ts';
import type { BridgeTools } from './use-bridge.ts';

export const THREAD = 'agui-t';

export interface TestHost {
  readonly client: HostClient;
  close(withinMs?: number): Promise<void>;
  /** The open interrupts. */
  open(): Promise<readonly Interrupt[]>;
  /** Runs with a message. */
  ask(say?: string): Promise<Told>;
  resume(entries: readonly ResumeEntry[], say?: string): Promise<Told>;
  /** The stored status of the thread. */
  status(): Promise<string | undefined>;
  /** Waits for a stored status. */
  until(status: string): Promise<void>;
  shown(): Promise<Told>;
  /** The texts of the thread. */
  texts(): Promise<readonly unknown[]>;
  /** Answers in the inbox. */
  reply(id: string | undefined, payload: unknown): Promise<Answered>;
  /** Moves the clock and sweeps. */
  later(milliseconds: number): Promise<void>;
  history(id: string | undefined): Promise<readonly { what: string; by?: string; reason?: string }[]>;
}

export interface World {
  readonly store: Store;
  hostOf(agent: A2aAgent, options?: Partial<HostOptions>): TestHost;
}

export function useHosts({ forbid }: Pick<BridgeTools, 'forbid'>): () => World {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  return () => {
    const time = { value: Date.parse('2026-01-01T00:00:00Z') };
    const store = memoryStore({ clock: { now: () => time.value } });
    const hostOf: World['hostOf'] = (agent, options = {}) => {
      const host = createHost({
        logger: false,
        agents: { assistant: agent },
        store,
        sweepMs: 0,
        ...options,
      });
      closers.push(() => host.close({ withinMs: 100 }));
      const client = createHostClient(host.fetch);
      forbid('agui-');
      const messageId = () => `agui-m-${randomUUID()}`;
      const status = async () => {
        const [row] = await store.get('threads', [{ scope: 'default', thread: THREAD, id: '' }]);
        return row?.index.status;
      };
      const shown = () => client.run({ thread: THREAD, path: '/connect' });
      return {
        client,
        close: (withinMs = 0) => host.close({ withinMs }),
        async open() {
          const { body } = await client.get('/interrupts');
          return (body.interrupts as { interrupt: Interrupt }[]).map(({ interrupt }) => interrupt);
        },
        ask: (say = 'go') => client.run({ thread: THREAD, say, messageId: messageId() }),
        resume: (resume, say) =>
          client.run({
            thread: THREAD,
            resume,
            ...(say === undefined ? {} : { say, messageId: messageId() }),
          }),
        status,
        until: (wanted) => eventually(async () => (await status()) === wanted),
        shown,
        texts: async () => (await shown()).messages.map(({ content }) => content),
        reply: (id, payload) =>
          client.post(`/threads/${THREAD}/interrupts/${id}/answer`, { status: 'resolved', payload }),
        async later(milliseconds) {
          time.value += milliseconds;
          await host.sweep();
        },
        async history(id) {
          const { body } = await client.get(`/threads/${THREAD}/interrupts/${id}/history`);
          return body.history;
        },
      };
    };
    return { store, hostOf };
  };
}
