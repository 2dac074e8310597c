import type { Check } from '../../core/index.ts';
import {
  aboveZero,
  childPointer,
  defined,
  distinct,
  expecting,
  filledText,
  isRecord,
  members,
  optional,
} from '../../core/index.ts';
import type { ApprovalOptions, Tool } from '../../engine/index.ts';
import { partOf, partOrName } from './registry-code.ts';

/** A tool with rules. In JSON, the name of a tool of `createRegistry`. */
export interface ToolEntry extends ToolRules {
  readonly tool: Tool | string;
}

/** Tools that data can name. */
export type Toolbox = Readonly<Record<string, Tool>>;

const isTrue = expecting('true, since data cannot make a tool less strict', (value) => value === true);

const approvalRules = members({
  message: optional(filledText),
  description: optional(filledText),
  confirmation: optional(filledText),
  requireReason: optional(isTrue),
  expiresInMs: optional(aboveZero),
});

export function isTool(value: unknown): value is Tool {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['run'] === 'function';
}

/** The tool of an entry of any form. */
export function toolIn(entry: unknown, toolbox: Toolbox): Tool | undefined {
  const given = isRecord(entry) && 'tool' in entry ? entry['tool'] : entry;
  return typeof given === 'string' || isTool(given) ? partOf(toolbox, given) : undefined;
}

/** The tools that can be named now. The check reports entries of another form. */
export function toolboxOf(entries: unknown): Toolbox {
  const tools = (Array.isArray(entries) ? entries : []).flatMap((entry: unknown) => toolIn(entry, {}) ?? []);
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}

export function toolCheck(toolbox: Toolbox): Check {
  const tool = partOrName(toolbox, 'tool', isTool);
  const rules = members({
    tool,
    scopes: optional(distinct(filledText)),
    destructive: optional(isTrue),
    approval: optional((value, pointer, report) =>
      (isRecord(value) ? approvalRules : isTrue)(value, pointer, report),
    ),
  });
  return (value, pointer, report) => {
    if (!isRecord(value) || !('tool' in value)) return tool(value, pointer, report);
    if (!rules(value, pointer, report)) return false;
    const kind = toolIn(value, toolbox)?.kind;
    if (value['approval'] === undefined || kind === 'function' || kind === 'agent') return true;
    report(childPointer(pointer, 'approval'), `does nothing for a tool of the kind ${String(kind)}`);
    return false;
  };
}

/** Rules of data for the interrupt; requirements of the tool's author stay. */
export interface ApprovalRules {
  readonly message?: string;
  readonly description?: string;
  /** A phrase to type, if the author requires none. */
  readonly confirmation?: string;
  readonly requireReason?: true;
  /** Milliseconds; the shorter of this and the author's value. */
  readonly expiresInMs?: number;
}

/**
 * Rules of data for a tool. They can only make the tool stricter, so that an editor of the registry cannot remove an
 * approval.
 */
export interface ToolRules {
  /** Added to the scopes of the tool. */
  readonly scopes?: readonly string[];
  readonly destructive?: true;
  /** Every call needs an approval; `false` is not possible here. */
  readonly approval?: true | ApprovalRules;
}

/** Adds these rules to the tool. Without rules it returns the tool unchanged. */
export function stricterTool(tool: Tool, { scopes, destructive, approval }: ToolRules): Tool {
  if (scopes === undefined && destructive === undefined && approval === undefined) return tool;
  return {
    ...tool,
    scopes: [...new Set([...tool.scopes, ...(scopes ?? [])])],
    destructive: tool.destructive || destructive === true,
    approval: approval === undefined ? tool.approval : alwaysAsk(tool, approval === true ? {} : approval),
  };
}

/** The approval of the author, without its condition. */
function alwaysAsk({ approval }: Tool, rules: ApprovalRules): ApprovalOptions<unknown> {
  const { when: _condition, ...own } = typeof approval === 'object' ? approval : {};
  const { confirmation = rules.confirmation } = own;
  const times = [own.expiresInMs, rules.expiresInMs].filter((time) => time !== undefined);
  return {
    ...own,
    ...rules,
    ...defined({ confirmation }),
    ...(times.length === 0 ? {} : { expiresInMs: Math.min(...times) }),
  };
}
