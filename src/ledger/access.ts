import { defined, HoldpointError } from '../core/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { InterruptRecord, Principal, ThreadKey, ThreadRecord } from './records.ts';
import { threadReads, toThread } from './thread-view.ts';

/** An action of a caller. */
export type Action = 'run' | 'read' | 'answer' | 'cancel' | 'delete' | 'upload';

/** The target of an action; empty for the lists of a scope. */
export interface Resource {
  readonly agent?: string;
  readonly thread?: string;
  readonly interrupt?: InterruptRecord;
}

/** Whether a principal may answer an interrupt, in addition to the approvers of the interrupt. */
export type MayAnswer = (record: InterruptRecord, principal: Principal) => Promise<boolean> | boolean;

/** The rules of the application. They can only narrow the permissions that Holdpoint gives. */
export interface AccessRules {
  readonly authorize?:
    | ((principal: Principal, action: Action, resource: Resource) => Promise<boolean> | boolean)
    | undefined;
  readonly mayAnswer?: MayAnswer | undefined;
  /** Hides the threads and interrupts of every other agent. */
  readonly onlyAgent?: string | undefined;
}

/** The caller, and the rules and rows for a decision. */
export interface Grounds {
  readonly store: Store;
  readonly rules: AccessRules;
  readonly principal: Principal;
}

/** The decision behind an access. */
interface AccessDecision extends Grounds {
  /** The agent that the request names. */
  readonly requested?: string | undefined;
  /** The agent of the thread at the time of the decision; absent if the thread did not exist. */
  agent?: string;
}

/**
 * The permission of a principal for one action on one thread. Ledger reads and writes take it instead of a store and
 * a key. Only this module creates it, so code that skips the check does not compile.
 */
export class Access<A extends Action = Action> {
  readonly key: ThreadKey;
  readonly principal: Principal;
  /** `operate` is the action of the application itself: sweeps, `generate({ store })` and `holdpoint/ledger`. */
  readonly action: A | 'operate';
  readonly #decided: AccessDecision;

  constructor(decided: AccessDecision, key: ThreadKey, action: A | 'operate') {
    this.key = key;
    this.principal = decided.principal;
    this.action = action;
    this.#decided = decided;
  }

  static decided(access: Access): AccessDecision {
    return access.#decided;
  }
}

/** The permission of a principal for the lists of a scope, and for rows without a thread, such as grants. */
export class ScopeAccess<A extends Action = Action> {
  readonly principal: Principal;
  readonly action: A | 'operate';
  readonly #grounds: Grounds;

  constructor(grounds: Grounds, action: A | 'operate') {
    this.principal = grounds.principal;
    this.action = action;
    this.#grounds = grounds;
  }

  static grounds(access: ScopeAccess): Grounds {
    return access.#grounds;
  }
}

/**
 * The permission of the application itself for a thread, without a check. `principal`: the principal that it acts
 * for.
 */
export function operatorAccess(store: Store, key: ThreadKey, principal?: Principal): Access<never> {
  const { scope, thread } = key;
  const decided = { store, rules: {}, principal: principal ?? { id: OPERATOR, scope } };
  return new Access<never>(decided, { scope, thread }, 'operate');
}

/** The permission of the application itself for the lists of a scope. */
export function operatorScope(store: Store, scope: string): ScopeAccess<never> {
  return new ScopeAccess<never>({ store, rules: {}, principal: { id: OPERATOR, scope } }, 'operate');
}

/** The default id of the principal. */
const OPERATOR = 'holdpoint';

/** The store of a permission, for reads and writes of this module. */
export function storeOf(access: Access | ScopeAccess): Store {
  return access instanceof Access ? Access.decided(access).store : ScopeAccess.grounds(access).store;
}

/** An action and its target. */
export type Wanted = Resource & { readonly action: Action };

/** Whether a principal may do something. All decisions are made here. */
export async function isAllowed(
  { rules, principal }: Grounds,
  { action, ...resource }: Wanted,
): Promise<boolean> {
  const { agent, interrupt } = resource;
  const { authorize, mayAnswer, onlyAgent } = rules;
  if (onlyAgent !== undefined && agent !== undefined && agent !== onlyAgent) return false;
  if (authorize !== undefined && !(await authorize(principal, action, resource))) return false;
  if (action !== 'answer' || interrupt === undefined) return true;
  if (!isApprover(interrupt, principal)) return false;
  return mayAnswer === undefined || mayAnswer(interrupt, principal);
}

/** Whether the approvers of the interrupt include the principal. */
function isApprover(record: InterruptRecord, principal: Principal): boolean {
  const { approvers, askedBy, alsoAskedBy = [] } = record;
  if (approvers === undefined) return true;
  const { principals, roles, notAsker } = approvers;
  const listed = principals !== undefined || roles !== undefined;
  const named =
    (principals ?? []).includes(principal.id) ||
    (roles ?? []).some((role) => (principal.roles ?? []).includes(role));
  const hasAsked = principal.id === askedBy || alsoAskedBy.includes(principal.id);
  return (named || !listed) && !(notAsker === true && hasAsked);
}

/** Whether a rule depends on threads. If not, the check reads no row. */
export function hasThreadRules({ rules }: Grounds): boolean {
  return rules.authorize !== undefined || rules.onlyAgent !== undefined;
}

/**
 * Checks again if the agent of the thread is not the one that was checked: the thread is new, or another agent has
 * taken it over. Throws like {@link assertAllowed}.
 */
export async function confirm(access: Access, thread: ThreadRecord | undefined): Promise<void> {
  const { action, key } = access;
  const decided = Access.decided(access);
  // The gate checks each interrupt of an answer.
  if (thread === undefined || action === 'operate' || action === 'answer') return;
  if (decided.agent === thread.agent || !hasThreadRules(decided)) return;
  const wanted = { action, thread: key.thread, agent: thread.agent };
  // The gate has already checked the agent of the request.
  if (decided.requested !== thread.agent) await assertAllowed(decided, wanted, unknownThread(key.thread));
  decided.agent = thread.agent;
}

/** Whether the rules were checked for the existing thread. True if there are no rules. */
export function isConfirmed(access: Access): boolean {
  const decided = Access.decided(access);
  return decided.agent !== undefined || access.action === 'operate' || !hasThreadRules(decided);
}

/** Throws `ANSWER_FORBIDDEN` unless the principal may answer the interrupt. */
export async function assertMayAnswer(access: Access, record: InterruptRecord): Promise<void> {
  const place = { thread: access.key.thread, agent: record.agent };
  await assertAllowed(Access.decided(access), { action: 'answer', ...place, interrupt: record });
}

/** Throws `FORBIDDEN` unless the principal may run these agents on the thread. */
export async function assertMayRun(access: Access, agents: readonly string[]): Promise<void> {
  for (const agent of new Set(agents)) {
    await assertAllowed(Access.decided(access), { action: 'run', thread: access.key.thread, agent });
  }
}

/**
 * Throws unless a principal may do something: `FORBIDDEN` or `ANSWER_FORBIDDEN` if the principal may read the
 * thread; else `absent`, the error for a thread that does not exist.
 */
export async function assertAllowed(
  grounds: Grounds,
  wanted: Wanted,
  absent?: HoldpointError,
): Promise<void> {
  if (await isAllowed(grounds, wanted)) return;
  const { action, thread } = wanted;
  if (absent !== undefined && !(await mayKnow(grounds, wanted))) {
    const elsewhere = { action, ...defined({ thread }) };
    if (await isAllowed(grounds, elsewhere)) throw absent;
  }
  const { id } = grounds.principal;
  // The sentence is the same whether the target exists or not.
  throw new HoldpointError(
    action === 'answer' ? 'ANSWER_FORBIDDEN' : 'FORBIDDEN',
    `${id} may not ${action} this.`,
  );
}

/** Whether the principal may read the target, or its thread. */
async function mayKnow(grounds: Grounds, wanted: Wanted): Promise<boolean> {
  const { interrupt, ...place } = wanted;
  if (wanted.action !== 'read' && (await isAllowed(grounds, { ...wanted, action: 'read' }))) return true;
  return interrupt !== undefined && isAllowed(grounds, { ...place, action: 'read' });
}

export function unknownThread(thread: string): HoldpointError {
  return new HoldpointError('THREAD_UNKNOWN', `There is no thread ${thread}.`);
}

export function unknownInterrupt(ids: readonly string[]): HoldpointError {
  const named = ids.filter((id) => id !== UNNAMED_INTERRUPT);
  const sentence =
    named.length === 0
      ? 'The answer does not say which interrupt it is for: send the id of that interrupt with it.'
      : `The thread has no interrupt ${named.join(', ')}.`;
  return new HoldpointError('INTERRUPT_UNKNOWN', sentence);
}

/** Reads the row of a thread for the check itself. */
export async function threadRow(store: Store, key: ThreadKey): Promise<ThreadRecord | undefined> {
  const [rows, turns] = await store.snapshot(threadReads(key));
  return toThread(rows, turns);
}
