import type { Hono } from 'hono';
import { HoldpointError } from '../../core/index.ts';
import type { HostAgent } from '../../runs/index.ts';
import type { HostParts } from '../host-parts.ts';
import { agentNamed } from '../host-parts.ts';
import { capabilitiesOf } from './capabilities-of.ts';
import type { HostEnv } from './host-env.ts';

/** `GET /agents` and `GET /agents/:agent`: what there is, and what it can do. */
export function addAgentRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  app.get('/agents', async (context) => {
    const principal = context.get('principal');
    const all = parts.agents.list();
    const mayRead = await Promise.all(
      all.map(({ id }) => parts.gate.isAllowed(principal, { action: 'read', agent: id })),
    );
    return context.json({ agents: all.filter((_agent, index) => mayRead[index]).map(describe) });
  });
  app.get('/agents/:agent', async (context) => {
    const agent = agentNamed(parts, context.req.param('agent'));
    const principal = context.get('principal');
    if (!(await parts.gate.isAllowed(principal, { action: 'read', agent: agent.id }))) {
      throw new HoldpointError('FORBIDDEN', `${principal.id} may not read this.`);
    }
    const capabilities = await capabilitiesOf(agent, parts);
    return context.json({ ...describe(agent), capabilities });
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
