import { childPointer, isRecord } from '../../core/index.ts';
import type { Tool } from '../../engine/index.ts';
import type { Check } from './check.ts';
import { aboveZero, distinct, expecting, filledText, members, optional } from './check.ts';
import { partOf, partOrName } from './registry-code.ts';
import type { ToolRules } from './stricter-tool.ts';

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
