import { EventType } from '@ag-ui/core';
import { defined, HoldpointError } from '../../core/index.ts';
import type { Closer, Scope } from './scope.ts';
import { NO_MESSAGES } from './scope.ts';
import type { OpenStream, StreamEmitter } from './stream-emitter.ts';
import { createSubagentEmitter } from './write-subagent.ts';

/** Creates the emitter of an agent within its scope. */
export function createStreamEmitter(scope: Scope): StreamEmitter {
  const { write, newId, owner } = scope;
  return {
    text({ messageId = newId(), role = 'assistant', name, metadata } = {}) {
      write({
        type: EventType.TEXT_MESSAGE_START,
        messageId,
        role,
        ...defined({ name, metadata }),
        ...owner,
      });
      const closer = scope.opened(() => write({ type: EventType.TEXT_MESSAGE_END, messageId, ...owner }));
      return openStream(messageId, closer, (delta) =>
        write({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta, ...owner }),
      );
    },
    reasoning({ messageId = newId() } = {}) {
      write({ type: EventType.REASONING_START, messageId, ...owner });
      write({ type: EventType.REASONING_MESSAGE_START, messageId, role: 'reasoning', ...owner });
      const closer = scope.opened(() => {
        write({ type: EventType.REASONING_MESSAGE_END, messageId, ...owner });
        write({ type: EventType.REASONING_END, messageId, ...owner });
      });
      return openStream(messageId, closer, (delta) =>
        write({ type: EventType.REASONING_MESSAGE_CONTENT, messageId, delta, ...owner }),
      );
    },
    toolCall(toolCallName, { toolCallId = newId(), parentMessageId, metadata } = {}) {
      write({
        type: EventType.TOOL_CALL_START,
        toolCallId,
        toolCallName,
        ...defined({ parentMessageId, metadata }),
        ...owner,
      });
      const closer = scope.opened(() => write({ type: EventType.TOOL_CALL_END, toolCallId, ...owner }));
      return openStream(toolCallId, closer, (delta) =>
        write({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta, ...owner }),
      );
    },
    toolResult: (toolCallId, content, { messageId = newId() } = {}) =>
      write({ type: EventType.TOOL_CALL_RESULT, messageId, toolCallId, content, role: 'tool', ...owner }),
    step(stepName) {
      write({ type: EventType.STEP_STARTED, stepName, ...owner });
      const end = () => write({ type: EventType.STEP_FINISHED, stepName, ...owner });
      const closer = scope.opened(end, NO_MESSAGES);
      return { end: () => closer.close('end') };
    },
    state: (snapshot) => write({ type: EventType.STATE_SNAPSHOT, snapshot, ...owner }),
    stateDelta: (delta) => write({ type: EventType.STATE_DELTA, delta, ...owner }),
    activity: (messageId, activityType, content) =>
      write({
        type: EventType.ACTIVITY_SNAPSHOT,
        messageId,
        activityType,
        content: { ...content },
        ...owner,
      }),
    activityDelta: (messageId, activityType, patch) =>
      write({ type: EventType.ACTIVITY_DELTA, messageId, activityType, patch, ...owner }),
    encryptedValue: (subtype, entityId, encryptedValue) =>
      write({ type: EventType.REASONING_ENCRYPTED_VALUE, subtype, entityId, encryptedValue, ...owner }),
    custom: (name, value) => write({ type: EventType.CUSTOM, name, value: value ?? null, ...owner }),
    raw: (event, source) =>
      write({
        type: EventType.RAW,
        event: event ?? null,
        ...defined({ source }),
        ...owner,
      }),
    subagent: (options) => createSubagentEmitter(scope, options, createStreamEmitter),
  };
}

function openStream(id: string, closer: Closer, write: (delta: string) => void): OpenStream {
  return {
    id,
    delta(piece) {
      if (!closer.isOpen())
        throw new HoldpointError('INTERNAL', `The stream ${id} is closed and accepts no more deltas.`);
      if (piece !== '') write(piece);
    },
    end: () => closer.close('end'),
  };
}
