import { defined, HoldpointError, toBase64 } from '../../core/index.ts';
import type { ModelFinish, ModelPart } from '../../engine/index.ts';
import type { TokenUsage } from '../../protocol/index.ts';
import type { ProviderFinishReason, ProviderStreamPart, ProviderUsage } from './provider-model.ts';
import { createReasoningBlocks } from './reasoning-blocks.ts';
import { createTurnNote } from './turn-note.ts';

type Finish = Extract<ModelPart, { type: 'finish' }>;

/**
 * Yields a response of any specification as model parts. Calls that the provider ran itself are noted in the
 * metadata of `finish` and are not yielded as `tool-call`. Throws `MODEL_FAILED` for an error part,
 * `PROTOCOL_UNSUPPORTED` when the provider asks for its own approval.
 */
export async function* fromStream(parts: AsyncIterable<ProviderStreamPart>): AsyncGenerator<ModelPart, void> {
  const shownInputs = new Map<string, string>();
  const reasoning = createReasoningBlocks();
  const note = createTurnNote();
  let finish: Finish = { type: 'finish', reason: 'other' };
  for await (const part of parts) {
    switch (part.type) {
      case 'text-delta':
        yield { type: 'text', delta: part.delta };
        break;
      case 'reasoning-start':
      case 'reasoning-end':
        reasoning.add(part);
        break;
      case 'reasoning-delta':
        reasoning.add(part);
        yield { type: 'reasoning', delta: part.delta };
        break;
      case 'tool-input-start':
        if (part.providerExecuted !== true && part.inputEncoding !== 'text')
          shownInputs.set(part.id, part.toolName);
        break;
      case 'tool-input-delta': {
        const name = shownInputs.get(part.id);
        if (name !== undefined) yield { type: 'tool-input', callId: part.id, name, delta: part.delta };
        break;
      }
      case 'tool-call':
        if (part.providerExecuted === true) {
          note.executed(part);
          break;
        }
        note.call(part.providerMetadata);
        yield { type: 'tool-call', callId: part.toolCallId, name: part.toolName, input: part.input };
        break;
      case 'tool-result':
        if (part.preliminary !== true) note.executed(part);
        break;
      case 'tool-approval-request': {
        const sentence = `The provider asks for an approval of its own call ${part.toolCallId}, which cannot be answered. Let its tool run without approval, or define the tool in the agent.`;
        throw new HoldpointError('PROTOCOL_UNSUPPORTED', sentence);
      }
      case 'source': {
        const { type: _type, ...source } = part;
        yield { type: 'source', source };
        break;
      }
      case 'file':
        yield filePart(part);
        break;
      case 'finish': {
        const usage = usageOf(part.usage);
        finish = {
          type: 'finish',
          reason: finishReasonOf(part.finishReason),
          ...defined({ usage }),
        };
        break;
      }
      case 'error':
        throw new HoldpointError('MODEL_FAILED', 'The model reported an error.', { cause: part.error });
      default:
      // Starts, ends, warnings and other parts add nothing to the conversation.
    }
  }
  const encryptedValue = reasoning.encode();
  if (encryptedValue !== undefined) yield { type: 'reasoning', delta: '', encryptedValue };
  const metadata = note.metadata();
  yield metadata === undefined ? finish : { ...finish, metadata };
}

function filePart({ mediaType, data }: Extract<ProviderStreamPart, { type: 'file' }>): ModelPart {
  if (typeof data === 'string') return { type: 'file', mimeType: mediaType, data };
  if (data instanceof Uint8Array) return { type: 'file', mimeType: mediaType, data: toBase64(data) };
  if (data.type === 'data') return filePart({ type: 'file', mediaType, data: data.data });
  // A file part needs bytes; a file with only a URL becomes a source.
  return { type: 'source', source: { sourceType: 'file', url: data.url.href, mediaType } };
}

/** Why the model stopped; an unknown reason reads as `other`. */
export function finishReasonOf(reason: ProviderFinishReason): ModelFinish {
  const word = typeof reason === 'string' ? reason : reason.unified;
  switch (word) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'tool-calls':
    case 'error':
      return word;
    // In V4, a response that was cut off; it is not an interrupt.
    case 'interrupted':
      return 'error';
    default:
      return 'other';
  }
}

type Counts = Omit<TokenUsage, 'provider' | 'model'>;

/** The token counts of a call in AG-UI's form; drops values that are not whole numbers. Undefined without a count. */
export function usageOf(usage: ProviderUsage): Counts | undefined {
  const { inputTokens: input, outputTokens: output } = usage;
  const isGrouped = typeof input === 'object';
  const inputTokens = isGrouped ? input.total : input;
  const outputTokens = typeof output === 'object' ? output.total : output;
  const counts: Record<keyof Counts, number | undefined> = {
    inputTokens,
    outputTokens,
    // AG-UI's total is a sum; the provider's total may include other counts.
    totalTokens:
      isCount(inputTokens) && isCount(outputTokens) ? inputTokens + outputTokens : usage.totalTokens,
    reasoningTokens: typeof output === 'object' ? output.reasoning : usage.reasoningTokens,
    cachedInputTokens: isGrouped ? input.cacheRead : usage.cachedInputTokens,
    cacheWriteInputTokens: isGrouped ? input.cacheWrite : undefined,
  };
  const known = Object.entries(counts).filter(([, count]) => isCount(count));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
