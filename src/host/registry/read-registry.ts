import type { Issue, Report } from '../../core/index.ts';
import { childPointer, each, expecting, invalidInput, isRecord, members } from '../../core/index.ts';
import type { Tool } from '../../engine/index.ts';
import type { AgentEntry } from './agent-entry.ts';
import { agentCheck, checkNames, copyEntry } from './agent-entry.ts';
import type { BuildingParts } from './build-agent.ts';
import type { Profile, ReadyProfile } from './profile.ts';
import { profileCheck, readyProfile } from './profile.ts';
import type { Toolbox, ToolEntry } from './tool-entry.ts';
import { isTool, stricterTool, toolCheck, toolIn } from './tool-entry.ts';

/** The data of a registry. It may come from JSON and then names code. */
export interface RegistryData {
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Tools, names of tools of `createRegistry`, or either with rules. */
  readonly tools: readonly (Tool | string | ToolEntry)[];
  readonly agents: readonly AgentEntry[];
}

/** Checked data, in our own copies. */
export interface RegistryParts extends BuildingParts {
  readonly toolbox: Toolbox;
  readonly agents: readonly AgentEntry[];
}

const anything = () => true;
const shape = members({ profiles: anything, tools: anything, agents: anything });

/**
 * The parts after a change; members that the change leaves out stay. Checks everything, unchanged agents included.
 * Throws `INPUT_INVALID` with all problems.
 */
export function readRegistry(change: unknown, current: RegistryParts): RegistryParts {
  const issues: Issue[] = [];
  const report: Report = (pointer, message) => issues.push({ pointer, message });
  const given = shape(change, '', report) && isRecord(change) ? change : {};
  const profiles = readProfiles(given['profiles'], current, report);
  const tools =
    given['tools'] === undefined ? current.tools : readTools(given['tools'], current.toolbox, report);
  const agents = given['agents'] === undefined ? current.agents : given['agents'];
  // A wrong profile is reported once, not again for every agent that uses it.
  const profileNames = isRecord(given['profiles']) ? Object.keys(given['profiles']) : profiles.keys();
  const check = agentCheck({ profileNames: new Set(profileNames), tools, code: current.code });
  each(check)(agents, '/agents', report);
  if (Array.isArray(agents)) checkNames(agents, report);
  if (issues.length > 0) throw invalidInput('registry', issues);
  // Checked member by member above.
  return { ...current, profiles, tools, agents: (agents as readonly AgentEntry[]).map(copyEntry) };
}

function readProfiles(
  given: unknown,
  { profiles, code }: RegistryParts,
  report: Report,
): ReadonlyMap<string, ReadyProfile> {
  if (given === undefined) return profiles;
  const read = new Map<string, ReadyProfile>();
  if (!expecting('an object of profiles by name', isRecord)(given, '/profiles', report)) return read;
  const check = profileCheck(code);
  for (const [name, profile] of Object.entries(given as Readonly<Record<string, unknown>>)) {
    if (!check(profile, childPointer('/profiles', name), report)) continue;
    const ready = readyProfile(profile as Profile, code);
    if (ready !== undefined) read.set(name, ready);
  }
  return read;
}

function readTools(given: unknown, toolbox: Toolbox, report: Report): ReadonlyMap<string, Tool> {
  const read = new Map<string, Tool>();
  if (!Array.isArray(given)) {
    expecting('a list of tools', Array.isArray)(given, '/tools', report);
    return read;
  }
  const check = toolCheck(toolbox);
  for (const [index, entry] of (given as readonly unknown[]).entries()) {
    const pointer = childPointer('/tools', index);
    const fits = check(entry, pointer, report);
    const tool = toolIn(entry, toolbox);
    if (tool === undefined) continue;
    if (read.has(tool.name)) report(pointer, `a tool ${JSON.stringify(tool.name)} is there already`);
    const hasRules = fits && isRecord(entry) && !isTool(entry);
    read.set(tool.name, hasRules ? stricterTool(tool, entry) : tool);
  }
  return read;
}
