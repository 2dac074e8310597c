import type { Approvers } from '../content/interrupts/index.ts';
import { HoldpointError, isRecord } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { AccessRules, Action, MayAnswer, Resource, Visibility } from './access.ts';
import {
  Access,
  assertAllowed,
  RESERVED_IDS,
  hasThreadRules,
  isAllowed,
  isBarredAsAsker,
  ownerOf,
  ScopeAccess,
  threadRow,
  unknownInterrupt,
  unknownThread,
} from './access.ts';
import type { ListedInterrupt } from './list-interrupts.ts';
import { listAllowed, toListed } from './list-interrupts.ts';
import type { InterruptState, Principal, ThreadKey, ThreadRecord } from './records.ts';

/** The approvers of an interrupt, by the interrupt and the id of its agent; undefined for none. */
export type ApproversOf = (
  interrupt: Interrupt,
  agent: string,
) => Approvers | undefined | Promise<Approvers | undefined>;

/** A thread, and the agent of the request if it names one. */
export interface ThreadPlace {
  readonly thread: string;
  readonly agent?: string;
}

/** The permission for a thread, with the row that was checked; undefined for a thread that does not exist. */
export interface ThreadAccess<A extends Action> {
  readonly access: Access<A>;
  readonly thread: ThreadRecord | undefined;
}

/** The permission for one interrupt, with the record that was checked. */
export interface InterruptAccess<A extends Action> {
  readonly access: Access<A>;
  readonly record: ListedInterrupt;
}

/** The permission for the files of a thread. */
export interface FileAccess<A extends Action> {
  readonly access: Access<A>;
  /** The interrupts whose files an approver may see; absent for a principal who sees the whole thread. */
  readonly interrupts?: readonly ListedInterrupt[];
}

/** What a principal may do with an interrupt. */
export interface InterruptRights {
  readonly mayAnswer: boolean;
  /** The principal has asked it, and no run has claimed it yet. */
  readonly mayWithdraw: boolean;
  /** The principal is one of the approvers, and may not answer only because they asked. */
  readonly barredAsAsker: boolean;
}

/** Checks every request and returns the permission that ledger reads and writes take. */
export interface Gate {
  /**
   * The permission for a thread, checked with the agent of the thread and with the requested agent. Throws
   * `FORBIDDEN`, or `THREAD_UNKNOWN` if the principal may not know that the thread exists.
   */
  checkThread<A extends Exclude<Action, 'answer' | 'withdraw'>>(
    principal: Principal,
    action: A,
    place: ThreadPlace,
  ): Promise<Access<A>>;
  /** As `checkThread`, and reads the thread. */
  openThread<A extends Exclude<Action, 'answer' | 'withdraw'>>(
    principal: Principal,
    action: A,
    place: ThreadPlace,
  ): Promise<ThreadAccess<A>>;
  /** The permission for one interrupt. Throws `FORBIDDEN`, `ANSWER_FORBIDDEN` or `INTERRUPT_UNKNOWN`. */
  checkInterrupt<A extends 'read' | 'answer' | 'withdraw'>(
    principal: Principal,
    action: A,
    place: { readonly thread: string; readonly interruptId: string },
  ): Promise<InterruptAccess<A>>;
  /** What the principal may do with an interrupt that they see. */
  rightsTo(principal: Principal, record: ListedInterrupt): Promise<InterruptRights>;
  /**
   * The permission to answer the named interrupts, or all open ones if an id is missing. The asker may also cancel an
   * interrupt of `cancelledIds` without being an approver. The ledger handles unknown ids. Throws `ANSWER_FORBIDDEN`
   * or `INTERRUPT_UNKNOWN`.
   */
  checkAnswers(
    principal: Principal,
    place: ThreadPlace & {
      readonly interruptIds: readonly string[];
      readonly cancelledIds?: readonly string[];
    },
  ): Promise<Access<'answer'>>;
  /**
   * The permission for the files of a thread: of its owner for all of them, of an approver for those of interrupts
   * that they see, and to upload while one of these waits. Throws like `checkThread`.
   */
  checkFiles<A extends 'read' | 'upload'>(
    principal: Principal,
    action: A,
    thread: string,
  ): Promise<FileAccess<A>>;
  /** The permission for the lists of the principal's scope. Throws `FORBIDDEN`. */
  checkScope<A extends 'read' | 'delete'>(principal: Principal, action: A): Promise<ScopeAccess<A>>;
  /** Whether the principal may do something with an agent or a grant. */
  isAllowed(principal: Principal, wanted: Resource & { readonly action: Action }): Promise<boolean>;
}

/** The states of an interrupt that no run has claimed: its answer can still be given or changed. */
const UNCLAIMED: ReadonlySet<InterruptState> = new Set<InterruptState>(['pending', 'answered', 'expired']);

/** The gate of a store. It decides by the rules and the stored rows, not by claims of the client about a thread. */
export function createGate(store: Store, rules: AccessRules = {}): Gate {
  const recordsOf = async (key: ThreadKey, ids: readonly string[]): Promise<ListedInterrupt[]> => {
    const rows = await store.get(
      'interrupts',
      ids.map((id) => ({ ...key, id })),
    );
    return rows.flatMap((row) => (row === undefined ? [] : [toListed(row)]));
  };
  const checkThread: Gate['checkThread'] = async (principal, action, { thread, agent: requested }) => {
    const key = { scope: principal.scope, thread };
    const access = new Access({ store, rules, principal, requested }, key, action);
    await checkAgain(access);
    return access;
  };

  return {
    checkThread,

    async openThread(principal, action, { thread: id, agent: requested }) {
      const key = { scope: principal.scope, thread: id };
      const access = new Access({ store, rules, principal, requested }, key, action);
      const thread = await threadRow(store, key);
      await checkRow(access, thread);
      return { access, thread };
    },

    async checkInterrupt(principal, action, { thread, interruptId }) {
      const key = { scope: principal.scope, thread };
      const grounds = { store, rules, principal };
      const absent = () => unknownInterrupt([interruptId]);
      const [record] = await recordsOf(key, [interruptId]);
      if (record === undefined) {
        const row = await threadRow(store, key);
        const owner = row === undefined ? undefined : ownerOf(row);
        const [resource = { thread }] = placesOf(thread, [row?.agent]);
        await assertAllowed(grounds, { action, ...resource, owner }, absent);
        throw absent();
      }
      await assertAllowed(grounds, { action, ...resourceOf(record) }, absent);
      // The audit reads an interrupt of a deleted thread; nothing changes it.
      if (action !== 'read' && !isOfThread(record)) throw absent();
      const { agent, owner } = record;
      return { access: new Access({ ...grounds, agent, owner, interrupt: record }, key, action), record };
    },

    async rightsTo(principal, record) {
      const grounds = { store, rules, principal };
      const resource = resourceOf(record);
      const isUnclaimed = UNCLAIMED.has(record.state);
      const [mayAnswer, mayWithdraw] = await Promise.all([
        isOfThread(record) && isAllowed(grounds, { action: 'answer', ...resource }),
        isUnclaimed && isAllowed(grounds, { action: 'withdraw', ...resource }),
      ]);
      return { mayAnswer, mayWithdraw, barredAsAsker: isBarredAsAsker(record, principal) };
    },

    async checkAnswers(principal, { thread, agent: requested, interruptIds, cancelledIds = [] }) {
      const key = { scope: principal.scope, thread };
      const grounds = { store, rules, principal };
      const row = await threadRow(store, key);
      const owner = row === undefined ? undefined : ownerOf(row);
      const isUnnamed = interruptIds.includes(UNNAMED_INTERRUPT);
      const open = isUnnamed ? [...(row?.batch?.interruptIds ?? []), ...(row?.claimed ?? [])] : [];
      const found = await recordsOf(key, [...new Set([...interruptIds, ...open])]);
      const records = found.filter(isOfThread);
      const resources: Resource[] = records.flatMap((interrupt) =>
        placesOf(thread, [interrupt.agent, requested]).map((place) => ({ ...place, interrupt })),
      );
      if (records.length === 0) resources.push(...placesOf(thread, [row?.agent, requested]));
      for (const resource of resources) {
        const wanted = { ...resource, owner };
        const isCancelled = cancelledIds.includes(resource.interrupt?.interrupt.id ?? UNNAMED_INTERRUPT);
        if (isCancelled && (await isAllowed(grounds, { action: 'withdraw', ...wanted }))) continue;
        await assertAllowed(grounds, { action: 'answer', ...wanted }, () => unknownInterrupt(interruptIds));
      }
      return new Access({ ...grounds, owner }, key, 'answer');
    },

    async checkFiles(principal, action, thread) {
      try {
        return { access: await checkThread(principal, action, { thread }) };
      } catch (error) {
        if (rules.visibility === 'scope' || !HoldpointError.is(error, 'THREAD_UNKNOWN')) throw error;
        const grounds = { store, rules, principal };
        const list = new ScopeAccess(grounds, 'read' as const);
        const { rows } = await listAllowed(list, { table: 'interrupts', thread, order: 'newest' });
        const interrupts = rows.map(toListed).filter(isOfThread);
        for (const interrupt of interrupts) {
          const { agent, owner, key, state } = interrupt;
          if (action === 'upload' && !UNCLAIMED.has(state)) continue;
          const needed = action === 'upload' ? ('answer' as const) : action;
          if (!(await isAllowed(grounds, { action: needed, ...resourceOf(interrupt) }))) continue;
          const access = new Access({ ...grounds, agent, owner, interrupt }, key, action);
          return { access, interrupts };
        }
        throw error;
      }
    },

    async checkScope(principal, action) {
      const access = new ScopeAccess({ store, rules, principal }, action);
      await checkAgain(access);
      return access;
    },

    isAllowed: (principal, wanted) =>
      isAllowed({ store, rules, principal }, { ...wanted, owner: wanted.owner }),
  };
}

/** Checks a permission again, for open streams. Throws as the gate does. */
export async function checkAgain(access: Access | ScopeAccess): Promise<void> {
  const { action } = access;
  if (action === 'operate') return;
  if (access instanceof ScopeAccess)
    return assertAllowed(ScopeAccess.grounds(access), { action, owner: undefined });
  const decided = Access.decided(access);
  if (hasThreadRules(decided)) await checkRow(access, await threadRow(decided.store, access.key));
}

/** Checks a permission for a thread with its row. */
async function checkRow(access: Access, row: ThreadRecord | undefined): Promise<void> {
  const { action, key } = access;
  const decided = Access.decided(access);
  if (action === 'operate' || !hasThreadRules(decided)) return;
  const { requested } = decided;
  const { thread } = key;
  const owner = row === undefined ? undefined : ownerOf(row);
  // A run or a connect that names an agent may create the thread, so there is no error for an absent thread.
  const absent = requested === undefined ? () => unknownThread(thread) : undefined;
  for (const place of placesOf(thread, [row?.agent, requested]))
    await assertAllowed(decided, { action, ...place, owner }, absent);
  if (row !== undefined) Object.assign(decided, { agent: row.agent, owner });
}

/** Whether an interrupt belongs to the thread that its key names now: false after the thread was deleted. */
function isOfThread({ threadDeleted }: ListedInterrupt): boolean {
  return threadDeleted === undefined;
}

function resourceOf(record: ListedInterrupt) {
  const { key, agent, owner } = record;
  return { thread: key.thread, agent, owner, interrupt: record };
}

/** The thread once with each agent; once without an agent if no agent is known. */
function placesOf(thread: string, agents: readonly (string | undefined)[]): readonly Resource[] {
  const known = new Set(agents.flatMap((agent) => agent ?? []));
  return known.size === 0 ? [{ thread }] : [...known].map((agent) => ({ thread, agent }));
}

/** Authentication and authorization: the same options for `createHost` and `toA2a`. */
export interface AccessOptions {
  /**
   * Returns the principal of a request; null or undefined rejects it with 401. A principal has a non-empty `id` and
   * `scope`, and a list of `roles` or none. Called again with the request of an open stream, whose body has been read
   * by then (see `accessCheckMs`). Default: the server accepts requests of its own machine only.
   */
  readonly authenticate?: (
    request: Request,
  ) => Promise<Principal | null | undefined> | Principal | null | undefined;
  /**
   * Whether a principal may do something. It narrows `visibility` and approvers, and never widens them. Default:
   * no further limit.
   */
  readonly authorize?: NonNullable<AccessRules['authorize']>;
  /**
   * Who sees a thread. `owner` (default): the principal of its first run, and approvers their interrupts. `scope`:
   * every principal of the scope, for teams that share one inbox; they also answer where no approvers are named.
   */
  readonly visibility?: Visibility;
  /** Accepts unauthenticated requests from any address. */
  readonly allowUnauthenticated?: boolean;
  /**
   * Behind a proxy: the header with the address of the client, such as `x-forwarded-for`; its last address counts.
   * Choose a header that clients cannot set themselves. Default: the address of the connection.
   */
  readonly clientAddressHeader?: string;
  /** Limits for callers. */
  readonly limits?: {
    /** Limit for failed logins of one client address in a minute (IPv6: of the first 64 bits). Default 60. */
    readonly failedLoginsPerMinute?: number;
    /** Limit for requests of one principal in a minute. Default 1,200. */
    readonly requestsPerMinute?: number;
  };
  /**
   * Milliseconds between two checks whether the reader of an open stream may still read it: `authenticate` returns the same
   * principal with the same roles, and `authorize` allows it. Otherwise the stream ends. Default 30,000. 0 checks only when the
   * stream opens and when its thread is created.
   */
  readonly accessCheckMs?: number;
  /** Rules for interrupts. Default: none. */
  readonly interrupts?: {
    /** Whether a principal may answer an interrupt, in addition to its approvers. Default: yes. */
    readonly mayAnswer?: MayAnswer;
    /**
     * The approvers of an interrupt of an agent that names none itself: a foreign agent or an A2A agent. Called when
     * the interrupt is raised, and stored with it. Agents of `defineAgent` name approvers in their tools, in `ask` and
     * in policies. Default: none, so the owner of the thread answers.
     */
    readonly approvers?: ApproversOf;
  };
}

/** The caller of a server that does not authenticate. */
export const ANONYMOUS: Principal = { id: 'anonymous', scope: 'default' };

/**
 * The headers of an error response: how to authenticate (RFC 9110, section 11.6.1), or in how many seconds to try again (section
 * 10.2.3). Default: 1,000 milliseconds.
 */
export function errorHeaders(status: number, retryAfterMs: unknown = 1000): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  if (status !== 429 && status !== 503) return {};
  return { 'retry-after': String(Math.ceil(Number(retryAfterMs) / 1000)) };
}

/** Marks a response for one caller: no cache stores it. */
export function neverStore({ headers }: Response): void {
  const given = headers.get('cache-control');
  headers.set('cache-control', given === null ? 'no-store' : `${given}, no-store`);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * The principal of a request. Throws `UNAUTHENTICATED` for an unknown caller, and for a principal without `id` or
 * `scope`, which is also reported to `warn`. Without `authenticate`, `Host` and `Origin` must be loopback names, so
 * that a page from elsewhere cannot act through the browser of a person; otherwise throws `FORBIDDEN`. `origins` are
 * further origins whose pages may call.
 */
export async function callerOf(
  request: Request,
  {
    authenticate,
    allowUnauthenticated,
    origins = [],
  }: Pick<AccessOptions, 'authenticate' | 'allowUnauthenticated'> & {
    readonly origins?: readonly string[] | undefined;
  },
  warn: (sentence: string) => void = () => undefined,
): Promise<Principal> {
  if (authenticate !== undefined) {
    const principal: unknown = await authenticate(request);
    if (isPrincipal(principal)) return principal;
    if (principal !== null && principal !== undefined)
      warn(
        `authenticate gave a principal without a non-empty string id and scope, with a reserved id (${RESERVED_IDS.join(', ')}), or with roles that are not a list of strings: refused.`,
      );
    throw new HoldpointError('UNAUTHENTICATED', 'The caller is not known.');
  }
  if (allowUnauthenticated === true) return ANONYMOUS;
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const origin = request.headers.get('origin');
  if (!LOOPBACK.test(host)) {
    throw new HoldpointError(
      'FORBIDDEN',
      'Without `authenticate` this server answers requests of its own machine only.',
    );
  }
  if (origin !== null && !isLoopbackOrigin(origin) && !origins.includes(origin)) {
    throw new HoldpointError('FORBIDDEN', `Pages of ${origin} may not call this server.`);
  }
  return ANONYMOUS;
}

/** Whether the caller of an open stream is still the same principal with the same roles. */
export async function isStillCaller(
  request: Request,
  { authenticate }: Pick<AccessOptions, 'authenticate'>,
  { id, scope, roles = [] }: Principal,
): Promise<boolean> {
  if (authenticate === undefined) return true;
  const now = await callerOf(request, { authenticate });
  const { roles: own = [] } = now;
  return (
    now.id === id &&
    now.scope === scope &&
    own.every((role) => roles.includes(role)) &&
    roles.every((role) => own.includes(role))
  );
}

function isPrincipal(value: unknown): value is Principal {
  if (!isRecord(value) || !isName(value['id']) || !isName(value['scope'])) return false;
  if (RESERVED_IDS.includes(value['id'])) return false;
  const { roles } = value;
  // A text would match every role that it contains.
  return roles === undefined || (Array.isArray(roles) && roles.every((role) => typeof role === 'string'));
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isLoopbackOrigin(origin: string): boolean {
  try {
    return LOOPBACK.test(new URL(origin).host);
  } catch {
    return false;
  }
}
