import { defined } from '../../core/index.ts';
import type { Agent, AgentContext } from '../../engine/index.ts';
import type { RunAgentInput } from '../../protocol/index.ts';
import type { ObservableClass } from './sdk.ts';

/**
 * Makes an `AbstractAgent` of an agent of yours, for programs that take one in process, such as CopilotKit's runtime. It trusts
 * its caller with the messages, as `generate` without a store does; a host does not.
 *
 * @example
 * ```ts
 * import { AbstractAgent } from '@ag-ui/client';
 * import { toAbstractAgent } from 'holdpoint/ag-ui';
 * import { Observable } from 'rxjs';
 *
 * const abstractAgent = toAbstractAgent(assistant, { AbstractAgent, Observable });
 * ```
 */
export function toAbstractAgent<Base, Observable>(
  agent: Agent,
  sdk: {
    readonly AbstractAgent: abstract new (config?: { agentId?: string; description?: string }) => Base;
    readonly Observable: ObservableClass<Observable>;
  },
  context: AgentContext = {},
): Base {
  const run = (input: RunAgentInput): Observable =>
    new sdk.Observable((subscriber) => {
      const stop = new AbortController();
      const pump = async () => {
        const events = agent.run(input, { ...context, signal: stop.signal });
        for await (const event of events) subscriber.next(event as never);
        subscriber.complete();
      };
      pump().catch((error: unknown) => subscriber.error(error));
      return () => stop.abort();
    });
  const Parent = sdk.AbstractAgent as unknown as new (config: object) => object;
  class HoldpointAgent extends Parent {
    run(input: RunAgentInput): Observable {
      return run(input);
    }
  }
  const { description } = agent;
  const made: object = new HoldpointAgent({
    agentId: agent.id,
    ...defined({ description }),
  });
  return made as Base;
}
