import type { ModelPart, ModelRequest } from '../../../engine/index.ts';
import type { AiSdkModel, ProviderStreamPart } from '../provider-model.ts';

export type Version = AiSdkModel['specificationVersion'];

export const VERSIONS: readonly Version[] = ['v2', 'v3', 'v4'];

/** The call options of one version. */
export type CallOptionsOf<Name extends Version> = Parameters<
  Extract<AiSdkModel, { specificationVersion: Name }>['doStream']
>[0];

export function streamOf(parts: readonly ProviderStreamPart[]): ReadableStream<ProviderStreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** A fake model with a fixed response that records its calls. */
export function modelOf<Name extends Version>(
  specificationVersion: Name,
  parts: readonly ProviderStreamPart[] = [],
): { readonly model: AiSdkModel; readonly calls: CallOptionsOf<Name>[] } {
  const calls: CallOptionsOf<Name>[] = [];
  const model = {
    specificationVersion,
    provider: 'acme.chat',
    modelId: 'acme-1',
    doStream(options: CallOptionsOf<Name>) {
      calls.push(options);
      return Promise.resolve({ stream: streamOf(parts) });
    },
  };
  // The compiler cannot resolve the union through a type parameter.
  return { model: model as unknown as AiSdkModel, calls };
}

export function requestOf(request: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [],
    instructions: undefined,
    tools: [],
    settings: {},
    signal: new AbortController().signal,
    ...request,
  };
}

export async function collect(parts: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const collected: ModelPart[] = [];
  for await (const part of parts) collected.push(part);
  return collected;
}

/** A `finish` part of a version: four input tokens and six output tokens, two of them for reasoning. */
export function finishOf(version: Version, reason: string): ProviderStreamPart {
  if (version === 'v2') {
    const usage = {
      inputTokens: 4,
      outputTokens: 6,
      totalTokens: 12,
      reasoningTokens: 2,
      cachedInputTokens: 1,
    };
    return { type: 'finish', finishReason: reason, usage };
  }
  return {
    type: 'finish',
    finishReason: { unified: reason },
    usage: {
      inputTokens: { total: 4, cacheRead: 1, cacheWrite: 3 },
      outputTokens: { total: 6, reasoning: 2 },
    },
  };
}
