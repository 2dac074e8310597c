import type { Grants } from '../../content/interrupts/index.ts';
import type { Clock, IdGenerator } from '../../core/index.ts';
import type { JsonPatch, StreamEmitter } from '../../protocol/index.ts';
import type { Policy } from '../tools/policy.ts';
import type { Principal, ToolContext } from '../tools/tool-context.ts';
import type { Tool } from '../tools/tool.ts';
import type { Checkpoints } from './checkpoints.ts';

/** How calls that need an approval are met where nobody may be there to give one. */
export type ApprovalMode = 'interactive' | 'denyAll' | 'denyApprovalRequired' | 'allowAll';

/** Runs around the body of a tool; may change what goes in and comes out, and may interrupt. */
export type ToolMiddleware = (
  call: { readonly tool: Tool; readonly input: unknown; readonly context: ToolContext },
  next: (input?: unknown) => Promise<unknown>,
) => Promise<unknown>;

/** What one run shares with everything that happens in it. */
export interface RunContext {
  /** The agent at work, by its id on the host; of a subagent, behind those of the agents that called it. */
  readonly agentId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly principal: Principal | undefined;
  readonly signal: AbortSignal;
  readonly emitter: StreamEmitter;
  readonly newId: IdGenerator;
  readonly clock: Clock;
  readonly mode: ApprovalMode;
  readonly policies: readonly Policy[];
  readonly grants: Grants | undefined;
  readonly toolMiddleware: readonly ToolMiddleware[];
  /** Who gave the answer to a question of this run. */
  readonly answeredBy: (interruptId: string) => Principal | undefined;
  /** Keeps what the run does, where a store is behind it. */
  readonly checkpoints: Checkpoints | undefined;
  /** Opens the secrets of answers, where a store keeps them. */
  readonly secrets: RunSecrets | undefined;
  /** Milliseconds that a question has which does not say itself when it expires. */
  readonly questionTtlMs: number | undefined;
  readonly state: { readonly value: unknown; patch(patch: JsonPatch): void };
  /** What a developer should know: a swallowed suspension, a journal that does not fit. */
  readonly warn: (warning: string) => void;
}

/** The signal of runs that nobody can stop. */
export const NEVER: AbortSignal = new AbortController().signal;

/**
 * Secrets that people answered with, where a store keeps the answers. Whatever a run keeps has only what stands for them;
 * they are put back at the moment an answer reaches the body that asked.
 */
export interface RunSecrets {
  /** Whether an answer with secrets can be kept at all. */
  readonly canKeep: boolean;
  /** Whether a value holds something that stands for a secret. */
  holds(value: unknown): boolean;
  /** An answer with its secrets in their places; the very value when it has none. */
  open(value: unknown): unknown;
}
