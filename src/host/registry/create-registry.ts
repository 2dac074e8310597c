import type { Issue, Report } from '../../core/index.ts';
import { distinct, invalidInput } from '../../core/index.ts';
import type { Tool } from '../../engine/index.ts';
import type { AgentDefinition, AgentEntry } from './agent-entry.ts';
import { agentCheck, idOf } from './agent-entry.ts';
import type { ResolvedAgent } from './build-agent.ts';
import { buildAgent } from './build-agent.ts';
import { isName, nameIn, nameKey } from './names.ts';
import type { RegistryData, RegistryParts } from './read-registry.ts';
import { readRegistry } from './read-registry.ts';
import type { AgentInfo, RegistryCode, ToolInfo } from './registry-code.ts';
import { toolInfo } from './registry-code.ts';
import { toolboxOf } from './tool-entry.ts';

/** The options of {@link createRegistry}: data, and the code that the data names. */
export interface RegistryOptions extends RegistryCode, RegistryData {}

/** Agents by id and alias, from data that may change at any time. */
export interface Registry {
  /**
   * The current agent; undefined for an unknown name. Call it for each request: an active run keeps its agent, and
   * the run that resumes it gets the new one.
   */
  resolve(idOrAlias: string): ResolvedAgent | undefined;
  list(): readonly AgentInfo[];
  listTools(): readonly ToolInfo[];
  /** The tools with their rules. Throws `INPUT_INVALID` for an unknown or repeated id. */
  toTools(ids: readonly string[]): Tool[];
  /** An agent of these profiles and tools that the registry does not keep. Throws `INPUT_INVALID`. */
  createAgent(definition: AgentDefinition): ResolvedAgent;
  /**
   * Replaces profiles, tools, agents, or several of them at once; others stay. Throws `INPUT_INVALID` with all
   * problems and then changes nothing.
   */
  set(data: Partial<RegistryData>): void;
  /** Adds an agent, or replaces the one with its id. Throws like `set`. */
  setAgent(entry: AgentEntry): void;
  /** Returns false if there was none. */
  removeAgent(idOrAlias: string): boolean;
}

interface Snapshot {
  readonly parts: RegistryParts;
  readonly agents: readonly ResolvedAgent[];
  readonly byName: ReadonlyMap<string, ResolvedAgent>;
}

/**
 * Makes agents from data. Throws `INPUT_INVALID` with an issue and a JSON pointer for every problem.
 *
 * @example
 * ```ts
 * import { createRegistry } from 'holdpoint/host';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const registry = createRegistry({
 *   models: { small: scriptedModel(['Hello.']) },
 *   profiles: { careful: { model: 'small', instructions: 'Be careful.' } },
 *   tools: [],
 *   agents: [{ id: 'editor', profile: 'careful' }],
 * });
 * ```
 */
export function createRegistry({ profiles, tools, agents, ...code }: RegistryOptions): Registry {
  const empty = { profiles: new Map(), tools: new Map(), agents: [], toolbox: toolboxOf(tools), code };
  let current = snapshotOf(readRegistry({ profiles, tools, agents }, empty));
  const resolve = (idOrAlias: string) =>
    isName(idOrAlias) ? current.byName.get(nameKey(idOrAlias)) : undefined;
  const set = (data: Partial<RegistryData>) => {
    current = snapshotOf(readRegistry(data, current.parts));
  };
  return {
    resolve,
    set,
    list: () => current.agents.map(({ info }) => info),
    listTools: () => [...current.parts.tools.values()].map((tool) => toolInfo(tool)),
    toTools(ids) {
      const { tools } = current.parts;
      assertFits('list of tools', (report) => distinct(nameIn(tools, 'tool'))(ids, '', report));
      return ids.flatMap((id) => tools.get(id) ?? []);
    },
    createAgent(definition) {
      const { parts } = current;
      const known = { ...parts, profileNames: new Set(parts.profiles.keys()) };
      assertFits('agent', (report) => agentCheck(known)(definition, '', report));
      return buildAgent(definition, parts);
    },
    setAgent(entry) {
      const agents = [...current.parts.agents];
      const key = nameKey(idOf(entry) ?? '');
      const index = agents.findIndex((agent) => nameKey(idOf(agent) ?? '') === key);
      agents.splice(index === -1 ? agents.length : index, 1, entry);
      set({ agents });
    },
    removeAgent(idOrAlias) {
      const found = resolve(idOrAlias)?.info.id;
      if (found === undefined) return false;
      set({ agents: current.parts.agents.filter((agent) => idOf(agent) !== found) });
      return true;
    },
  };
}

/** Builds everything before it replaces anything. */
function snapshotOf(parts: RegistryParts): Snapshot {
  const agents = parts.agents.map((entry) => buildAgent(entry, parts));
  const names = agents.flatMap((resolved) => {
    const { id, alias = id } = resolved.info;
    return [id, alias].map((name): [string, ResolvedAgent] => [nameKey(name), resolved]);
  });
  return { parts, agents, byName: new Map(names) };
}

function assertFits(what: string, check: (report: Report) => boolean): void {
  const issues: Issue[] = [];
  if (!check((pointer, message) => issues.push({ pointer, message }))) throw invalidInput(what, issues);
}
