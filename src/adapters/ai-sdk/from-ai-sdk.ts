import { HoldpointError, isRecord, kindOf } from '../../core/index.ts';
import type { ChatModel, ModelRequest } from '../../engine/index.ts';
import { FILES_V2, FILES_V3, FILES_V4 } from './file-forms.ts';
import { fromStream } from './from-stream.ts';
import type { AiSdkModel, ProviderStream } from './provider-model.ts';
import type { ProviderTool } from './to-call-options.ts';
import { toCallOptions } from './to-call-options.ts';

/** Options of every call that are not in a request. */
export interface FromAiSdkOptions {
  /** Tools that the provider runs itself, by the name the model uses; default none. They run without an approval. */
  readonly providerTools?: Readonly<Record<string, ProviderTool>>;
  /** HTTP headers of every call; default none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Turns a language model of the AI SDK, of specification V2, V3 or V4, into a `ChatModel`. URLs in messages are
 * passed on and never fetched. Throws `PROTOCOL_UNSUPPORTED` for other models.
 *
 * @example
 * ```ts
 * import { openai } from '@ai-sdk/openai';
 * import { defineAgent } from 'holdpoint';
 * import { fromAiSdk } from 'holdpoint/ai-sdk';
 *
 * const agent = defineAgent({ id: 'helper', model: fromAiSdk(openai('gpt-5')) });
 * ```
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): ChatModel {
  assertSupported(model);
  // `openai.responses` has the vendor `openai`: AG-UI and the SDK's provider options use that name.
  const vendor = model.provider.split('.')[0] ?? model.provider;
  return {
    provider: vendor,
    model: model.modelId,
    async *stream(request) {
      request.signal.throwIfAborted();
      const { stream } = await openStream(model, request, { ...options, vendor });
      yield* fromStream(readStream(stream, request.signal));
    },
  };
}

function openStream(
  model: AiSdkModel,
  request: ModelRequest,
  options: FromAiSdkOptions & { readonly vendor: string },
): PromiseLike<ProviderStream> {
  switch (model.specificationVersion) {
    case 'v2':
      return model.doStream(
        toCallOptions(request, { ...options, files: FILES_V2, toolType: 'provider-defined' }),
      );
    case 'v3':
      return model.doStream(toCallOptions(request, { ...options, files: FILES_V3, toolType: 'provider' }));
    case 'v4':
      return model.doStream(toCallOptions(request, { ...options, files: FILES_V4, toolType: 'provider' }));
  }
}

/** Checks the specification at run time: a program without types, or a cast, may pass another model. */
function assertSupported(model: unknown): void {
  if (!isRecord(model)) {
    const sentence = `fromAiSdk() needs a language model of the AI SDK, got ${kindOf(model)}.`;
    throw new HoldpointError('PROTOCOL_UNSUPPORTED', sentence);
  }
  const version = model['specificationVersion'];
  if (version === 'v2' || version === 'v3' || version === 'v4') return;
  throw new HoldpointError(
    'PROTOCOL_UNSUPPORTED',
    `The model ${String(model['modelId'])} has the specification ${String(version)}; only v2, v3 and v4 are supported.`,
  );
}

/**
 * Reads a stream to its end. Cancels the stream when the signal aborts, even if the stream ignores the signal, and
 * throws the signal's reason; cancels it too when the reader stops early.
 */
export async function* readStream<Part>(
  stream: ReadableStream<Part>,
  signal: AbortSignal,
): AsyncGenerator<Part, void> {
  const reader = stream.getReader();
  // A failed stream rejects a cancel; its failure is read elsewhere.
  const giveUp = () => {
    reader.cancel(signal.reason).catch(() => undefined);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
    giveUp();
  }
}
