/** Runs an agent without a host and verifies its events. */
import type { AgentStreamEvent, RunAgentInput } from '../../protocol/index.ts';
import { createVerifier } from '../../protocol/index.ts';
import type { Agent, AgentContext } from '../index.ts';

export async function collectEvents(
  agent: Agent,
  input: RunAgentInput,
  context?: AgentContext,
): Promise<AgentStreamEvent[]> {
  const events: AgentStreamEvent[] = [];
  const verifier = createVerifier();
  for await (const event of agent.run(input, context)) {
    verifier.check(event);
    events.push(event);
  }
  verifier.end();
  return events;
}
