import type { Approvers, Grant, Grants, GrantUse } from '../../content/interrupts/index.ts';
import { addUse, grantMatch, hasRoom, matchesOf } from '../../content/interrupts/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { canonicalJson, systemClock } from '../../core/index.ts';
import type { Principal } from './tool-context.ts';

/** A call in the form for policies. */
export interface PolicyCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  readonly destructive: boolean;
  /** The scopes of the tool. */
  readonly scopes: readonly string[];
  readonly principal: Principal | undefined;
  readonly threadId: string;
}

/** The decision of a policy about a call. `allow` leaves the decision to the others. */
export type PolicyDecision =
  | 'allow'
  | 'ask'
  | 'deny'
  | {
      readonly decision: 'ask' | 'deny';
      readonly message?: string;
      /**
       * Who may answer. Replaces the people whom the tool names; `notAsker` of either holds. If several policies name people, the
       * roles and people in all of their lists count; without any, the call is not made. Default: those of the tool.
       */
      readonly approvers?: Approvers;
    };

/**
 * A rule of the organisation that can hold or forbid a call, whatever the tool says. The strictest rule counts;
 * undefined and `allow` leave the decision to the others.
 */
export type Policy = (call: PolicyCall) => PolicyDecision | undefined | Promise<PolicyDecision | undefined>;

/**
 * Remembers decisions in memory.
 *
 * @example
 * ```ts
 * import { defineAgent, memoryGrants } from 'holdpoint';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const grants = memoryGrants();
 * const clerk = defineAgent({ id: 'clerk', model: scriptedModel(['Done.']) });
 * await clerk.generate({ prompt: 'Go.', grants });
 * console.log(`${grants.list.length} decisions are remembered.`);
 * ```
 */
export function memoryGrants(): Grants & { readonly list: readonly (Grant & GrantUse)[] } {
  const grants = new Map<string, Grant & GrantUse>();
  const idOf = (match: JsonObject) => canonicalJson(match);
  return {
    get list() {
      return [...grants.values()];
    },
    async add(grant) {
      const id = idOf(grantMatch(grant));
      const before = grants.get(id);
      if (before?.interruptId !== undefined && before.interruptId === grant.interruptId) return;
      grants.set(id, { ...grant, used: 0, spent: 0 });
    },
    async find(call) {
      const { amount } = call;
      const now = systemClock.now();
      return matchesOf(call).flatMap((match) => {
        const id = idOf(match);
        const grant = grants.get(id);
        return grant === undefined || !hasRoom(grant, grant, { now, amount }) ? [] : [{ id, grant }];
      });
    },
    async use(id, amount) {
      const grant = grants.get(id);
      if (grant === undefined || !hasRoom(grant, grant, { now: systemClock.now(), amount })) return false;
      grants.set(id, { ...grant, ...addUse(grant, amount) });
      return true;
    },
  };
}
