import type { FilePartV2, FilePartV4, ResultPartV2, ResultPartV3, ResultPartV4 } from './file-forms.ts';
import type { ProviderCallOptions } from './provider-prompt.ts';

/** Metadata of a provider; a later request sends it back as provider options. */
export type ProviderMetadata = Readonly<Record<string, unknown>>;

type Count = number | undefined;

/** V2 has flat counts, V3 and V4 have groups. */
export interface ProviderUsage {
  readonly inputTokens:
    | Count
    | { readonly total: Count; readonly cacheRead: Count; readonly cacheWrite: Count };
  readonly outputTokens: Count | { readonly total: Count; readonly reasoning: Count };
  readonly totalTokens?: Count;
  readonly reasoningTokens?: Count;
  readonly cachedInputTokens?: Count;
}

/** A string in V2; V3 and V4 add the provider's own reason. */
export type ProviderFinishReason = string | { readonly unified: string };

/** V4 has a type; its file may also be only a URL. */
type ProviderFileData =
  | string
  | Uint8Array
  | { readonly type: 'data'; readonly data: string | Uint8Array }
  | { readonly type: 'url'; readonly url: URL };

interface Annotated {
  readonly providerMetadata?: ProviderMetadata | undefined;
}

/** One part of a response, of every specification. */
export type ProviderStreamPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | (Annotated & { readonly type: 'reasoning-start' | 'reasoning-end'; readonly id: string })
  | (Annotated & { readonly type: 'reasoning-delta'; readonly id: string; readonly delta: string })
  | {
      readonly type: 'tool-input-start';
      readonly id: string;
      readonly toolName: string;
      /** `text`: the deltas are plain text, and only the whole input is JSON. */
      readonly inputEncoding?: 'json' | 'text' | undefined;
      readonly providerExecuted?: boolean | undefined;
    }
  | { readonly type: 'tool-input-delta'; readonly id: string; readonly delta: string }
  | (Annotated & {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      /** JSON text, in every specification. */
      readonly input: string;
      readonly providerExecuted?: boolean | undefined;
    })
  | {
      /** Only for a call that the provider ran. */
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: unknown;
      readonly isError?: boolean | undefined;
      readonly preliminary?: boolean | undefined;
    }
  | { readonly type: 'tool-approval-request'; readonly toolCallId: string }
  | (Annotated & { readonly type: 'source'; readonly sourceType: string; readonly id: string })
  | { readonly type: 'file'; readonly mediaType: string; readonly data: ProviderFileData }
  | {
      readonly type: 'finish';
      readonly usage: ProviderUsage;
      readonly finishReason: ProviderFinishReason;
    }
  | { readonly type: 'error'; readonly error: unknown }
  | {
      readonly type:
        | 'text-start'
        | 'text-end'
        | 'tool-input-end'
        | 'stream-start'
        | 'response-metadata'
        | 'reasoning-file'
        | 'custom'
        | 'ping'
        | 'raw';
    };

/** The result of a model call. */
export interface ProviderStream {
  readonly stream: ReadableStream<ProviderStreamPart>;
}

interface ModelOf<Version, CallOptions> {
  readonly specificationVersion: Version;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions): PromiseLike<ProviderStream>;
}

/** A language model of the AI SDK, such as the result of `openai('gpt-5')`. */
export type AiSdkModel =
  | ModelOf<'v2', ProviderCallOptions<FilePartV2, ResultPartV2, 'provider-defined'>>
  | ModelOf<'v3', ProviderCallOptions<FilePartV2, ResultPartV3, 'provider'>>
  | ModelOf<'v4', ProviderCallOptions<FilePartV4, ResultPartV4, 'provider'>>;
