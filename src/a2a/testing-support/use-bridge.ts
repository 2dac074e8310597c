/** Servers and threads of a test file. Closes them after each test and expects that no AG-UI id has reached a server. */
import type { A2ARequestHandler, AgentExecutor } from '@a2a-js/sdk/server';
import { afterEach, expect } from 'vitest';
import type { Agent } from '../../engine/index.ts';
import type { A2aAgent, A2aAgentOptions } from '../index.ts';
import { a2aAgent } from '../index.ts';
import type { A2aServer, A2aServerOptions } from './a2a-server.ts';
import { startA2aServer } from './a2a-server.ts';
import type { TestThread } from './thread.ts';
import { testThread } from './thread.ts';

/** Short waiting times for tests. */
export const FAST = { pollMs: 20, drainMs: 40 };

type Options = Omit<A2aAgentOptions, 'url' | 'card' | 'client'>;

export interface BridgeTools {
  serve(executor: Parameters<typeof startA2aServer>[0], options?: A2aServerOptions): Promise<A2aServer>;
  bridge(server: { readonly url: string }, options?: Options): A2aAgent;
  open(agent: Agent, id?: string): TestThread;
  /** Adds AG-UI ids that must not reach a server. */
  forbid(...ids: readonly string[]): void;
  /** Starts a server, an `a2aAgent` and a thread. */
  start(
    agent: AgentExecutor | A2ARequestHandler,
    options?: Options & A2aServerOptions,
  ): Promise<{ server: A2aServer; thread: TestThread; agent: A2aAgent }>;
}

export function useBridge(): BridgeTools {
  const servers: A2aServer[] = [];
  const threads: TestThread[] = [];
  const forbidden: string[] = [];
  afterEach(async () => {
    const requests = servers.flatMap((server) => server.requests);
    const ids = [...threads.flatMap((thread) => [...thread.ids]), ...forbidden.splice(0)];
    const leaked = ids.filter((id) => requests.some((request) => request.includes(id)));
    await Promise.all(servers.splice(0).map((server) => server.close()));
    threads.splice(0);
    expect(leaked).toEqual([]);
  });
  const tools: BridgeTools = {
    async serve(executor, options) {
      const server = await startA2aServer(executor, options);
      servers.push(server);
      return server;
    },
    bridge: ({ url }, { timing, ...options } = {}) =>
      a2aAgent({ ...options, url, timing: { ...FAST, ...timing } }),
    forbid: (...ids) => void forbidden.push(...ids),
    open(agent, id) {
      const thread = testThread(agent, id);
      threads.push(thread);
      return thread;
    },
    async start(executor, options = {}) {
      const server = await tools.serve(executor, options);
      const { streaming: _card, ...rest } = options;
      const agent = tools.bridge(server, rest);
      return { server, agent, thread: tools.open(agent) };
    },
  };
  return tools;
}
