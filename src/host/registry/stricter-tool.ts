import type { ApprovalOptions, Tool } from '../../engine/index.ts';

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
    ...(confirmation === undefined ? {} : { confirmation }),
    ...(times.length === 0 ? {} : { expiresInMs: Math.min(...times) }),
  };
}
