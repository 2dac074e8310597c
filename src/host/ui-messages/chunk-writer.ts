import { jsonOrText } from '../../core/index.ts';
import type { AgentStreamEvent, Interrupt, Message } from '../../protocol/index.ts';
import { EventType, interruptsOf } from '../../protocol/index.ts';
import type { ContinuedMessage } from './read-chat.ts';
import type { UiChunk } from './ui-message.ts';
import { callIdOf, ownCallOf, shownAs } from './ui-message.ts';

/** Writes a thread as chunks of one message of the SDK. What the client has, or was written before, is not written again. */
export interface ChunkWriter {
  event(event: AgentStreamEvent): readonly UiChunk[];
  message(message: Message): readonly UiChunk[];
  interrupts(interrupts: readonly Interrupt[]): readonly UiChunk[];
  /** The end of the message. */
  end(): readonly UiChunk[];
  /** The answers of the client did not count. */
  refused(): void;
}

interface WrittenCall {
  readonly name: string;
  args: string;
  hasOutput: boolean;
}

/** `messageId`: the id of the message. `continues`: the client's copy of it, if there is one. */
export function createChunkWriter(messageId: string, continues?: ContinuedMessage): ChunkWriter {
  const known = continues?.calls ?? new Map<string, never>();
  const calls = new Map<string, WrittenCall>();
  for (const [id, { state }] of known) {
    const hasOutput = String(state).startsWith('output-');
    calls.set(id, { name: '', args: '', hasOutput });
  }
  const shown = new Set<string>();
  let isStarted = false;
  let isRefused = false;
  let step: 'none' | 'open' | 'over' = 'none';
  let ending: readonly UiChunk[] = [];

  /** Opens a step for what the model says; one begins after the results of the one before. */
  const inStep = (...chunks: readonly UiChunk[]): readonly UiChunk[] => {
    if (step === 'open') return chunks;
    const before: UiChunk[] = step === 'over' ? [{ type: 'finish-step' }] : [];
    step = 'open';
    return [...before, { type: 'start-step' }, ...chunks];
  };
  const call = (toolCallId: string, toolName: string, args: string): readonly UiChunk[] => {
    const input = args === '' ? {} : jsonOrText(args);
    return [{ type: 'tool-input-available', toolCallId, toolName, input }];
  };
  const output = (id: string, content: unknown, error: unknown): readonly UiChunk[] => {
    const written = calls.get(id);
    if (written === undefined || written.hasOutput) return [];
    written.hasOutput = true;
    if (step === 'open') step = 'over';
    const answered = known.get(id);
    if (answered?.state === 'approval-responded' && answered.approval?.['approved'] === false && !isRefused)
      return [{ type: 'tool-output-denied', toolCallId: id }];
    if (typeof error === 'string') return [{ type: 'tool-output-error', toolCallId: id, errorText: error }];
    const value = typeof content === 'string' ? jsonOrText(content) : content;
    return [{ type: 'tool-output-available', toolCallId: id, output: value }];
  };
  const text = (id: string, content: string, type: 'text' | 'reasoning'): readonly UiChunk[] =>
    inStep(
      { type: `${type}-start`, id },
      { type: `${type}-delta`, id, delta: content },
      { type: `${type}-end`, id },
    );

  const writer: ChunkWriter = {
    event(event) {
      switch (event.type) {
        case EventType.RUN_STARTED: {
          ending = [];
          if (isStarted) return [];
          isStarted = true;
          return [{ type: 'start', messageId }];
        }
        case EventType.TEXT_MESSAGE_START:
          if ((event.role ?? 'assistant') !== 'assistant') return [];
          shown.add(event.messageId);
          return inStep({ type: 'text-start', id: event.messageId });
        case EventType.TEXT_MESSAGE_CONTENT:
          return shown.has(event.messageId)
            ? [{ type: 'text-delta', id: event.messageId, delta: event.delta }]
            : [];
        case EventType.TEXT_MESSAGE_END:
          return shown.has(event.messageId) ? [{ type: 'text-end', id: event.messageId }] : [];
        case EventType.REASONING_MESSAGE_START:
          shown.add(event.messageId);
          return inStep({ type: 'reasoning-start', id: event.messageId });
        case EventType.REASONING_MESSAGE_CONTENT:
          return [{ type: 'reasoning-delta', id: event.messageId, delta: event.delta }];
        case EventType.REASONING_MESSAGE_END:
          return [{ type: 'reasoning-end', id: event.messageId }];
        case EventType.TOOL_CALL_START: {
          const { toolCallId, toolCallName: toolName, parentMessageId } = event;
          // A snapshot at the end of the run has the message of the call.
          if (parentMessageId !== undefined) shown.add(parentMessageId);
          calls.set(toolCallId, { name: toolName, args: '', hasOutput: false });
          return inStep({ type: 'tool-input-start', toolCallId, toolName });
        }
        case EventType.TOOL_CALL_ARGS: {
          const written = calls.get(event.toolCallId);
          if (written !== undefined) written.args += event.delta;
          return [{ type: 'tool-input-delta', toolCallId: event.toolCallId, inputTextDelta: event.delta }];
        }
        case EventType.TOOL_CALL_END: {
          const written = calls.get(event.toolCallId);
          return written === undefined ? [] : call(event.toolCallId, written.name, written.args);
        }
        case EventType.TOOL_CALL_RESULT:
          return output(event.toolCallId, event.content, event.metadata?.['error']);
        case EventType.MESSAGES_SNAPSHOT:
          return replay(event.messages);
        case EventType.RUN_FINISHED: {
          const interrupts = interruptsOf(event);
          ending = [{ type: 'finish', finishReason: interrupts.length > 0 ? 'tool-calls' : 'stop' }];
          if (event.outcome?.type === 'cancelled') ending = [{ type: 'abort' }, ...ending];
          return interrupts.length > 0 ? writer.interrupts(interrupts) : withoutLoop();
        }
        case EventType.RUN_ERROR:
          ending = [{ type: 'error', errorText: event.message }];
          return [];
        default:
          return [];
      }
    },
    message(message) {
      if (message.role === 'tool') {
        return output(message.toolCallId, message.content, message.error ?? message.metadata?.['error']);
      }
      if (shown.has(message.id)) return [];
      shown.add(message.id);
      if (message.role === 'reasoning') return text(message.id, message.content, 'reasoning');
      if (message.role !== 'assistant') return [];
      const { id, content, toolCalls = [] } = message;
      const said = typeof content === 'string' && content !== '' ? text(id, content, 'text') : [];
      const made = toolCalls.flatMap(({ id: callId, function: { name, arguments: args } }) => {
        if (calls.has(callId)) return [];
        calls.set(callId, { name, args, hasOutput: false });
        return inStep(...call(callId, name, args));
      });
      return [...said, ...made];
    },
    interrupts(interrupts) {
      const ways = shownAs(interrupts);
      return interrupts.flatMap((interrupt) => {
        const way = ways.get(interrupt.id);
        const toolCallId = callIdOf(interrupt, way);
        const asked = calls.has(toolCallId)
          ? []
          : inStep({ type: 'tool-input-available', toolCallId, ...ownCallOf(interrupt), dynamic: true });
        if (!calls.has(toolCallId)) calls.set(toolCallId, { name: '', args: '', hasOutput: false });
        if (way !== 'approval') return asked;
        const reason = interrupt.message === undefined ? {} : { reason: interrupt.message };
        return [...asked, { type: 'tool-approval-request', approvalId: interrupt.id, toolCallId, ...reason }];
      });
    },
    end() {
      if (step === 'none') return ending;
      step = 'none';
      return [{ type: 'finish-step' }, ...ending];
    },
    refused() {
      isRefused = true;
    },
  };

  /** The messages after the last one of the user. The client has those up to its last call. */
  function replay(messages: readonly Message[]): readonly UiChunk[] {
    const reply = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
    const last = reply.findLastIndex(
      (message) =>
        message.role === 'assistant' && message.toolCalls?.some(({ id }) => known.has(id)) === true,
    );
    for (const { id, role } of reply.slice(0, last + 1)) if (role !== 'tool') shown.add(id);
    return reply.flatMap((message) => writer.message(message));
  }

  /** The SDK sends a message again as long as a call of it has an answer and no output. */
  function withoutLoop(): readonly UiChunk[] {
    return [...known].flatMap(([id, { state }]) =>
      state === 'approval-responded' ? output(id, null, undefined) : [],
    );
  }
  return writer;
}
