import type { JsonObject, JsonValue } from '../../core/index.ts';
import { defined } from '../../core/index.ts';

/** The action when an interrupt expires. */
export type OnExpire = 'keep' | 'cancel' | 'deny' | { readonly answer: JsonValue };

/** The action when an approval expires. An `answer` is for questions: an expiry never approves. */
export type ApprovalExpiry = Exclude<OnExpire, object>;

/** The people who may answer an interrupt: by id or by role. */
export interface Approvers {
  readonly principals?: readonly string[];
  readonly roles?: readonly string[];
  /** The asker may not answer, however many answers have let the run go on since. */
  readonly notAsker?: boolean;
}

/** A rule about approvers in canonical form: rules with the same meaning are equal. No rule gives an empty one. */
function canonicalApprovers({ principals, roles, notAsker }: Approvers = {}): JsonObject {
  return defined({
    principals: principals && [...new Set(principals)].toSorted(),
    roles: roles && [...new Set(roles)].toSorted(),
    notAsker: notAsker === true ? notAsker : undefined,
  });
}

/**
 * A remembered approval: for a tool of an agent, with any arguments or exactly these, on one thread or for one person. It
 * applies only while the tool has the same approvers rule.
 */
export interface Grant {
  /** The id of the agent on the host; for a subagent, the ids from the outermost agent on, joined with `/`. */
  readonly agent: string;
  /** The people who had to approve; absent without such a rule. */
  readonly approvers?: Approvers;
  readonly toolName: string;
  /** The `version` of the tool that was approved; a changed tool asks again. Absent for a tool without a version. */
  readonly toolVersion?: string;
  /** Absent for any arguments; an empty object means exactly no arguments. */
  readonly input?: unknown;
  /** Calls on this thread. Absent for any thread. */
  readonly threadId?: string;
  /** The receiver: calls that only this principal asked for. Absent for any principal. */
  readonly principalId?: string;
  /** The giver. Absent without a principal. */
  readonly givenBy?: string;
  /** The interrupt whose answer gave it. An answer gives a grant once. */
  readonly interruptId?: string;
  /** The end, in milliseconds since the epoch. Absent: it does not end. */
  readonly until?: number;
  /** The number of calls that it allows. Absent: any number. */
  readonly maxUses?: number;
  /** The largest sum of the amounts of its calls, in the unit of the tool. Absent: any sum. */
  readonly maxTotal?: number;
}

/** The uses of a grant so far. */
export interface GrantUse {
  /** The number of calls that started by the grant. */
  readonly used: number;
  /** The sum of their amounts, in the unit of the tool. */
  readonly spent: number;
}

/** A call that needs an approval. */
export interface GrantedCall {
  readonly agent: string;
  readonly approvers?: Approvers | undefined;
  readonly toolName: string;
  readonly toolVersion?: string | undefined;
  /** The shown arguments; undefined if the tool converts them, because other arguments run. */
  readonly input: unknown;
  readonly threadId: string;
  /** The ids of the principals who asked for the call. */
  readonly askers: readonly string[];
  /** The amount of the call; undefined for a tool without amounts. */
  readonly amount?: number | undefined;
}

/** A grant that allows a call, with its id. */
export interface FoundGrant {
  readonly id: string;
  readonly grant: Grant;
}

/** Keeps grants. */
export interface Grants {
  /**
   * True for grants in a store: a run on the same store counts a use in the commit that starts the call. Absent for other
   * grants: a run counts with `use`.
   */
  readonly isStored?: true;
  /** Adds a grant. It replaces a grant for the same calls, unless the same interrupt gave that one. */
  add(grant: Grant): Promise<void>;
  /** The grants that allow a call; the run tries them in this order. */
  find(call: GrantedCall): Promise<readonly FoundGrant[]>;
  /** Counts a use. Returns false, and counts nothing, if the grant is revoked, over or used up. */
  use(id: string, amount: number | undefined): Promise<boolean>;
}

/**
 * Whether the limits of a grant allow one more call. A grant with a total allows no call without an amount, and no grant allows a call
 * with an amount that is not a finite number.
 */
export function hasRoom(
  { until, maxUses, maxTotal }: Grant,
  { used, spent }: GrantUse,
  call: { readonly now: number; readonly amount: number | undefined },
): boolean {
  const { now, amount } = call;
  if (amount !== undefined && !Number.isFinite(amount)) return false;
  if (until !== undefined && now >= until) return false;
  if (maxUses !== undefined && used >= maxUses) return false;
  if (maxTotal === undefined) return true;
  return amount !== undefined && amount >= 0 && spent + amount <= maxTotal;
}

/** The uses of a grant after one more call. */
export function addUse({ used, spent }: GrantUse, amount: number | undefined): GrantUse {
  return { used: used + 1, spent: spent + (amount ?? 0) };
}

/** The part of a grant that says which calls it allows. Grants with equal parts replace each other. */
export function grantMatch(grant: Grant): JsonObject {
  const { agent, approvers, toolName, toolVersion, input, threadId, principalId } = grant;
  return {
    agent,
    approvers: canonicalApprovers(approvers),
    toolName,
    // The arguments of a call are JSON.
    ...defined({ input: input as JsonObject | undefined }),
    ...defined({ toolVersion, threadId, principalId }),
  };
}

/** The match of every grant that would allow a call, the narrowest first: each member is equal or absent. */
export function matchesOf(call: GrantedCall): JsonObject[] {
  const { agent, approvers, toolName, toolVersion, input, threadId, askers } = call;
  const tool = { agent, toolName, ...defined({ approvers, toolVersion }) };
  const [asker, ...others] = askers;
  // A grant for a person does not cover the requests of others.
  const principals = asker === undefined || others.length > 0 ? [{}] : [{ principalId: asker }, {}];
  return (input === undefined ? [{}] : [{ input }, {}]).flatMap((what) =>
    [{ threadId }, {}].flatMap((where) =>
      principals.map((who) => grantMatch({ ...tool, ...what, ...where, ...who })),
    ),
  );
}
