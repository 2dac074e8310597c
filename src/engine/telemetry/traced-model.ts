import { defined } from '../../core/index.ts';
import type { ChatModel, ModelFinish, ModelPart, ModelRequest } from '../loop/chat-model.ts';
import { inputContent, outputContent } from './content-attributes.ts';
import type { Telemetry, TelemetryAttributes, TelemetryContext } from './telemetry.ts';
import { attributes, iterateIn, SPAN_KIND } from './telemetry.ts';

/** The finish reasons in the spelling of the GenAI conventions. */
const FINISH_REASONS: Readonly<Record<ModelFinish, string>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_call',
  error: 'error',
  other: 'other',
};

/** A model with a span `chat <model>` for each call, from the request to the last part. */
export function tracedModel(model: ChatModel, telemetry: Telemetry, runContext: TelemetryContext): ChatModel {
  return {
    ...defined({ provider: model.provider, model: model.model }),
    async *stream(request) {
      const { span, context } = telemetry.open(
        model.model === undefined ? 'chat' : `chat ${model.model}`,
        { kind: SPAN_KIND.client, attributes: requestAttributes(model, request) },
        runContext,
      );
      if (telemetry.captureContent) span.setAttributes(inputContent(request));
      const said: ModelPart[] = [];
      try {
        for await (const part of iterateIn(telemetry.api, context, () => model.stream(request))) {
          if (telemetry.captureContent) said.push(part);
          if (part.type === 'finish') {
            const reason = FINISH_REASONS[part.reason];
            span.setAttributes(finishAttributes(part, reason));
            if (telemetry.captureContent) span.setAttributes(outputContent(said, reason));
          }
          yield part;
        }
      } catch (error) {
        // A cancelled run has not failed.
        if (!request.signal.aborted) telemetry.fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function requestAttributes({ provider, model }: ChatModel, { settings }: ModelRequest): TelemetryAttributes {
  const { temperature, topP, maxOutputTokens, stopSequences, seed } = settings;
  return attributes({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.top_p': topP,
    'gen_ai.request.max_tokens': maxOutputTokens,
    'gen_ai.request.stop_sequences': stopSequences === undefined ? undefined : [...stopSequences],
    'gen_ai.request.seed': seed,
  });
}

function finishAttributes(
  { usage = {} }: Extract<ModelPart, { type: 'finish' }>,
  reason: string,
): TelemetryAttributes {
  return attributes({
    'gen_ai.response.finish_reasons': [reason],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteInputTokens,
  });
}
