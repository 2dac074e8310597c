import type { JsonSchema, SchemaLike } from '../../core/schema/index.ts';
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
