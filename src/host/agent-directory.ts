import { defined, HoldpointError } from '../core/index.ts';
import type { Agent } from '../engine/index.ts';
import type { AgentLike, HostAgent } from '../runs/index.ts';
import { toHostAgent } from '../runs/index.ts';
import type { Registry } from './registry/create-registry.ts';

/** Finds the agents of a host by id or alias. */
export interface AgentDirectory {
  resolve(idOrAlias: string): HostAgent | undefined;
  list(): readonly HostAgent[];
}

/** The agents of a host: a list, a record by name, or a registry that can change. */
export type Agents = readonly AgentLike[] | Readonly<Record<string, AgentLike>> | Registry;

/** `wrap` is applied once to every agent. */
export function createDirectory(
  agents: Agents,
  wrap: (agent: Agent) => Agent = (agent) => agent,
): AgentDirectory {
  const wrapped = new WeakMap<Agent, Agent>();
  const around = (host: HostAgent): HostAgent => {
    const agent = wrapped.get(host.agent) ?? wrap(host.agent);
    wrapped.set(host.agent, agent);
    return { ...host, agent };
  };

  if (isRegistry(agents)) {
    const toHost = (info: ReturnType<Registry['list']>[number]): HostAgent | undefined => {
      const resolved = agents.resolve(info.id);
      if (resolved === undefined) return undefined;
      return {
        ...around(toHostAgent(resolved.agent, info.id)),
        ...defined({ alias: info.alias, dialect: info.dialect }),
      };
    };
    return {
      resolve(idOrAlias) {
        const found = agents.resolve(idOrAlias);
        return found === undefined ? undefined : toHost(found.info);
      },
      list: () => agents.list().flatMap((info) => toHost(info) ?? []),
    };
  }
  const made = Array.isArray(agents)
    ? agents.map((agent: AgentLike) => toHostAgent(agent))
    : Object.entries(agents).map(([name, agent]) => toHostAgent(agent, name));
  const list = made.map(around);
  const byId = new Map(list.map((agent) => [agent.id.toLowerCase(), agent]));
  if (byId.size < list.length) throw new HoldpointError('INPUT_INVALID', 'Two agents have the same id.');
  return { resolve: (id) => byId.get(id.toLowerCase()), list: () => list };
}

function isRegistry(agents: Agents): agents is Registry {
  return 'resolve' in agents && typeof agents.resolve === 'function' && 'list' in agents;
}
