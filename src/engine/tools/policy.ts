import type { Approvers, Grant, Grants } from '../../content/interrupts/index.ts';
import { canonicalApprovers } from '../../content/interrupts/index.ts';
import { canonicalJson } from '../../core/index.ts';
import type { Principal } from './tool-context.ts';

/** A call in the form for policies. */
export interface PolicyCall {
  readonly toolName: string;
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
      /** Who may answer. Replaces the people whom the tool names; `notAsker` of either holds. Default: those of the tool. */
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
export function memoryGrants(): Grants & { readonly list: readonly Grant[] } {
  const list: Grant[] = [];
  return {
    list,
    add: async (grant) => {
      list.push(grant);
    },
    allows: async (call) =>
      list.some(
        (grant) =>
          grant.agent === call.agent &&
          grant.toolName === call.toolName &&
          canonicalJson(canonicalApprovers(grant.approvers)) ===
            canonicalJson(canonicalApprovers(call.approvers)) &&
          (grant.input === undefined || canonicalJson(grant.input) === canonicalJson(call.input)) &&
          (grant.threadId === undefined || grant.threadId === call.threadId) &&
          (grant.principalId === undefined || grant.principalId === call.principal?.id),
      ),
  };
}
