import type { JsonObject } from '../../core/index.ts';
import { canonicalJson } from '../../core/index.ts';
import type { Approvers } from '../../ledger/index.ts';
import type { Principal } from '../tools/tool-context.ts';

/**
 * A decision that is remembered: this tool of this agent, or this tool with exactly these arguments, here or for this person.
 * It applies only under the rule about approvers that it was given under.
 */
export interface Grant {
  /** The agent whose call it was, by its id on the host; of a subagent, the ids from the outermost agent on, with `/` between. */
  readonly agent: string;
  /** Who had to approve; absent where no rule named anybody. */
  readonly approvers?: Approvers;
  readonly toolName: string;
  /** Absent for any arguments; an empty object is exactly no arguments. */
  readonly input?: unknown;
  readonly threadId?: string;
  readonly principalId?: string;
}

/** Where remembered decisions are kept. */
export interface Grants {
  add(grant: Grant): Promise<void>;
  allows(call: {
    readonly agent: string;
    readonly approvers?: Approvers | undefined;
    readonly toolName: string;
    readonly input: unknown;
    readonly threadId: string;
    readonly principal: Principal | undefined;
  }): Promise<boolean>;
}

/** A rule about approvers in the one form that all rules of the same meaning share; no rule is an empty one. */
export function canonicalApprovers({ principals, roles, notAsker }: Approvers = {}): JsonObject {
  return {
    ...(principals === undefined ? {} : { principals: [...new Set(principals)].toSorted() }),
    ...(roles === undefined ? {} : { roles: [...new Set(roles)].toSorted() }),
    ...(notAsker === true ? { notAsker } : {}),
  };
}

/** Remembers for as long as the process lives. */
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
