import type { Approvers, OnExpire } from '../../content/interrupts/index.ts';
import type { InferOutput, SchemaLike } from '../../core/schema/index.ts';
import type { JsonPatch, Metadata } from '../../protocol/index.ts';
import type { StepOptions } from '../calls/journal.ts';

/** Who is calling. */
export interface Principal {
  readonly id: string;
  readonly scope?: string;
  readonly roles?: readonly string[];
}

/** What a body says when it stops to be run again with an answer. */
export interface InterruptOptions {
  readonly message?: string;
  /** Default `confirmation`. */
  readonly reason?: string;
  /** ISO 8601; the question expires then. */
  readonly expiresAt?: string;
  /** Who may answer; whoever can reach the question when absent. */
  readonly approvers?: Approvers;
  /** What becomes of it when nobody answers in time; by default it stays, and can be asked again. */
  readonly onExpire?: OnExpire;
  /** Travels with the question. */
  readonly metadata?: Metadata;
}

/** What a body asks in the middle of its work. */
export interface AskOptions<Schema extends SchemaLike = SchemaLike> extends InterruptOptions {
  /** What an answer must look like; any JSON when absent. */
  readonly schema?: Schema;
  /** Pages of one form, with a way back between them: a hint for user interfaces. */
  readonly pages?: readonly Metadata[];
  /** The person may leave it out; the answer is then null. */
  readonly optional?: boolean;
}

/** What a body may show while it works. */
export interface ToolEmitter {
  activity(messageId: string, activityType: string, content: Metadata): void;
  state(patch: JsonPatch): void;
  custom(name: string, value: unknown): void;
  /** Shows a part of the work by name, until it is ended. */
  step(name: string): { end(): void };
}

/** Pausing in the middle of ordinary code; the same in tools and in agents written as code. */
export interface PausingContext {
  /**
   * Asks a person and gives the answer. The body is left here; when the answer is there it runs again from the
   * top, finished steps give what they gave, and this returns. Throws `ANSWER_CANCELLED` when nobody will answer.
   */
  ask<Schema extends SchemaLike>(name: string, options: AskOptions<Schema>): Promise<InferOutput<Schema>>;
  /** Does something once: its result is kept, as JSON, and given back when the body runs again. */
  step<Value>(name: string, run: () => Value | Promise<Value>, options?: StepOptions): Promise<Value>;
  readonly signal: AbortSignal;
  readonly emit: ToolEmitter;
  /** The thread's shared state as it is now. */
  readonly state: unknown;
  readonly threadId: string;
  readonly runId: string;
  readonly principal: Principal | undefined;
}

/** What the body of a tool is given besides its input. */
export interface ToolContext<Resumed = unknown> extends PausingContext {
  /** The answer the call was restarted or approved with; undefined only on the first run. */
  readonly resumed: Resumed | undefined;
  /** What the model asked for, when it was edited; else the same as the input. */
  readonly originalInput: unknown;
  /**
   * The same for every run of this call, and of no other: hand it to whatever must not happen twice. Where a store keeps the
   * thread, it is ASCII and stored before the body runs.
   */
  readonly idempotencyKey: string;
  readonly toolCallId: string;
  /** Who approved the call, where someone did. */
  readonly approvedBy: Principal | undefined;
  /** Leaves the body; the call waits, and is run again with the answer as `resumed`. */
  interrupt(options?: InterruptOptions): never;
}
