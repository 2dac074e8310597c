import type { FileReader, Grants } from '../../content/interrupts/index.ts';
import type { Clock, IdGenerator } from '../../core/index.ts';
import { oneOf } from '../../core/index.ts';
import type { JsonPatch, StreamEmitter } from '../../protocol/index.ts';
import type { Policy } from '../tools/policy.ts';
import type { Principal, ToolContext } from '../tools/tool-context.ts';
import type { Tool } from '../tools/tool.ts';
import type { Checkpoints } from './checkpoints.ts';

/** The handling of calls that need an approval, for example without a person. */
export type ApprovalMode = 'interactive' | 'denyAll' | 'denyApprovalRequired' | 'allowAll';

/** Runs around the body of a tool; may change input and output, and may interrupt. */
export type ToolMiddleware = (
  call: { readonly tool: Tool; readonly input: unknown; readonly context: ToolContext },
  next: (input?: unknown) => Promise<unknown>,
) => Promise<unknown>;

/** The check of the option `mode`. */
export const modeCheck = oneOf('interactive', 'denyAll', 'denyApprovalRequired', 'allowAll');

/** The shared context of one run. */
export interface RunContext {
  /** The id of the agent on the host; for a subagent, after those of the agents that called it. */
  readonly agentId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly principal: Principal | undefined;
  /** The ids of the principals who asked for the work of the run; a principal who only answered does not count. */
  readonly askers: readonly string[];
  readonly signal: AbortSignal;
  readonly emitter: StreamEmitter;
  readonly newId: IdGenerator;
  readonly clock: Clock;
  readonly mode: ApprovalMode;
  readonly policies: readonly Policy[];
  readonly grants: Grants | undefined;
  /** The files of the thread; undefined without files. */
  readonly files: FileReader | undefined;
  readonly toolMiddleware: readonly ToolMiddleware[];
  /** The principal who answered an interrupt of this run. */
  readonly answeredBy: (interruptId: string) => Principal | undefined;
  /** Whether the asker took an interrupt of this run back. */
  readonly isWithdrawn: (interruptId: string) => boolean;
  /** Stores the work of the run; undefined without a store. */
  readonly checkpoints: Checkpoints | undefined;
  /** Decrypts the secrets of answers; undefined without a store. */
  readonly secrets: RunSecrets | undefined;
  /** Milliseconds until an interrupt expires that sets no time itself. */
  readonly interruptTtlMs: number | undefined;
  readonly state: { readonly value: unknown; patch(patch: JsonPatch): void };
  /** Reports a problem to the developer: a caught suspension, a journal that does not fit, a call that failed. */
  readonly warn: (warning: string, failure?: CallFailure) => void;
}

/** A call whose tool threw. */
export interface CallFailure {
  /** The id of the call. */
  readonly call: string;
  readonly tool: string;
  /** What the tool threw. */
  readonly err: unknown;
}

/**
 * The secrets in stored answers. A run stores only their markers; the secrets are put back when an answer reaches
 * the body that asked.
 */
export interface RunSecrets {
  /** Whether answers with secrets can be stored. */
  readonly canKeep: boolean;
  /** Whether a value contains markers of secrets. */
  holds(value: unknown): boolean;
  /** An answer with its secrets in place; the same value if it has none. */
  open(value: unknown): unknown;
}
