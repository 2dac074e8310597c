import { childPointer, defined, isRecord } from '../../core/index.ts';
import type { ApprovalOptions, Tool } from '../../engine/index.ts';
import type { Check } from './check.ts';
import { aboveZero, distinct, expecting, filledText, members, optional } from './check.ts';
import { partOf, partOrName } from './registry-code.ts';

/** A tool with rules. By its name where data comes from JSON: one of the tools `createRegistry` was given. */
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

/** The tool that an entry of any form is about. */
export function toolIn(entry: unknown, toolbox: Toolbox): Tool | undefined {
  const given = isRecord(entry) && 'tool' in entry ? entry['tool'] : entry;
  return typeof given === 'string' || isTool(given) ? partOf(toolbox, given) : undefined;
}

/** The tools that may be named from now on. Entries of another form are for the check to report. */
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

/** How data may shape the question; what the tool's author demanded stays demanded. */
export interface ApprovalRules {
  readonly message?: string;
  readonly description?: string;
  /** A phrase to type, where the author wants none. */
  readonly confirmation?: string;
  readonly requireReason?: true;
  /** Milliseconds; the shorter of this and the author's. */
  readonly expiresInMs?: number;
}

/**
 * What data may say of a tool. It can only make a tool stricter than its author did: whoever may edit a registry must
 * not be able to lift an approval by it.
 */
export interface ToolRules {
  /** In addition to the tool's own. */
  readonly scopes?: readonly string[];
  readonly destructive?: true;
  /** Every call is put to a person; `false` is not possible here. */
  readonly approval?: true | ApprovalRules;
}

/** The tool under these rules; itself when they say nothing. */
export function stricterTool(tool: Tool, { scopes, destructive, approval }: ToolRules): Tool {
  if (scopes === undefined && destructive === undefined && approval === undefined) return tool;
  return {
    ...tool,
    scopes: [...new Set([...tool.scopes, ...(scopes ?? [])])],
    destructive: tool.destructive || destructive === true,
    approval: approval === undefined ? tool.approval : alwaysAsk(tool, approval === true ? {} : approval),
  };
}

/** The author's question with no condition left on it. */
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
