import type { Client } from '../src/client/index.ts';
import { createClient } from '../src/client/index.ts';
import { defined } from '../src/core/index.ts';
import { browserStorage, toWords, translate } from '../src/elements/index.ts';
import type { Role } from './role.ts';
import { chosenRole, roleHeaders } from './role.ts';
import { BASE_PATH } from './router.ts';

/** An agent of the host. */
export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Messages to start with. */
  readonly suggestions: readonly string[];
  /** People to play, in the demo. */
  readonly roles: readonly Role[];
}

export interface ThreadInfo {
  readonly threadId: string;
  readonly agent: string;
  readonly status: string;
  readonly title?: string;
  readonly createdAt: string;
}

/** Which conversations to list. */
export interface ThreadQuery {
  /** Part of the title. */
  readonly text?: string;
  readonly cursor?: string | undefined;
}

export interface ThreadPage {
  readonly threads: readonly ThreadInfo[];
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/** A remembered decision. */
export interface GrantInfo {
  readonly id: string;
  /** Absent for a grant of an older version, which no longer applies. */
  readonly agent?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly threadId?: string;
  readonly principalId?: string;
  /** True if the viewer is the principal for whom it is. */
  readonly forYou?: boolean;
  /** The principal who gave it. */
  readonly givenBy?: string;
  /** True if the viewer gave it. */
  readonly givenByYou?: boolean;
  /** Milliseconds since the epoch. */
  readonly until?: number;
  readonly maxUses?: number;
  readonly maxTotal?: number;
  readonly used?: number;
  readonly spent?: number;
}

/** The host that served this page. */
export interface HostApi {
  agents(): Promise<readonly { readonly id: string; readonly name?: string }[]>;
  agent(id: string): Promise<AgentInfo>;
  /** A page of the conversations, the newest first. */
  threads(query: ThreadQuery): Promise<ThreadPage>;
  renameThread(threadId: string, title: string): Promise<void>;
  removeThread(threadId: string): Promise<void>;
  /** Deletes a conversation of the caller, and the values of its history. */
  eraseThread(threadId: string): Promise<void>;
  grants(): Promise<readonly GrantInfo[]>;
  /** Returns the client of an agent; each agent has one for the life of the page. */
  client(agent: string): Client;
  /** The server's time in milliseconds. */
  readonly now: () => number;
}

/** The host does not know the viewer. */
export class SignedOutError extends Error {
  /** The address where the viewer signs in and comes back; undefined if the host names none. */
  readonly signIn: string | undefined;

  constructor(signIn: string | undefined) {
    super(translate('You are not signed in'));
    this.signIn = signIn;
  }
}

/** The address of the option `signIn` of the host. Only an address of the web is followed. */
async function signInOf(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => ({}))) as {
    readonly error?: { readonly signIn?: unknown };
  };
  const { signIn } = body.error ?? {};
  if (typeof signIn !== 'string') return undefined;
  const here = location.pathname + location.search;
  const address = new URL(signIn.replaceAll('{path}', encodeURIComponent(here)), location.href);
  return /^https?:$/.test(address.protocol) ? address.href : undefined;
}

/** Milliseconds of clock difference to ignore: the date header has whole seconds. */
const SMALL_SKEW = 2000;

export function createHostApi(): HostApi {
  const clients = new Map<string, Client>();
  let skew = 0;
  const ask = async (path: string, method = 'GET', content: object = {}): Promise<unknown> => {
    // The host accepts a body only as JSON.
    const hasBody = method === 'POST' || method === 'PATCH';
    const json = hasBody ? { 'content-type': 'application/json' } : {};
    const body = hasBody ? { body: JSON.stringify(content) } : {};
    const headers = { accept: 'application/json', ...roleHeaders(), ...json };
    const response = await fetch(BASE_PATH + path, { method, headers, ...body });
    const ahead = Date.parse(response.headers.get('date') ?? '') - Date.now();
    if (!Number.isNaN(ahead)) skew = Math.abs(ahead) < SMALL_SKEW ? 0 : ahead;
    if (response.status === 401) throw new SignedOutError(await signInOf(response));
    if (!response.ok)
      throw new Error(
        translate('The server answered {0} with status {1}. Reload the page.', path, response.status),
      );
    return response.status === 204 || response.status === 202 ? undefined : response.json();
  };
  const thread = (id: string) => `/threads/${encodeURIComponent(id)}`;
  return {
    now: () => Date.now() + skew,
    // The shapes of the host's own routes are known.
    agents: async () => ((await ask('/agents')) as { agents: { id: string; name?: string }[] }).agents,
    async agent(id) {
      const info = (await ask(`/agents/${encodeURIComponent(id)}`)) as AgentInfo & {
        readonly metadata?: { readonly suggestions?: unknown; readonly roles?: readonly Role[] };
      };
      const { roles = [] } = info.metadata ?? {};
      const role = roles.find((one) => one.id === chosenRole());
      const listed = role?.suggestions ?? info.metadata?.suggestions ?? info.suggestions;
      const suggestions = Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [];
      return { ...info, name: info.name ?? toWords(id), suggestions, roles };
    },
    async threads({ text = '', cursor }) {
      const query = new URLSearchParams({ order: 'newest', limit: '40' });
      if (text !== '') query.set('text', text);
      if (cursor !== undefined) query.set('cursor', cursor);
      return (await ask(`/threads?${query}`)) as ThreadPage;
    },
    renameThread: async (id, title) => void (await ask(thread(id), 'PATCH', { title })),
    removeThread: async (id) => void (await ask(thread(id), 'DELETE')),
    eraseThread: async (id) => void (await ask(`${thread(id)}/erase`, 'POST', {})),
    async grants() {
      const found: GrantInfo[] = [];
      for (let query: string | undefined = ''; query !== undefined;) {
        const page = (await ask(`/grants${query}`)) as { grants: readonly GrantInfo[]; next?: string };
        found.push(...page.grants);
        query = page.next === undefined ? undefined : `?cursor=${encodeURIComponent(page.next)}`;
      }
      return found;
    },
    client(agent) {
      const known = clients.get(agent);
      if (known !== undefined) return known;
      const client = createClient({
        url: `${BASE_PATH}/agents/${encodeURIComponent(agent)}`,
        ...defined({ storage: browserStorage() }),
        headers: roleHeaders,
        retry: { attempts: 8, baseDelayMs: 300, maxDelayMs: 3000 },
      });
      clients.set(agent, client);
      return client;
    },
  };
}
