import type { Client } from '../src/client/index.ts';
import { createClient } from '../src/client/index.ts';
import { toWords } from '../src/elements/index.ts';

/** An agent of the host. */
export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** What may be said to it, for a start. */
  readonly suggestions: readonly string[];
}

export interface ThreadInfo {
  readonly threadId: string;
  readonly agent: string;
  readonly status: string;
  readonly title?: string;
  readonly createdAt: string;
}

/** A decision that is remembered. */
export interface GrantInfo {
  readonly id: string;
  /** Absent for a grant of an older version, which does not apply any more. */
  readonly agent?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly threadId?: string;
  readonly principalId?: string;
}

/** The host that served this page. */
export interface HostApi {
  agents(): Promise<readonly { readonly id: string; readonly name?: string }[]>;
  agent(id: string): Promise<AgentInfo>;
  threads(): Promise<readonly ThreadInfo[]>;
  removeThread(threadId: string): Promise<void>;
  cancelRun(threadId: string, runId: string): Promise<void>;
  grants(): Promise<readonly GrantInfo[]>;
  revoke(grantId: string): Promise<void>;
  /** One client for each agent, as long as the page lives. */
  client(agent: string): Client;
  /** The server's time. */
  readonly now: () => number;
}

/** Clocks that differ by less are the same: the header has whole seconds. */
const SMALL_SKEW = 2000;

export function createHostApi(): HostApi {
  const clients = new Map<string, Client>();
  let skew = 0;
  const ask = async (path: string, method = 'GET'): Promise<unknown> => {
    // The host takes JSON only from whoever changes something by POST.
    const json = method === 'POST' ? { 'content-type': 'application/json' } : {};
    const body = method === 'POST' ? { body: '{}' } : {};
    const response = await fetch(path, { method, headers: { accept: 'application/json', ...json }, ...body });
    const ahead = Date.parse(response.headers.get('date') ?? '') - Date.now();
    if (!Number.isNaN(ahead)) skew = Math.abs(ahead) < SMALL_SKEW ? 0 : ahead;
    if (!response.ok) throw new Error(`The server answered ${path} with ${response.status}.`);
    return response.status === 204 || response.status === 202 ? undefined : response.json();
  };
  const thread = (id: string) => `/threads/${encodeURIComponent(id)}`;
  return {
    now: () => Date.now() + skew,
    // The routes of a host of ours: their shapes are known.
    agents: async () => ((await ask('/agents')) as { agents: { id: string; name?: string }[] }).agents,
    async agent(id) {
      const told = (await ask(`/agents/${encodeURIComponent(id)}`)) as AgentInfo & {
        readonly metadata?: { readonly suggestions?: unknown };
      };
      const given = told.metadata?.suggestions ?? told.suggestions;
      const suggestions = Array.isArray(given) ? given.filter((one) => typeof one === 'string') : [];
      return { ...told, name: told.name ?? toWords(id), suggestions };
    },
    threads: async () => ((await ask('/threads?limit=100')) as { threads: ThreadInfo[] }).threads,
    removeThread: async (id) => void (await ask(thread(id), 'DELETE')),
    cancelRun: async (id, run) =>
      void (await ask(`${thread(id)}/runs/${encodeURIComponent(run)}/cancel`, 'POST')),
    grants: async () => ((await ask('/grants')) as { grants: GrantInfo[] }).grants,
    revoke: async (id) => void (await ask(`/grants/${encodeURIComponent(id)}`, 'DELETE')),
    client(agent) {
      const known = clients.get(agent);
      if (known !== undefined) return known;
      const client = createClient({
        url: `/agents/${encodeURIComponent(agent)}`,
        storage: localStorage,
        retry: { attempts: 8, baseDelay: 300, maxDelay: 3000 },
      });
      clients.set(agent, client);
      return client;
    },
  };
}
