import { HoldpointError, isRecord, kindOf } from '../../core/index.ts';
import type { ChatModel, ModelRequest } from '../../engine/index.ts';
import { FILES_V2, FILES_V3, FILES_V4 } from './file-forms.ts';
import { fromStream } from './from-stream.ts';
import type { AiSdkModel, ProviderStream } from './provider-model.ts';
import { readStream } from './read-stream.ts';
import type { ProviderTool } from './to-call-options.ts';
import { toCallOptions } from './to-call-options.ts';

/** What goes along with every call and is not in a request. */
export interface FromAiSdkOptions {
  /** Tools that the provider runs itself, by the name the model calls them by. Nobody is asked before they run. */
  readonly providerTools?: Readonly<Record<string, ProviderTool>>;
  /** HTTP headers of every call. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Any language model of the AI SDK, of specification V2, V3 or V4, as a model of ours. URLs in messages are handed on
 * and never fetched. Throws `PROTOCOL_UNSUPPORTED` for anything else.
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): ChatModel {
  assertSupported(model);
  // `openai.responses` is the vendor `openai`: that is how AG-UI names providers, and the SDK its provider options.
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

/** The type says it; a program without types, or a newer SDK behind a cast, may still bring something else. */
function assertSupported(model: unknown): void {
  if (!isRecord(model)) {
    const sentence = `A language model of the AI SDK is needed, not ${kindOf(model)}.`;
    throw new HoldpointError('PROTOCOL_UNSUPPORTED', sentence);
  }
  const version = model['specificationVersion'];
  if (version === 'v2' || version === 'v3' || version === 'v4') return;
  throw new HoldpointError(
    'PROTOCOL_UNSUPPORTED',
    `The model ${String(model['modelId'])} is of the specification ${String(version)}; v2, v3 and v4 are supported.`,
  );
}
