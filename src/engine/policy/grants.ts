import type { Grant, Grants } from '../../content/questions/index.ts';
import { canonicalApprovers } from '../../content/questions/index.ts';
import { canonicalJson } from '../../core/index.ts';

/** Remembers decisions until the process ends. */
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
