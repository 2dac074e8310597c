import { defined, HoldpointError } from '../../core/index.ts';
import type { ModelPart } from '../../engine/index.ts';
import { finishReasonOf } from './finish-reason.ts';
import type { ProviderStreamPart } from './provider-model.ts';
import { createReasoningBlocks } from './reasoning-blocks.ts';
import { toBase64 } from './to-base64.ts';
import { createTurnNote } from './turn-note.ts';
import { usageOf } from './usage.ts';

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
