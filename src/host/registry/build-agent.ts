import { defined, HoldpointError } from '../../core/index.ts';
import type { Agent, Tool } from '../../engine/index.ts';
import { defineAgent } from '../../runs/index.ts';
import type { AgentDefinition, AgentEntry } from './agent-entry.ts';
import type { ReadyProfile } from './profile.ts';
import type { AgentInfo, RegistryCode } from './registry-code.ts';
import { partsOf, toolInfo } from './registry-code.ts';

/** An agent that can run, and its public description. */
export interface ResolvedAgent {
  readonly agent: Agent;
  readonly info: AgentInfo;
}

/** The parts to build agents from entries. */
export interface BuildingParts {
  readonly profiles: ReadonlyMap<string, ReadyProfile>;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly code: RegistryCode;
}

/** Builds the agent of a checked entry. */
export function buildAgent(entry: AgentEntry, parts: BuildingParts): ResolvedAgent {
  const agent = 'agent' in entry ? entry.agent : agentOf(entry, parts);
  const info = infoOf(entry, agent);
  return { agent: parts.code.wrap?.(agent, info) ?? agent, info };
}

function agentOf(definition: AgentDefinition, { profiles, tools, code }: BuildingParts): Agent {
  const { id, name, description, approval, maxTurns } = definition;
  const profile = profiles.get(definition.profile);
  if (profile === undefined) {
    throw new HoldpointError('INTERNAL', `The profile ${definition.profile} was not checked.`);
  }
  const instructions = definition.instructions ?? profile.instructions;
  return defineAgent({
    id,
    ...defined({ name, description }),
    model: profile.model,
    ...defined({ instructions }),
    tools: toolsOf(definition, tools),
    ...defined({ approval, maxTurns }),
    settings: profile.settings,
    contextProviders: partsOf(code.contextProviders, definition.contextProviders),
    middleware: profile.middleware,
  });
}

/** The named tools in order, then those of the scopes in the order of the registry. */
function toolsOf({ tools = [], toolScopes = [] }: AgentDefinition, all: ReadonlyMap<string, Tool>): Tool[] {
  const named = tools.flatMap((id) => all.get(id) ?? []);
  const scoped = [...all.values()].filter((tool) => tool.scopes.some((scope) => toolScopes.includes(scope)));
  return [...new Set([...named, ...scoped])];
}

function infoOf(entry: AgentEntry, agent: Agent): AgentInfo {
  const { alias, name = agent.name, description = agent.description, dialect = agent.dialect } = entry;
  const definition = 'agent' in entry ? undefined : entry;
  const shown = (agent.tools ?? []).filter(({ hidden }) => hidden !== true);
  return {
    id: agent.id,
    ...defined({ alias, name, description }),
    ...defined({ profile: definition?.profile }),
    ...defined({ dialect }),
    tools: shown.map((tool) => toolInfo(tool, definition?.approval === 'require')),
  };
}
