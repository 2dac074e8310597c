import type { Approvers, FileContent, OnExpire } from '../../content/interrupts/index.ts';
import type { InferOutput, SchemaLike } from '../../core/schema/index.ts';
import type { JsonPatch, Metadata } from '../../protocol/index.ts';
import type { StepOptions } from '../calls/journal.ts';

/** The caller. */
export interface Principal {
  readonly id: string;
  readonly scope?: string;
  readonly roles?: readonly string[];
}

/** Options of `ctx.interrupt`. */
export interface InterruptOptions {
  /** The text for the person. Default: none. */
  readonly message?: string;
  /** Default `confirmation`. */
  readonly reason?: string;
  /** Milliseconds until the interrupt expires. Default: that of the run. */
  readonly expiresInMs?: number;
  /** The expiry, in ISO 8601, in place of `expiresInMs`. */
  readonly expiresAt?: string;
  /** The principals who may answer. Default: those who may see the thread. */
  readonly approvers?: Approvers;
  /** The action when the interrupt expires. Default `keep`: it stays and can be asked again. */
  readonly onExpire?: OnExpire;
  /** Metadata of the interrupt. Default: none. */
  readonly metadata?: Metadata;
  /** The schema of the answer. Default: `resume` of the tool, else `output`, else any JSON. */
  readonly schema?: SchemaLike;
}

/** Options of `ctx.ask`. */
export interface AskOptions<Schema extends SchemaLike = SchemaLike> extends InterruptOptions {
  /** The schema of the answer. Default: any JSON. */
  readonly schema?: Schema;
  /** Pages of one form, as a hint for user interfaces. Default: one page. */
  readonly pages?: readonly Metadata[];
  /** Whether the person may skip it; the answer is then null. Default false. */
  readonly optional?: boolean;
}

/** Functions for a body to show its progress. */
export interface ToolEmitter {
  activity(messageId: string, activityType: string, content: Metadata): void;
  state(patch: JsonPatch): void;
  custom(name: string, value: unknown): void;
  /** Shows a named part of the work until it is ended. */
  step(name: string): { end(): void };
}

/** The files of the thread. */
export interface ToolFiles {
  /** Reads a file that a person has uploaded to this thread. Throws `NOT_FOUND` for a file that the thread does not have. */
  read(id: string): Promise<FileContent>;
}

/** Functions that pause ordinary code; the same in tools and in agents in plain code. */
export interface PausingContext {
  /**
   * Asks a person and returns the answer. The body stops here; with the answer it runs again from the top, finished
   * steps return their results, and this returns. Throws `ANSWER_CANCELLED` for a cancelled interrupt.
   */
  ask<Schema extends SchemaLike>(name: string, options: AskOptions<Schema>): Promise<InferOutput<Schema>>;
  /** Runs code once: its result is stored as JSON and returned when the body runs again. */
  step<Value>(name: string, run: () => Value | Promise<Value>, options?: StepOptions): Promise<Value>;
  readonly signal: AbortSignal;
  readonly files: ToolFiles;
  readonly emit: ToolEmitter;
  /** The current shared state of the thread. */
  readonly state: unknown;
  readonly threadId: string;
  readonly runId: string;
  readonly principal: Principal | undefined;
}

/** The context of a tool's body. */
export interface ToolContext<Resumed = unknown> extends PausingContext {
  /** The answer of the restart or approval; undefined only on the first run. */
  readonly resumed: Resumed | undefined;
  /** The arguments of the model if they were edited; else the input. */
  readonly originalInput: unknown;
  /**
   * Unique for this call and equal in all its runs: pass it to systems that must not act twice. With a store, it is
   * ASCII and stored before the body runs.
   */
  readonly idempotencyKey: string;
  readonly toolCallId: string;
  /** The principal who approved the call, if any. */
  readonly approvedBy: Principal | undefined;
  /**
   * Leaves the body. The call waits for an answer. Where the tool declares `resume`, the body runs again with the answer as `resumed`.
   * Where it declares `output` or this interrupt has a `schema`, and there is no `resume`, the answer is the output of the call. Where
   * both are declared, or neither is, the body runs again unless the answer says that it is the output.
   */
  interrupt(options?: InterruptOptions): never;
}
