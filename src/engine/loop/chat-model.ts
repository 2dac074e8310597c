import type { JsonSchema } from '../../core/schema/index.ts';
import type { Message, Metadata, TokenUsage } from '../../protocol/index.ts';

/** A tool as a model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** How a model is to write; what it does not know it ignores. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  /** For one provider only, by its name. */
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly instructions: string | undefined;
  readonly tools: readonly ModelTool[];
  readonly settings: ModelSettings;
  readonly signal: AbortSignal;
}

/** Why a model stopped. */
export type ModelFinish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** One piece of what a model writes. */
export type ModelPart =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string; readonly encryptedValue?: string }
  /** A piece of the arguments of a call, for whoever watches; `tool-call` says all of it. */
  | { readonly type: 'tool-input'; readonly callId: string; readonly name: string; readonly delta: string }
  /** A call. Without an id it gets one; `input` is JSON text. */
  | { readonly type: 'tool-call'; readonly callId?: string; readonly name: string; readonly input: string }
  | { readonly type: 'source'; readonly source: Metadata }
  | { readonly type: 'file'; readonly mimeType: string; readonly data: string }
  | {
      readonly type: 'finish';
      readonly reason: ModelFinish;
      readonly usage?: Omit<TokenUsage, 'provider' | 'model'>;
      readonly metadata?: Metadata;
    };

/** Anything that writes the next message of a conversation. */
export interface ChatModel {
  readonly provider?: string;
  readonly model?: string;
  /** May throw, at once or half way; the run then ends with `MODEL_FAILED`. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}
