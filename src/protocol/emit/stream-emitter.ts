import type { ContentPart, JsonPatch, Metadata, TextMessageRole } from '@ag-ui/core';

/** An open stream: a text, the arguments of a call, a step. */
export interface OpenStream {
  readonly id: string;
  /** Writes a piece; skips an empty one. Throws `INTERNAL` after `end`. */
  delta(piece: string): void;
  /** Closes the stream; a second call does nothing. */
  end(): void;
}

/** Options of a text message. */
export interface TextOptions {
  readonly messageId?: string;
  readonly role?: TextMessageRole;
  readonly name?: string;
  readonly metadata?: Metadata;
}

/** Options of a tool call. */
export interface ToolCallOptions {
  readonly toolCallId?: string;
  readonly parentMessageId?: string;
  readonly metadata?: Metadata;
}

/** The events that an agent or a subagent can write while it runs. */
export interface StreamEmitter {
  text(options?: TextOptions): OpenStream;
  /** Opens a span of reasoning with one message in it. */
  reasoning(options?: { readonly messageId?: string }): OpenStream;
  toolCall(name: string, options?: ToolCallOptions): OpenStream;
  toolResult(
    toolCallId: string,
    content: string | ContentPart[],
    options?: { readonly messageId?: string; readonly metadata?: Metadata },
  ): void;
  step(name: string): { end(): void };
  state(snapshot: unknown): void;
  stateDelta(patch: JsonPatch): void;
  /** Writes an activity; it replaces the one with the same id. */
  activity(messageId: string, activityType: string, content: Readonly<Record<string, unknown>>): void;
  activityDelta(messageId: string, activityType: string, patch: JsonPatch): void;
  encryptedValue(subtype: 'tool-call' | 'message', entityId: string, encryptedValue: string): void;
  custom(name: string, value: unknown): void;
  raw(event: unknown, source?: string): void;
  subagent(options: SubagentOptions): SubagentEmitter;
}

/** Options of a subagent. */
export interface SubagentOptions {
  readonly name: string;
  readonly subagentRunId?: string;
  readonly description?: string;
  readonly parentToolCallId?: string;
  readonly parentMessageId?: string;
}

/** A subagent's part of a run; `end` closes its open streams. */
export interface SubagentEmitter extends StreamEmitter {
  readonly subagentRunId: string;
  finish(options?: { readonly result?: unknown }): void;
  /** Suspends the subagent until answers come; the ids are those of the interrupts in the run's outcome. */
  suspend(interruptIds: readonly string[]): void;
  fail(message: string, options?: { readonly code?: string }): void;
}
