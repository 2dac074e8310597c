import type { Approvers } from '../../content/interrupts/index.ts';
import { defined } from '../../core/index.ts';
import type { AgentContext } from '../agent/agent.ts';
import type { Tool } from '../tools/tool.ts';
import { decideCall } from './decide-call.ts';
import type { RunContext } from './run-context.ts';

/** A call that an agent of another framework wants an approval for, and shows before it makes it. */
export interface ShownCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  /** The people who may approve it without a policy. */
  readonly approvers: Approvers | undefined;
}

/** The decision about a shown call. */
export type ShownDecision =
  /** The mode of the run gives the approval. */
  | { readonly type: 'approve' }
  | { readonly type: 'ask'; readonly message?: string; readonly approvers?: Approvers }
  | { readonly type: 'deny'; readonly text: string };

/**
 * Decides about a shown call by the policies and the mode of a run, as about a call of a tool with `approval`. A policy that allows
 * leaves the approval to people, because the framework wants one. A policy that throws denies.
 */
export async function decideShownCall(
  { toolName, toolCallId, input, approvers }: ShownCall,
  threadId: string,
  { policies = [], mode = 'interactive', principal, onError }: AgentContext,
): Promise<ShownDecision> {
  const tool = {
    name: toolName,
    destructive: false,
    scopes: [],
    version: undefined,
    approval: defined({ approvers }),
  };
  const call = { tool, toolCallId, input, given: input, requireApproval: true };
  const run = { policies, mode, principal, threadId, grants: undefined };
  try {
    // A decision reads no other members of the tool and of the run.
    const decided = await decideCall(
      call as unknown as Parameters<typeof decideCall>[0] & { readonly tool: Tool },
      run as unknown as RunContext,
    );
    if (decided.type === 'deny') return decided;
    if (decided.type === 'run') return { type: 'approve' };
    const { message, approvers: people } = decided.options;
    const text = typeof message === 'string' ? message : undefined;
    return { type: 'ask', ...defined({ message: text, approvers: people }) };
  } catch (error) {
    onError?.(error);
    return {
      type: 'deny',
      text: `${toolName} was not made: whether it needs an approval could not be decided.`,
    };
  }
}
