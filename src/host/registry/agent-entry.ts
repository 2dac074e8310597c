import type { Check, Report } from '../../core/index.ts';
import {
  aboveZero,
  childPointer,
  defined,
  distinct,
  each,
  expecting,
  isRecord,
  members,
  optional,
  text,
} from '../../core/index.ts';
import type { Agent, ContextProvider, Tool } from '../../engine/index.ts';
import type { DialectName } from '../../protocol/index.ts';
import { DIALECTS } from '../../protocol/index.ts';
import { isName, nameIn, nameKey } from './names.ts';
import type { RegistryCode } from './registry-code.ts';
import { isFunction, partOrName } from './registry-code.ts';

interface Described {
  /** A second name. Ids and aliases are unique among all agents, ignoring case. */
  readonly alias?: string;
  readonly name?: string;
  readonly description?: string;
  /** The dialect of requests that name none. Default: that of the agent, then that of the host. */
  readonly dialect?: DialectName;
}

/** An agent as data. */
export interface AgentDefinition extends Described {
  readonly id: string;
  readonly profile: string;
  /** Replaces the instructions of the profile. */
  readonly instructions?: string;
  /** Ids of tools. Default: none. */
  readonly tools?: readonly string[];
  /** Adds every tool that has one of these scopes. Default: none. */
  readonly toolScopes?: readonly string[];
  /** `require`: every call needs an approval, unless its tool is exempt. */
  readonly approval?: 'require';
  readonly maxTurns?: number;
  /** Functions, or names in `contextProviders`. */
  readonly contextProviders?: readonly (ContextProvider | string)[];
}

/** An agent that is not data: plain code, of a framework, or behind A2A. Its id is that of the agent. */
export interface ReadyAgent extends Described {
  readonly agent: Agent;
}

/** An agent of a registry: its definition as data, or a ready agent. */
export type AgentEntry = AgentDefinition | ReadyAgent;

/** The names that definitions may refer to. */
export interface KnownParts {
  readonly profileNames: ReadonlySet<string>;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly code: RegistryCode;
}

const name = expecting(
  'a name of 1 to 128 letters, digits, and . _ : @ -',
  (value) => typeof value === 'string' && isName(value),
);

const dialect = expecting(
  `one of ${[...DIALECTS.keys()].join(', ')}`,
  (value) => typeof value === 'string' && DIALECTS.has(value),
);

const described = {
  alias: optional(name),
  name: optional(text),
  description: optional(text),
  dialect: optional(dialect),
};

const ready = members({
  ...described,
  agent: (value, pointer, report) =>
    expecting('an agent', isAgent)(value, pointer, report) &&
    isRecord(value) &&
    name(value['id'], childPointer(pointer, 'id'), report),
});

export function agentCheck({ profileNames, tools, code }: KnownParts): Check {
  const scopes = new Set([...tools.values()].flatMap((tool) => tool.scopes));
  const definition = members({
    ...described,
    id: name,
    profile: nameIn(profileNames, 'profile'),
    instructions: optional(text),
    tools: optional(distinct(nameIn(tools, 'tool'))),
    toolScopes: optional(distinct(nameIn(scopes, 'tool with the scope'))),
    approval: optional(expecting('"require"', (value) => value === 'require')),
    maxTurns: optional(aboveZero),
    contextProviders: optional(each(partOrName(code.contextProviders, 'context provider', isFunction))),
  });
  return (value, pointer, report) =>
    (isRecord(value) && 'agent' in value ? ready : definition)(value, pointer, report);
}

/** Reports every id and alias that another agent already has. */
export function checkNames(entries: readonly unknown[], report: Report): void {
  const owners = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    if (!isRecord(entry)) continue;
    const places = { [isRecord(entry['agent']) ? 'agent/id' : 'id']: idOf(entry), alias: entry['alias'] };
    for (const [place, value] of Object.entries(places)) {
      if (typeof value !== 'string') continue;
      const owner = owners.get(nameKey(value)) ?? index;
      owners.set(nameKey(value), owner);
      if (owner === index) continue;
      report(`/agents/${index}/${place}`, `${JSON.stringify(value)} is taken by /agents/${owner}`);
    }
  }
}

/** The id of an entry of either form; undefined for anything else. */
export function idOf(entry: unknown): string | undefined {
  if (!isRecord(entry)) return undefined;
  const { id } = isRecord(entry['agent']) ? entry['agent'] : entry;
  return typeof id === 'string' ? id : undefined;
}

/** A copy, so that later changes of the caller's object have no effect. */
export function copyEntry(entry: AgentEntry): AgentEntry {
  if ('agent' in entry) return { ...entry };
  const { tools, toolScopes, contextProviders } = entry;
  return {
    ...entry,
    ...defined({
      tools: tools && [...tools],
      toolScopes: toolScopes && [...toolScopes],
      contextProviders: contextProviders && [...contextProviders],
    }),
  };
}

function isAgent(value: unknown): boolean {
  return isRecord(value) && typeof value['run'] === 'function';
}
