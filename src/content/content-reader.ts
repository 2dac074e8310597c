import type { Clock, IdGenerator } from '../core/index.ts';
import { defined, systemClock } from '../core/index.ts';
import type { AgentStreamEvent, EventType, FindCall, FunctionDetails, Message } from '../protocol/index.ts';
import { interruptsOf } from '../protocol/interrupts/interrupt.ts';
import { registryOrBuiltIn } from './built-in-kinds.ts';
import type { ChatContent, FunctionCallContent } from './chat-content.ts';
import type { CustomRequest, CustomResponse } from './content-kind.ts';
import type { ContentRegistry } from './content-registry.ts';
import { parseArguments } from './json-forms.ts';
import { readResult } from './result-content.ts';

/** The parts that one event adds to a conversation. */
export interface ContentUpdate<Request extends CustomRequest = never> {
  /** Id of the thread; absent before the run has started. */
  readonly conversationId?: string;
  /** Id of the run. */
  readonly responseId?: string;
  /** Id of the message that the parts belong to, if the event names one. */
  readonly messageId?: string;
  /** Timestamp of the event, else the time of reading; milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Empty for an event without parts, such as a step or a state. */
  readonly contents: readonly (ChatContent | Request)[];
  /** The event, the same object. */
  readonly rawRepresentation: AgentStreamEvent;
}

/** Reads one stream, event by event. */
export interface ContentReader<Request extends CustomRequest = never> {
  /** Reads one event; call it for every event in order. */
  read(event: AgentStreamEvent): ContentUpdate<Request>;
}

/** Options of {@link createContentReader}. */
export interface ContentReaderOptions<Request extends CustomRequest, Response extends CustomResponse> {
  /** Custom kinds of interrupt; default: the two built-in kinds. */
  readonly registry?: ContentRegistry<Request, Response>;
  /** Looks up calls of earlier runs; the reader knows those of its stream. Default: no call is known. */
  readonly findCall?: FindCall;
  /** Creates the ids of requests whose interrupt has none; default UUIDv7. */
  readonly newId?: IdGenerator;
  /** Source of the time for events without a timestamp; default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Creates a reader that turns events of AG-UI 1.0, with expanded chunks, into updates: one per event. A call
 * becomes a part when it is complete. The interrupts at the end of a run become requests, with the function and
 * arguments of the call they name. An interrupted run is not an error.
 *
 * @example
 * ```ts
 * import { createContentReader } from 'holdpoint/content';
 *
 * const reader = createContentReader();
 * for (const event of events) console.log(reader.read(event).contents);
 * ```
 */
export function createContentReader<
  Request extends CustomRequest = never,
  Response extends CustomResponse = never,
>(options: ContentReaderOptions<Request, Response> = {}): ContentReader<Request> {
  const { clock = systemClock, newId, findCall: findEarlier } = options;
  const registry = registryOrBuiltIn(options.registry);
  const { mapContent } = registry.hooks;
  const calls = createCallMemory();
  const findCall: FindCall = (toolCallId) => calls.findCall(toolCallId) ?? findEarlier?.(toolCallId);
  const source: ContentSource<Request> = {
    findCall,
    requestsOf: (event) =>
      interruptsOf(event).map((interrupt) =>
        registry.fromInterrupt(interrupt, { findCall, ...defined({ newId }) }),
      ),
  };
  let run: { conversationId?: string; responseId?: string } = {};

  return {
    read(event) {
      calls.note(event);
      if (event.type === 'RUN_STARTED' || event.type === 'RUN_FINISHED') {
        run = { conversationId: event.threadId, responseId: event.runId };
      }
      const contents = contentsOf(event, source);
      return {
        ...run,
        ...defined({ messageId: 'messageId' in event ? event.messageId : undefined }),
        createdAt: event.timestamp ?? clock.now(),
        contents:
          mapContent === undefined ? contents : contents.flatMap((content) => mapContent(content) ?? []),
        rawRepresentation: event,
      };
    },
  };
}

interface ContentSource<Request extends CustomRequest> {
  readonly findCall: FindCall;
  readonly requestsOf: (
    event: Extract<AgentStreamEvent, { type: EventType.RUN_FINISHED }>,
  ) => (ChatContent | Request)[];
}

function contentsOf<Request extends CustomRequest>(
  event: AgentStreamEvent,
  { findCall, requestsOf }: ContentSource<Request>,
): (ChatContent | Request)[] {
  switch (event.type) {
    case 'TEXT_MESSAGE_CONTENT':
      return [{ type: 'text', text: event.delta, rawRepresentation: event }];
    case 'REASONING_MESSAGE_CONTENT':
      return [{ type: 'reasoning', text: event.delta, rawRepresentation: event }];
    case 'REASONING_ENCRYPTED_VALUE':
      return event.subtype === 'message'
        ? [{ type: 'reasoning', text: '', protectedData: event.encryptedValue, rawRepresentation: event }]
        : [];
    case 'TOOL_CALL_END':
      return [completeCall(event, findCall)];
    case 'TOOL_CALL_RESULT': {
      const result = readResult(event.content);
      return [{ type: 'functionResult', callId: event.toolCallId, result, rawRepresentation: event }];
    }
    case 'RUN_FINISHED':
      return requestsOf(event);
    case 'RUN_ERROR':
      return [
        { type: 'error', message: event.message, ...defined({ code: event.code }), rawRepresentation: event },
      ];
    default:
      return [];
  }
}

function completeCall(
  event: Extract<AgentStreamEvent, { type: EventType.TOOL_CALL_END }>,
  findCall: FindCall,
): FunctionCallContent {
  const { functionName = '', functionArguments } = findCall(event.toolCallId) ?? {};
  return {
    type: 'functionCall',
    callId: event.toolCallId,
    name: functionName,
    ...defined({ arguments: functionArguments }),
    rawRepresentation: event,
  };
}

/** The calls of a stream; a later interrupt may name one of them. */
interface CallMemory {
  /** Records the calls of an event. */
  note(event: AgentStreamEvent): void;
  readonly findCall: FindCall;
}

/** Records the calls of one stream, of its snapshots and of its input. A repeated start replaces the call. */
function createCallMemory(): CallMemory {
  const calls = new Map<string, { name: string; text: string }>();
  const noteMessages = (messages: readonly Message[]) => {
    for (const message of messages) {
      if (message.role !== 'assistant') continue;
      for (const { id, function: called } of message.toolCalls ?? []) {
        calls.set(id, { name: called.name, text: called.arguments });
      }
    }
  };
  return {
    note(event) {
      if (event.type === 'TOOL_CALL_START') {
        calls.set(event.toolCallId, { name: event.toolCallName, text: '' });
      } else if (event.type === 'TOOL_CALL_ARGS') {
        const call = calls.get(event.toolCallId);
        if (call !== undefined) call.text += event.delta;
      } else if (event.type === 'MESSAGES_SNAPSHOT') {
        noteMessages(event.messages);
      } else if (event.type === 'RUN_STARTED') {
        noteMessages(event.input?.messages ?? []);
      }
    },
    findCall(toolCallId): FunctionDetails | undefined {
      const call = calls.get(toolCallId);
      if (call === undefined) return undefined;
      const functionArguments = parseArguments(call.text);
      return functionArguments === undefined
        ? { functionName: call.name }
        : { functionName: call.name, functionArguments };
    },
  };
}
