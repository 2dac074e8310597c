import type {
  ChatContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
} from '../../content/index.ts';
import { isFunctionApprovalResponse, isFunctionCall } from '../../content/index.ts';
import { cancelledText, rejectionText } from '../../content/interrupts/index.ts';
import type { ContentAgent, ContentMessage } from './content-agent.ts';
import { contentAgent } from './content-agent.ts';

/** Whether a call needs an approval. */
export type ApprovalRule = (call: FunctionCallContent) => boolean | Promise<boolean>;

/**
 * Wraps an agent that shows its calls before it runs them. A call that the rule selects becomes an interrupt, and
 * the agent is stopped before it runs the call. After an approval the agent sees the call and the response, and runs
 * it; after a rejection it sees the call with the rejection as its result.
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
export function withApproval(agent: ContentAgent, rule: ApprovalRule): ContentAgent {
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
    result: cancelled === true ? cancelledText(undefined) : rejectionText(reason),
  }));
  return results.length === 0 ? [...messages] : [...messages, { role: 'tool', contents: results }];
}
