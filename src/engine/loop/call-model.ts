import type { IdGenerator } from '../../core/index.ts';
import { defined, HoldpointError, listOf } from '../../core/index.ts';
import type {
  Message,
  Metadata,
  OpenStream,
  ResumeEntry,
  StreamEmitter,
  TokenUsage,
  ToolCall,
} from '../../protocol/index.ts';
import type { PendingInterrupt } from '../calls/call-state.ts';
import { MODEL_CALL, withCallState, withoutState, withTurnState } from '../calls/call-state.ts';
import type { Journal, JournalEntry } from '../calls/journal.ts';
import { isSuspension } from '../calls/journal.ts';
import type { BodyAsk } from '../calls/pausing-context.ts';
import { createPausing } from '../calls/pausing-context.ts';
import { askInterrupt, interruptRules } from '../calls/interrupts.ts';
import type { RunContext } from '../calls/run-context.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import type { ChatModel, ModelFinish, ModelPart, ModelRequest } from './chat-model.ts';
import type { LoopSettings } from './loop-settings.ts';
import { answersOf, matchReplies } from './match-replies.ts';
import type { OpenTurn } from './open-turn.ts';
import { answerClientCalls } from './open-turn.ts';

/** Calls the model with the conversation, the additions of the providers, and the tools of this turn. */
export async function callModel(
  messages: readonly Message[],
  settings: LoopSettings,
  { run, journal }: { readonly run: RunContext; readonly journal: Journal<BodyAsk> | undefined },
): Promise<{ readonly begin: () => AsyncIterable<ModelPart>; readonly tools: ReadonlyMap<string, Tool> }> {
  const tools = new Map(settings.tools);
  const instructions = settings.instructions === undefined ? [] : [settings.instructions];
  const added: Message[] = [];
  for (const provide of settings.contextProviders) {
    const context = await provide({ messages, run });
    if (context === undefined) continue;
    if (context.instructions !== undefined) instructions.push(context.instructions);
    added.push(...(context.messages ?? []));
    for (const tool of context.tools ?? []) tools.set(tool.name, tool);
  }
  const shown = [...tools.values()].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const client = settings.clientTools
    .filter(({ name }) => !tools.has(name))
    .map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: (parameters ?? { type: 'object' }) as ModelRequest['tools'][number]['inputSchema'],
    }));
  const request: ModelRequest = {
    // An activity is for people.
    messages: [...added, ...answerClientCalls(messages).map(withoutState)].filter(
      ({ role }) => role !== 'activity',
    ),
    instructions: instructions.length === 0 ? undefined : instructions.join('\n\n'),
    tools: [...shown, ...client],
    settings: settings.settings,
    signal: modelSignal(run),
  };
  if (journal === undefined) return { begin: () => settings.model.stream(request), tools };
  const context = createPausing(journal, run);
  const call = settings.modelMiddleware.reduceRight<(given?: ModelRequest) => AsyncIterable<ModelPart>>(
    (next, middleware) =>
      (given = request) =>
        middleware(given, next, context),
    (given = request) => settings.model.stream(given),
  );
  return { begin: call, tools };
}

/** A cancellation stops a model call at once; tool calls end by themselves. */
function modelSignal({ signal, checkpoints }: RunContext): AbortSignal {
  return checkpoints === undefined ? signal : AbortSignal.any([signal, checkpoints.cancelSignal]);
}

/**
 * The message of a turn whose middleware asks before the model is called: a hidden call with the journal of the
 * middleware.
 */
export function pausedModelCall(journal: Journal<BodyAsk>, turns: number, run: RunContext): Message {
  const interrupts = journal.openAsks.flatMap(({ key, name, ask }): PendingInterrupt[] =>
    'part' in ask
      ? []
      : [
          {
            kind: 'ask',
            interrupt: askInterrupt({ name, ...ask }, undefined, run),
            askKey: key,
            ...interruptRules(ask.options),
          },
        ],
  );
  const call: ToolCall = {
    id: run.newId(),
    type: 'function',
    function: { name: MODEL_CALL, arguments: '{}' },
  };
  const state = { status: 'waiting' as const, interrupts, input: {}, journal: journal.entries };
  const message: Message = { id: run.newId(), role: 'assistant', toolCalls: [withCallState(call, state)] };
  return withTurnState(message, { turns });
}

/** The journal of a waiting model call, with the answers; undefined for a turn of tool calls. */
export function resumedModelCall(
  turn: OpenTurn,
  replies: readonly (Reply | ResumeEntry)[],
  run: RunContext,
): readonly JournalEntry[] | undefined {
  const [first] = turn.calls;
  if (first?.call.function.name !== MODEL_CALL || first.state?.status !== 'waiting') return undefined;
  const matched = matchReplies(turn, replies, run.secrets);
  return [...first.state.journal, ...answersOf(first.state, matched, run)];
}

/** The output of a model in one turn. */
export interface ModelTurn {
  /** Its reasoning, if any, then its message. */
  readonly messages: readonly Message[];
  readonly calls: readonly ToolCall[];
  readonly text: string;
  readonly reason: ModelFinish;
  readonly usage: TokenUsage | undefined;
}

export interface TurnOptions {
  readonly emitter: StreamEmitter;
  readonly newId: IdGenerator;
  /** Whether the conversation already has a call with this id; another call never gets it. */
  readonly isUsedCallId: (id: string) => boolean;
}

/** Turns the parts of a model into messages and emits them. Throws `MODEL_FAILED` if the model fails. */
export async function writeTurn(
  model: ChatModel,
  begin: () => AsyncIterable<ModelPart>,
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
    // An error at the start of a model call is handled like one in the middle.
    for await (const part of begin()) {
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
          // The streamed arguments count, unless the final call has others.
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
