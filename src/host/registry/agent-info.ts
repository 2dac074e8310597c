import type { JsonSchema } from '../../core/schema/index.ts';
import type { Tool } from '../../engine/index.ts';
import type { DialectName } from '../../protocol/index.ts';

/** A tool as it may be shown: plain JSON. */
export interface ToolInfo {
  /** Its name, by which agents and models call it. */
  readonly id: string;
  readonly description: string;
  readonly kind: Tool['kind'];
  readonly scopes: readonly string[];
  readonly destructive: boolean;
  /** Whether its calls are put to a person, as far as the tool and its agent say; policies may hold more. */
  readonly approval: 'always' | 'sometimes' | 'never';
  readonly inputSchema: JsonSchema;
}

/** An agent as it may be shown: plain JSON, without its instructions and its model. */
export interface AgentInfo {
  readonly id: string;
  readonly alias?: string;
  readonly name?: string;
  readonly description?: string;
  /** Absent for an agent that was handed over ready-made. */
  readonly profile?: string;
  /** The form on the wire where a request says none. */
  readonly dialect?: DialectName;
  readonly tools: readonly ToolInfo[];
}

export function toolInfo(tool: Tool, requireApproval = false): ToolInfo {
  const { name: id, description, kind, scopes, destructive, inputSchema } = tool;
  return {
    id,
    description,
    kind,
    scopes,
    destructive,
    approval: approvalOf(tool, requireApproval),
    inputSchema,
  };
}

function approvalOf({ kind, approval }: Tool, requireApproval: boolean): ToolInfo['approval'] {
  if (kind !== 'function' && kind !== 'agent') return 'never';
  if (approval === undefined) return requireApproval ? 'always' : 'never';
  if (typeof approval === 'boolean') return approval ? 'always' : 'never';
  return typeof approval === 'function' || approval.when !== undefined ? 'sometimes' : 'always';
}
