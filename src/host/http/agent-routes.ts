import type { Hono } from 'hono';
import type { AgentCapabilities } from '@ag-ui/core';
import type { HostAgent } from '../agents/host-agent.ts';
import type { HostParts } from '../host-parts.ts';
import { agentNamed, assertAllowed, isAllowed } from '../host-parts.ts';
import type { HostEnv } from './host-env.ts';

/** `GET /agents` and `GET /agents/:agent`: what there is, and what it can do. */
export function addAgentRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  app.get('/agents', async (context) => {
    const principal = context.get('principal');
    const all = parts.agents.list();
    const mayRead = await Promise.all(
      all.map(({ id }) => isAllowed(parts, principal, { action: 'read', agent: id })),
    );
    return context.json({ agents: all.filter((_agent, index) => mayRead[index]).map(describe) });
  });
  app.get('/agents/:agent', async (context) => {
    const agent = agentNamed(parts, context.req.param('agent'));
    await assertAllowed(parts, context.get('principal'), { action: 'read', agent: agent.id });
    return context.json({ ...describe(agent), capabilities: capabilitiesOf(agent) });
  });
}

function describe({ id, alias, name, description, agent }: HostAgent) {
  return {
    id,
    ...(alias === undefined ? {} : { alias }),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(agent.metadata === undefined ? {} : { metadata: agent.metadata }),
  };
}

/** What an agent can do, read off what it is made of. */
function capabilitiesOf({ id, name, description, agent, isOurs }: HostAgent): AgentCapabilities {
  const tools = agent.tools ?? [];
  return {
    identity: {
      name: name ?? id,
      ...(description === undefined ? {} : { description }),
    },
    transport: { streaming: true, httpBinary: true, resumable: true },
    tools: {
      supported: isOurs,
      clientProvided: isOurs,
      parallelCalls: isOurs,
      items: tools
        .filter(({ hidden }) => hidden !== true)
        .map((tool) => ({
          name: tool.name,
          description: tool.description,
          parameters: tool.inputSchema as Record<string, unknown>,
        })),
    },
    state: { snapshots: true, deltas: true, persistentState: true },
    humanInTheLoop: {
      supported: true,
      approvals: true,
      interrupts: true,
      interventions: tools.some(({ approval }) => isEditable(approval)),
      approveWithEdits: tools.some(({ approval }) => isEditable(approval)),
    },
  };
}

function isEditable(approval: unknown): boolean {
  return (
    typeof approval === 'object' && approval !== null && 'editable' in approval && approval.editable === true
  );
}
