import type { JsonSchema } from '../../core/schema/index.ts';
import type { Message, Metadata, TokenUsage } from '../../protocol/index.ts';

/** A tool in a model request. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** Settings of a model; it ignores unknown ones. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  /** Options for one provider, by its name. */
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

/** One call of a model. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly instructions: string | undefined;
  readonly tools: readonly ModelTool[];
  readonly settings: ModelSettings;
  readonly signal: AbortSignal;
}

/** The reason why a model stopped. */
export type ModelFinish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** A part of a model's output. */
export type ModelPart =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string; readonly encryptedValue?: string }
  /** A part of the arguments of a call, for readers; `tool-call` has all of them. */
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
  /** May throw at any time; the run then ends with `MODEL_FAILED`. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}
