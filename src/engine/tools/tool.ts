import { HoldpointError } from '../../core/index.ts';
import type { JsonSchema, SchemaLike } from '../../core/schema/index.ts';
import { isStandardSchema } from '../../core/schema/index.ts';
import type { Metadata } from '../../protocol/index.ts';
import type { Approval, ApprovalOptions } from './approval.ts';
import type { ToolContext } from './tool-context.ts';

/** What the loop needs to know of a tool, whatever its types. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /**
   * `function` runs; `interrupt` is answered by a person; `exit` ends the run with its input as the result;
   * `agent` is another agent.
   */
  readonly kind: 'function' | 'interrupt' | 'exit' | 'agent';
  readonly input: SchemaLike;
  readonly inputSchema: JsonSchema;
  /** What `run` gives, or what a person answers. */
  readonly output: SchemaLike | ((input: unknown) => SchemaLike) | undefined;
  /** What a restart carries. */
  readonly resume: SchemaLike | undefined;
  readonly approval: Approval<unknown> | undefined;
  /** Cannot be undone: never allowed by a remembered decision. */
  readonly destructive: boolean;
  /** May be run again after a crash with the same key. */
  readonly idempotent: boolean;
  /** Changes when the body no longer fits its old journals. */
  readonly version: string | undefined;
  readonly timeoutMs: number | undefined;
  /** What a throwing body becomes: a result the model can act on, or a question to a person. */
  readonly onError: 'result' | 'interrupt';
  /** Stands for an agent's own code: nobody sees the call. */
  readonly hidden?: boolean;
  /** Where it may be used, for registries. */
  readonly scopes: readonly string[];
  title(input: unknown): string | undefined;
  /** Who may answer the question of an interrupt, and how long; `expiresInMs` is in milliseconds. */
  readonly question?: Pick<ApprovalOptions<unknown>, 'approvers' | 'onExpire' | 'expiresInMs'>;
  /** Metadata of the question, for an interrupt. */
  requestMetadata(input: unknown): Promise<{ readonly message?: string; readonly metadata?: Metadata }>;
  run(input: unknown, context: ToolContext): Promise<unknown>;
}

/** What a tool is when nobody says otherwise: it needs no approval of its own, and has no body. */
export const TOOL_DEFAULTS: Omit<Tool, 'name' | 'description' | 'kind' | 'input' | 'inputSchema'> = {
  output: undefined,
  resume: undefined,
  approval: false,
  destructive: false,
  idempotent: false,
  version: undefined,
  timeoutMs: undefined,
  onError: 'result',
  scopes: [],
  title: () => undefined,
  requestMetadata: async () => ({}),
  run: async () => undefined,
};

/** What a tool gives, or a person answers for it, for this input. */
export function outputSchema(tool: Tool, input: unknown): SchemaLike | undefined {
  const { output } = tool;
  // Some libraries' schemas are functions as well.
  if (isStandardSchema(output)) return output;
  return typeof output === 'function' ? output(input) : output;
}

/** Tools by name. Throws `INPUT_INVALID` for two of one name: a call must mean one thing. */
export function toolMap(tools: readonly Tool[]): Map<string, Tool> {
  const map = new Map<string, Tool>();
  for (const tool of tools) {
    if (map.has(tool.name)) {
      throw new HoldpointError('INPUT_INVALID', `Two tools have the name ${tool.name}.`);
    }
    map.set(tool.name, tool);
  }
  return map;
}
