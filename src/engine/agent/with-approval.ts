import type {
  ChatContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
} from '../../content/index.ts';
import { isFunctionApprovalResponse, isFunctionCall } from '../../content/index.ts';
import { cancelledText, rejectionText } from '../../content/interrupts/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { Policy } from '../tools/policy.ts';
import type { Agent, GenerateOptions, GeneratingAgent } from './agent.ts';
import { assembleAgent, partsOf } from './assemble-agent.ts';
import type { ContentAgent, ContentMessage } from './content-agent.ts';
import { contentAgent } from './content-agent.ts';

/** Whether a call needs an approval. */
export type ApprovalRule = (call: FunctionCallContent) => boolean | Promise<boolean>;

/**
 * Wraps an agent that shows its calls before it runs them: an agent of `defineAgent`, or one of `contentAgent` that yields a
 * `functionCall` part and runs the call when it is asked for the next part. A call that the rule selects becomes an interrupt.
 *
 * An agent of `defineAgent` runs the call after the approval, as with a policy. A content agent is stopped before it runs the
 * call; after an approval it sees the call and the response, and runs it; after a rejection it sees the call with the rejection
 * as its result. Throws `INPUT_INVALID` for any other agent: it may run its calls before it shows them. Use the approvals of its
 * own framework.
 *
 * @example
 * ```ts
 * import { contentAgent, withApproval } from 'holdpoint';
 *
 * const payer = contentAgent({
 *   id: 'payer',
 *   async *run() {
 *     yield { type: 'functionCall', callId: 'c1', name: 'pay', arguments: { amount: 100 } };
 *   },
 * });
 * const careful = withApproval(payer, (call) => call.name === 'pay');
 * ```
 */
export function withApproval(agent: ContentAgent, rule: ApprovalRule): ContentAgent;
export function withApproval<Options extends GenerateOptions>(
  agent: GeneratingAgent<Options>,
  rule: ApprovalRule,
): GeneratingAgent<Options>;
export function withApproval(agent: Agent, rule: ApprovalRule): Agent {
  const parts = partsOf(agent);
  if (parts !== undefined) return assembleAgent({ ...parts, policies: [...parts.policies, policyOf(rule)] });
  const contents: unknown = 'contents' in agent ? agent.contents : undefined;
  if (typeof contents === 'function') return withApprovedContents(agent as ContentAgent, rule);
  throw new HoldpointError(
    'INPUT_INVALID',
    `The agent ${agent.id} may run its calls before it shows them. withApproval takes agents of defineAgent and contentAgent; use the approvals of its own framework.`,
  );
}

/** The rule as a policy, which holds the calls of the agent and of its subagents. */
function policyOf(rule: ApprovalRule): Policy {
  return async ({ toolName: name, toolCallId: callId, input }) =>
    (await rule({ type: 'functionCall', callId, name, arguments: input })) ? 'ask' : undefined;
}

function withApprovedContents(agent: ContentAgent, rule: ApprovalRule): ContentAgent {
  return contentAgent({
    ...agent,
    async *run(messages, context) {
      const decided = decisionsOf(messages);
      for await (const part of agent.contents(withDecisions(messages, decided), context)) {
        if (!isFunctionCall(part) || decided.has(part.callId) || !(await rule(part))) {
          yield part;
          continue;
        }
        yield part;
        yield { type: 'functionApprovalRequest', id: part.callId, functionCall: part };
        return;
      }
    },
  });
}

type Decisions = ReadonlyMap<string, FunctionApprovalResponseContent>;

/** The decisions about calls, by call id; the newest counts. */
function decisionsOf(messages: readonly ContentMessage[]): Decisions {
  const responses = messages.flatMap(({ contents }) => contents.filter(isFunctionApprovalResponse));
  return new Map(responses.map((response) => [response.functionCall.callId, response]));
}

/** A rejected call already has its result, so the agent does not run it. */
function withDecisions(messages: readonly ContentMessage[], decided: Decisions): ContentMessage[] {
  const rejected = [...decided.values()].filter(({ approved }) => !approved);
  const results = rejected.map(({ functionCall, reason, cancelled }): ChatContent => ({
    type: 'functionResult',
    callId: functionCall.callId,
    result: cancelled === true ? cancelledText() : rejectionText(reason),
  }));
  return results.length === 0 ? [...messages] : [...messages, { role: 'tool', contents: results }];
}
