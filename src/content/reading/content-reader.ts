import type { Clock, IdGenerator } from '../../core/basics/index.ts';
import { systemClock } from '../../core/basics/index.ts';
import type { AgentStreamEvent, EventType, FindCall } from '../../protocol/index.ts';
import { interruptsOf } from '../../protocol/interrupts/outcome/index.ts';
import { registryOrBuiltIn } from '../built-in-kinds.ts';
import { createCallMemory } from './call-memory.ts';
import type { ChatContent, FunctionCallContent } from '../chat-content.ts';
import type { CustomRequest, CustomResponse } from '../content-kind.ts';
import type { ContentRegistry } from '../content-registry.ts';
import { readResult } from '../result-content.ts';

/** What one event adds to a conversation. */
export interface ContentUpdate<Request extends CustomRequest = never> {
  /** The thread; absent before the run has said it. */
  readonly conversationId?: string;
  /** The run. */
  readonly responseId?: string;
  /** The message that the parts belong to, where the event names one. */
  readonly messageId?: string;
  /** The event's own time, else when it was read; milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Empty for an event that says nothing in parts, such as a step or a state. */
  readonly contents: readonly (ChatContent | Request)[];
  /** The event, the very object. */
  readonly rawRepresentation: AgentStreamEvent;
}

/** Reads one stream, event by event. */
export interface ContentReader<Request extends CustomRequest = never> {
  read(event: AgentStreamEvent): ContentUpdate<Request>;
}

/** What a reader may be given; nothing is needed. */
export interface ContentReaderOptions<Request extends CustomRequest, Response extends CustomResponse> {
  /** Further kinds of question; the two built-in ones when there is none. */
  readonly registry?: ContentRegistry<Request, Response>;
  /** Finds calls of earlier runs; those of this stream are known. */
  readonly findCall?: FindCall;
  readonly newId?: IdGenerator;
  readonly clock?: Clock;
}

/**
 * Turns the events of AG-UI 1.0, with chunks expanded, into updates: one for each event. A call is a part when
 * it is complete; the questions at the end of a run are requests, and one that names a call of the stream has
 * its function and arguments. An interrupted run is not an error.
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
        registry.fromInterrupt(interrupt, { findCall, ...(newId === undefined ? {} : { newId }) }),
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
        ...('messageId' in event && event.messageId !== undefined ? { messageId: event.messageId } : {}),
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
    case 'RUN_ERROR': {
      const code = event.code === undefined ? {} : { code: event.code };
      return [{ type: 'error', message: event.message, ...code, rawRepresentation: event }];
    }
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
    ...(functionArguments === undefined ? {} : { arguments: functionArguments }),
    rawRepresentation: event,
  };
}
