import type { JsonObject, JsonValue } from '../../core/index.ts';

/** The action when an interrupt expires. */
export type OnExpire = 'keep' | 'cancel' | 'deny' | { readonly answer: JsonValue };

/** The people who may answer an interrupt: by id or by role. */
export interface Approvers {
  readonly principals?: readonly string[];
  readonly roles?: readonly string[];
  /** The asker may not answer, however many answers have let the run go on since. */
  readonly notAsker?: boolean;
}

/** A rule about approvers in canonical form: rules with the same meaning are equal. No rule gives an empty one. */
export function canonicalApprovers({ principals, roles, notAsker }: Approvers = {}): JsonObject {
  return {
    ...(principals === undefined ? {} : { principals: [...new Set(principals)].toSorted() }),
    ...(roles === undefined ? {} : { roles: [...new Set(roles)].toSorted() }),
    ...(notAsker === true ? { notAsker } : {}),
  };
}

/**
 * A remembered decision: this tool of this agent, or this tool with exactly these arguments, on one thread or for one person.
 * It applies only under the rule about approvers that it was given under.
 */
export interface Grant {
  /** The id of the agent on the host; for a subagent, the ids from the outermost agent on, joined with `/`. */
  readonly agent: string;
  /** The people who had to approve; absent without such a rule. */
  readonly approvers?: Approvers;
  readonly toolName: string;
  /** Absent for any arguments; an empty object means exactly no arguments. */
  readonly input?: unknown;
  readonly threadId?: string;
  readonly principalId?: string;
}

/** Keeps remembered decisions. */
export interface Grants {
  add(grant: Grant): Promise<void>;
  allows(call: {
    readonly agent: string;
    readonly approvers?: Approvers | undefined;
    readonly toolName: string;
    readonly input: unknown;
    readonly threadId: string;
    readonly principal: { readonly id: string } | undefined;
  }): Promise<boolean>;
}
