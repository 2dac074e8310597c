import type { AgentCard } from '@a2a-js/sdk';
import { A2A_PROTOCOL_VERSION } from '@a2a-js/sdk';
import type { Agent } from '../../engine/index.ts';

/** The card of an agent that is served at this address, without a slash at its end. */
export function agentCard(agent: Agent, url: string, given: Partial<AgentCard> = {}): AgentCard {
  const at = (protocolBinding: string) => ({
    url,
    protocolBinding,
    tenant: '',
    protocolVersion: A2A_PROTOCOL_VERSION,
  });
  const description = agent.description ?? `The agent ${agent.id}.`;
  return {
    name: agent.name ?? agent.id,
    description,
    version: '1.0.0',
    supportedInterfaces: [at('JSONRPC'), at('HTTP+JSON')],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [
      {
        id: agent.id,
        name: agent.name ?? agent.id,
        description,
        tags: ['holdpoint'],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
    ...given,
  };
}
