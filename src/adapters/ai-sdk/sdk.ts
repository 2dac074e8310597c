/** The part of `ai` (versions 6 and 7) that `fromAiSdkAgent` uses. */
export interface AiSdkStream {
  readonly fullStream: AsyncIterable<AiSdkPart>;
  readonly response: PromiseLike<{ readonly messages: readonly unknown[] }>;
  /** The messages of all steps, in version 7. */
  readonly responseMessages?: PromiseLike<readonly unknown[]>;
}

/** A `ToolLoopAgent`, or another agent of the AI SDK. */
export interface AiSdkAgent {
  readonly tools?: unknown;
  stream(options: { messages: never[]; abortSignal?: AbortSignal }): AiSdkStream | PromiseLike<AiSdkStream>;
}

/** A piece of `fullStream`; pieces that are not used have other members. */
export interface AiSdkPart {
  readonly type: string;
  readonly id?: string;
  readonly text?: string;
  readonly delta?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly preliminary?: boolean;
  readonly approvalId?: string;
  readonly isAutomatic?: boolean;
  /** Why a call waits, or why it was denied. */
  readonly reason?: string;
  readonly toolCall?: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
}
