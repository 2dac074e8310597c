import { canonicalJson } from '../../core/index.ts';
import type { Principal } from '../tools/tool-context.ts';

/** A decision that is remembered: this tool, or this tool with exactly these arguments, here or for this person. */
export interface Grant {
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
    readonly toolName: string;
    readonly input: unknown;
    readonly threadId: string;
    readonly principal: Principal | undefined;
  }): Promise<boolean>;
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
          grant.toolName === call.toolName &&
          (grant.input === undefined || canonicalJson(grant.input) === canonicalJson(call.input)) &&
          (grant.threadId === undefined || grant.threadId === call.threadId) &&
          (grant.principalId === undefined || grant.principalId === call.principal?.id),
      ),
  };
}
