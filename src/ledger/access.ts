import { HoldpointError } from '../core/index.ts';
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

/** Whether a principal may answer an interrupt, beyond what the interrupt itself says. */
export type MayAnswer = (record: InterruptRecord, principal: Principal) => Promise<boolean> | boolean;

/** The application's own rules. They narrow what Holdpoint allows, and widen nothing. */
export interface AccessRules {
  readonly authorize?:
    | ((principal: Principal, action: Action, resource: Resource) => Promise<boolean> | boolean)
    | undefined;
  readonly mayAnswer?: MayAnswer | undefined;
  /** Threads and interrupts of any other agent do not exist. */
  readonly onlyAgent?: string | undefined;
}

/** The caller, and the rules and rows that decide. */
export interface Grounds {
  readonly store: Store;
  readonly rules: AccessRules;
  readonly principal: Principal;
}

/** The decision behind an access. */
interface AccessDecision extends Grounds {
  /** The agent that the request names. */
  readonly requested?: string | undefined;
  /** The agent of the thread when it was decided; none for a thread that did not exist. */
  agent?: string;
}

/**
 * The right of a principal to do one thing to one thread. Ledger reads and writes take it in place of a store and a key. Only
 * this module makes one, so a way around the check does not compile.
 */
export class Access<A extends Action = Action> {
  readonly key: ThreadKey;
  readonly principal: Principal;
  /** `operate` for the application itself: sweeps, `generate({ store })` and `holdpoint/ledger`. */
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

/** The right of a principal to the lists of a scope and to what belongs to no thread, such as grants. */
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

/** The application's own right to a thread. It asks no rule; `principal` is on whose behalf it acts. */
export function operatorAccess(store: Store, key: ThreadKey, principal?: Principal): Access<never> {
  const { scope, thread } = key;
  const decided = { store, rules: {}, principal: principal ?? { id: OPERATOR, scope } };
  return new Access<never>(decided, { scope, thread }, 'operate');
}

/** The application's own right to the lists of a scope. */
export function operatorScope(store: Store, scope: string): ScopeAccess<never> {
  return new ScopeAccess<never>({ store, rules: {}, principal: { id: OPERATOR, scope } }, 'operate');
}

/** The id of the principal where the application names none. */
const OPERATOR = 'holdpoint';

/** For the ledger's own reads and writes. */
export function storeOf(access: Access | ScopeAccess): Store {
  return access instanceof Access ? Access.decided(access).store : ScopeAccess.grounds(access).store;
}

/** An action, and what it would be done to. */
export type Wanted = Resource & { readonly action: Action };

/** Whether a principal may do something: the one place where that is decided. */
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

/** Whether the interrupt itself lets a principal answer. */
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

/** Whether any rule looks at threads. Without one nothing has to be read to decide. */
export function hasThreadRules({ rules }: Grounds): boolean {
  return rules.authorize !== undefined || rules.onlyAgent !== undefined;
}

/**
 * Asks again when the thread, as it was just read, has another agent than the one that was allowed: it came into being since,
 * or another agent took it over. Throws as {@link assertAllowed} does.
 */
export async function confirm(access: Access, thread: ThreadRecord | undefined): Promise<void> {
  const { action, key } = access;
  const decided = Access.decided(access);
  // Each interrupt that an answer names is asked about by itself.
  if (thread === undefined || action === 'operate' || action === 'answer') return;
  if (decided.agent === thread.agent || !hasThreadRules(decided)) return;
  const wanted = { action, thread: key.thread, agent: thread.agent };
  // The check has already asked with the agent that the request names.
  if (decided.requested !== thread.agent) await assertAllowed(decided, wanted, unknownThread(key.thread));
  decided.agent = thread.agent;
}

/** Whether the rules were asked about the thread as it exists, as far as there are any. */
export function isConfirmed(access: Access): boolean {
  const decided = Access.decided(access);
  return decided.agent !== undefined || access.action === 'operate' || !hasThreadRules(decided);
}

/** Throws `ANSWER_FORBIDDEN` for a principal whom the interrupt or the application does not let answer. */
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
 * Throws unless a principal may do something: `FORBIDDEN` or `ANSWER_FORBIDDEN` where the principal may read the thread. Any
 * other principal gets `absent`, the error that a thread which does not exist would give them, where there is one.
 */
export async function assertAllowed(
  grounds: Grounds,
  wanted: Wanted,
  absent?: HoldpointError,
): Promise<void> {
  if (await isAllowed(grounds, wanted)) return;
  const { action, thread } = wanted;
  if (absent !== undefined && !(await mayKnow(grounds, wanted))) {
    const elsewhere = { action, ...(thread === undefined ? {} : { thread }) };
    if (await isAllowed(grounds, elsewhere)) throw absent;
  }
  const { id } = grounds.principal;
  // The same sentence for what exists and for what does not.
  throw new HoldpointError(
    action === 'answer' ? 'ANSWER_FORBIDDEN' : 'FORBIDDEN',
    `${id} may not ${action} this.`,
  );
}

/** Whether a principal who may not do something may read what it would be done to, or the thread of that. */
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

/** The row of a thread, for the check itself. */
export async function threadRow(store: Store, key: ThreadKey): Promise<ThreadRecord | undefined> {
  const [rows, turns] = await store.snapshot(threadReads(key));
  return toThread(rows, turns);
}
