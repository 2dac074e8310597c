import type { IdGenerator } from '../../core/index.ts';
import { defined, HoldpointError } from '../../core/index.ts';
import type {
  Message,
  Metadata,
  OpenStream,
  StreamEmitter,
  TokenUsage,
  ToolCall,
} from '../../protocol/index.ts';
import { isSuspension } from '../calls/journal.ts';
import type { ChatModel, ModelFinish, ModelPart } from './chat-model.ts';

/** What a model wrote in one turn. */
export interface ModelTurn {
  /** Its reasoning, if it showed any, then its message. */
  readonly messages: readonly Message[];
  readonly calls: readonly ToolCall[];
  readonly text: string;
  readonly reason: ModelFinish;
  readonly usage: TokenUsage | undefined;
}

export interface TurnOptions {
  readonly emitter: StreamEmitter;
  readonly newId: IdGenerator;
  /** Whether the conversation already has a call with this id: another call never gets it. */
  readonly isUsedCallId: (id: string) => boolean;
}

/** Reads a model's parts into messages, showing them as they come. Throws `MODEL_FAILED` when the model does. */
export async function writeTurn(
  model: ChatModel,
  parts: AsyncIterable<ModelPart>,
  options: TurnOptions,
): Promise<ModelTurn> {
  const { emitter, newId } = options;
  const messageId = newId();
  let reasoningId: string | undefined;
  let text = '';
  let reasoning = '';
  let encryptedValue: string | undefined;
  let open: { readonly type: 'text' | 'reasoning'; readonly stream: OpenStream } | undefined;
  const calls = new Map<string, { readonly stream: OpenStream; readonly name: string; shown: string }>();
  const finished: ToolCall[] = [];
  const extras: Metadata = {};
  let reason: ModelFinish = 'other';
  let usage: TokenUsage | undefined;

  const write = (type: 'text' | 'reasoning', delta: string) => {
    if (delta === '') return;
    if (open?.type !== type) {
      open?.stream.end();
      const stream =
        type === 'text'
          ? emitter.text({ messageId })
          : emitter.reasoning({ messageId: (reasoningId ??= newId()) });
      open = { type, stream };
    }
    open.stream.delta(delta);
  };
  const openCall = (modelId: string | undefined, name: string) => {
    open?.stream.end();
    open = undefined;
    const taken = modelId === undefined || modelId === '' || options.isUsedCallId(modelId);
    const isTaken = taken || finished.some(({ id }) => id === modelId);
    const stream = emitter.toolCall(name, {
      toolCallId: isTaken || modelId === undefined ? newId() : modelId,
      parentMessageId: messageId,
    });
    return { stream, name, shown: '' };
  };

  try {
    for await (const part of parts) {
      switch (part.type) {
        case 'text':
          text += part.delta;
          write('text', part.delta);
          break;
        case 'reasoning':
          reasoning += part.delta;
          encryptedValue = part.encryptedValue ?? encryptedValue;
          reasoningId ??= newId();
          write('reasoning', part.delta);
          break;
        case 'tool-input': {
          const call = calls.get(part.callId) ?? openCall(part.callId, part.name);
          calls.set(part.callId, call);
          call.stream.delta(part.delta);
          call.shown += part.delta;
          break;
        }
        case 'tool-call': {
          const shown = part.callId === undefined ? undefined : calls.get(part.callId);
          const call = shown ?? openCall(part.callId, part.name);
          if (part.callId !== undefined) calls.delete(part.callId);
          // What was shown in pieces is what was said, unless the model then says otherwise.
          const input = part.input === '' ? '{}' : part.input;
          if (call.shown === '') call.stream.delta(input);
          call.stream.end();
          finished.push({
            id: call.stream.id,
            type: 'function',
            function: { name: part.name, arguments: input },
          });
          break;
        }
        case 'source':
          extras['sources'] = [...listOf(extras['sources']), part.source];
          break;
        case 'file':
          extras['files'] = [...listOf(extras['files']), { mimeType: part.mimeType, data: part.data }];
          break;
        case 'finish':
          reason = part.reason;
          if (part.usage !== undefined) usage = { ...labels(model), ...part.usage };
          Object.assign(extras, part.metadata);
          break;
      }
    }
  } catch (cause) {
    if (HoldpointError.is(cause) || isSuspension(cause)) throw cause;
    throw new HoldpointError('MODEL_FAILED', 'The model failed.', { cause });
  }
  open?.stream.end();
  for (const { stream } of calls.values()) stream.end();
  const assistant: Message = {
    id: messageId,
    role: 'assistant',
    ...(text === '' ? {} : { content: text }),
    ...(finished.length === 0 ? {} : { toolCalls: finished }),
    ...(Object.keys(extras).length === 0 ? {} : { metadata: extras }),
  };
  const thought: Message = {
    id: reasoningId ?? messageId,
    role: 'reasoning',
    content: reasoning,
    ...defined({ encryptedValue }),
  };
  return {
    messages: reasoningId === undefined ? [assistant] : [thought, assistant],
    calls: finished,
    text,
    reason,
    usage,
  };
}

function labels({ provider, model }: ChatModel): TokenUsage {
  return { ...defined({ provider }), ...defined({ model }) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
