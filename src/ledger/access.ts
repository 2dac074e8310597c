import type { Approvers } from '../content/interrupts/index.ts';
import { defined, HoldpointError } from '../core/index.ts';
import { UNNAMED_INTERRUPT } from '../protocol/index.ts';
import type { ListQuery, Store } from '../store/index.ts';
import type { InterruptRecord, Principal, ThreadKey, ThreadRecord } from './records.ts';
import { threadReads, toThread } from './thread-view.ts';

/** An action of a caller. `withdraw`: the asker takes an open interrupt back. */
export type Action = 'run' | 'read' | 'answer' | 'withdraw' | 'cancel' | 'delete' | 'upload';

/**
 * Who sees a thread. `owner`: the principal of its first run; approvers also see their interrupts. `scope`: every
 * principal of the scope, who may also answer interrupts without approvers.
 */
export type Visibility = 'owner' | 'scope';

/** The target of an action; empty for the lists of a scope. */
export interface Resource {
  readonly agent?: string;
  readonly thread?: string;
  /** The owner of the thread; absent if the thread does not exist. */
  readonly owner?: string | undefined;
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
  /** Default `owner`. */
  readonly visibility?: Visibility | undefined;
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
  /** The agent and the owner of the thread at the time of the decision; absent if the thread did not exist. */
  agent?: string;
  owner?: string | undefined;
  /** The interrupt that the permission is for. An approver sees it, and not its thread. */
  readonly interrupt?: InterruptRecord | undefined;
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
  const decided = { store, rules: OPERATOR_RULES, principal: principal ?? { id: OPERATOR_ID, scope } };
  return new Access<never>(decided, { scope, thread }, 'operate');
}

/** The permission of the application itself for the lists of a scope. */
export function operatorScope(store: Store, scope: string): ScopeAccess<never> {
  const principal = { id: OPERATOR_ID, scope };
  return new ScopeAccess<never>({ store, rules: OPERATOR_RULES, principal }, 'operate');
}

/** The application itself: it owns threads without a principal, and expires interrupts. */
export const OPERATOR_ID = 'holdpoint';
/** Takes the place of the id of an erased person. */
export const ERASED_ID = 'erased';
/** No caller may have these ids: it would see the threads of the application, or of erased persons. */
export const RESERVED_IDS: readonly unknown[] = [OPERATOR_ID, ERASED_ID];
/** The application sees every thread. */
const OPERATOR_RULES: AccessRules = { visibility: 'scope' };

/** The store of a permission, for reads and writes of this module. */
export function storeOf(access: Access | ScopeAccess): Store {
  return access instanceof Access ? Access.decided(access).store : ScopeAccess.grounds(access).store;
}

/** An action and its target, which names the owner of its thread. */
export type Wanted = Resource & { readonly action: Action; readonly owner: string | undefined };

/** Whether a principal may do something. All decisions are made here. */
export async function isAllowed(
  { rules, principal }: Grounds,
  { action, ...resource }: Wanted,
): Promise<boolean> {
  const { agent, interrupt } = resource;
  const { authorize, mayAnswer, onlyAgent } = rules;
  if (!isVisible(rules, principal, resource)) return false;
  if (onlyAgent !== undefined && agent !== undefined && agent !== onlyAgent) return false;
  const isAnswer = action === 'answer' && interrupt !== undefined;
  if (isAnswer && !isApprover(interrupt, principal)) return false;
  if (action === 'withdraw' && interrupt !== undefined && !hasAsked(interrupt, principal)) return false;
  // Rules without types may return another value by mistake: only `true` allows.
  const isTrue = (value: unknown) => value === true;
  if (authorize !== undefined && !isTrue(await authorize(principal, action, resource))) return false;
  return !isAnswer || mayAnswer === undefined || isTrue(await mayAnswer(interrupt, principal));
}

/** Whether the principal sees the target, as the columns of the store say it (see `visibleTo`). */
function isVisible(
  { visibility = 'owner' }: AccessRules,
  principal: Principal,
  { owner, interrupt }: Resource,
): boolean {
  if (visibility === 'scope' || owner === undefined || owner === principal.id) return true;
  const { approvers } = interrupt ?? {};
  if (approvers === undefined) return false;
  return isListed(approvers) ? isNamed(approvers, principal) : approvers.notAsker === true;
}

/** The filter of the store for the rows that the principal sees; empty if the whole scope is visible. */
export function visibleRows({ rules, principal }: Grounds): Pick<ListQuery, 'visibleTo'> {
  if (rules.visibility === 'scope') return {};
  return { visibleTo: { id: principal.id, roles: principal.roles ?? [] } };
}

/** The owner of a thread. A thread of an older version belongs to the principal of its newest run. */
export function ownerOf({ owner, principal }: ThreadRecord): string | undefined {
  return owner ?? principal?.id;
}

/** Whether the approvers of the interrupt include the principal. */
function isApprover(record: InterruptRecord, principal: Principal): boolean {
  const { approvers } = record;
  if (approvers === undefined) return true;
  if (isListed(approvers) && !isNamed(approvers, principal)) return false;
  return approvers.notAsker !== true || !hasAsked(record, principal);
}

/** Whether the principal could answer if another person had asked. */
export function isBarredAsAsker(record: InterruptRecord, principal: Principal): boolean {
  const { approvers } = record;
  if (approvers?.notAsker !== true || !hasAsked(record, principal)) return false;
  return !isListed(approvers) || isNamed(approvers, principal);
}

/** Whether a rule names people or roles; otherwise it admits the whole scope. */
export function isListed({ principals, roles }: Approvers): boolean {
  return principals !== undefined || roles !== undefined;
}

function isNamed({ principals = [], roles = [] }: Approvers, { id, roles: own = [] }: Principal): boolean {
  return principals.includes(id) || roles.some((role) => own.includes(role));
}

/** Whether the run that raised the interrupt has messages of the principal. */
function hasAsked({ askedBy, alsoAskedBy = [] }: InterruptRecord, { id }: Principal): boolean {
  return id === askedBy || alsoAskedBy.includes(id);
}

/** Whether a rule depends on threads. If not, the check reads no row. */
export function hasThreadRules({ rules }: Grounds): boolean {
  return rules.authorize !== undefined || rules.onlyAgent !== undefined || rules.visibility !== 'scope';
}

/**
 * Checks again if the agent or the owner of the thread is not the one that was checked: the thread is new, or another
 * agent has taken it over. Throws like {@link assertAllowed}.
 */
export async function confirm(access: Access, thread: ThreadRecord | undefined): Promise<void> {
  const { action, key, principal } = access;
  const decided = Access.decided(access);
  if (thread === undefined || action === 'operate' || !hasThreadRules(decided)) return;
  const { agent } = thread;
  const owner = ownerOf(thread);
  // The gate checks each interrupt of an answer.
  if (action !== 'answer' && (decided.agent !== agent || decided.owner !== owner)) {
    const resource = { thread: key.thread, agent, owner, ...defined({ interrupt: decided.interrupt }) };
    const isAgentChecked = decided.agent === agent || decided.requested === agent;
    // The first check saw a thread without an owner, like a new thread of the caller.
    const isOwnerChecked = owner === decided.owner || owner === principal.id;
    if (!isAgentChecked || !isOwnerChecked)
      await assertAllowed(decided, { action, ...resource }, () => unknownThread(key.thread));
  }
  Object.assign(decided, { agent, owner });
}

/** Whether the rules were checked for the existing thread. True if there are no rules. */
export function isConfirmed(access: Access): boolean {
  const decided = Access.decided(access);
  return decided.agent !== undefined || access.action === 'operate' || !hasThreadRules(decided);
}

/** Throws `ANSWER_FORBIDDEN` unless the principal may answer the interrupt. */
export async function assertMayAnswer(access: Access, record: InterruptRecord): Promise<void> {
  await assertAllowed(Access.decided(access), { action: 'answer', ...placeOf(access, record) });
}

/** Whether the principal may take the interrupt back and may not answer it: then cancelling it withdraws it. */
export async function withdrawsByCancelling(access: Access, record: InterruptRecord): Promise<boolean> {
  const decided = Access.decided(access);
  const place = placeOf(access, record);
  if (await isAllowed(decided, { action: 'answer', ...place })) return false;
  return isAllowed(decided, { action: 'withdraw', ...place });
}

function placeOf(access: Access, record: InterruptRecord) {
  const { owner } = Access.decided(access);
  return { thread: access.key.thread, agent: record.agent, interrupt: record, owner };
}

/** Throws `FORBIDDEN` unless the principal may run these agents on the thread. */
export async function assertMayRun(access: Access, agents: readonly string[]): Promise<void> {
  const decided = Access.decided(access);
  const { owner } = decided;
  for (const agent of new Set(agents)) {
    await assertAllowed(decided, { action: 'run', thread: access.key.thread, agent, owner });
  }
}

/** Whether the principal may give more than answers to a run of these agents: messages, tools, context. */
export async function mayRun(access: Access, agents: readonly string[]): Promise<boolean> {
  if (access.action !== 'answer') return true;
  try {
    await assertMayRun(access, agents);
    return true;
  } catch (error) {
    if (HoldpointError.is(error, 'FORBIDDEN')) return false;
    throw error;
  }
}

/**
 * Throws unless a principal may do something: `FORBIDDEN` or `ANSWER_FORBIDDEN` if the principal may read the
 * thread; else `absent`, the error for a thread that does not exist.
 */
export async function assertAllowed(
  grounds: Grounds,
  wanted: Wanted,
  absent?: () => HoldpointError,
): Promise<void> {
  if (await isAllowed(grounds, wanted)) return;
  const { action, thread, interrupt } = wanted;
  const isKnown = await mayKnow(grounds, wanted);
  if (absent !== undefined && !isKnown) {
    const elsewhere = { action, owner: undefined, ...defined({ thread }) };
    if (await isAllowed(grounds, elsewhere)) throw absent();
  }
  const { principal } = grounds;
  const code = action === 'answer' ? 'ANSWER_FORBIDDEN' : 'FORBIDDEN';
  const sentence = `${principal.id} may not ${action} this`;
  const why = isKnown && action === 'answer' && interrupt !== undefined ? missing(interrupt, principal) : '';
  // Without a reason, the sentence is the same whether the target exists or not.
  throw new HoldpointError(code, why === '' ? `${sentence}.` : `${sentence}: ${why}.`);
}

/** Why the principal is no approver of the interrupt: "it needs the role finance". Empty for an approver. */
function missing(record: InterruptRecord, principal: Principal): string {
  const { approvers } = record;
  if (approvers === undefined || isApprover(record, principal)) return '';
  const { principals = [], roles = [] } = approvers;
  if (isListed(approvers) && !isNamed(approvers, principal)) {
    const needs = [
      ...(roles.length === 0 ? [] : [`needs the role ${roles.join(' or ')}`]),
      ...(principals.length === 0 ? [] : [`waits for ${principals.join(' or ')}`]),
    ];
    return needs.length === 0 ? 'it has no approvers' : `it ${needs.join(', or ')}`;
  }
  return 'it needs a person other than its asker';
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
