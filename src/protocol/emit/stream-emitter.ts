import type { ContentPart, JsonPatch, Metadata, SubagentFinishedOutcome, TextMessageRole } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { IdGenerator } from '../../core/index.ts';
import { defined, HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';

/** An open stream: a text, the arguments of a call, a step. */
export interface OpenStream {
  /** Id of the message or the call. */
  readonly id: string;
  /** Writes a piece; skips an empty one. Throws `INTERNAL` after `end`. */
  delta(piece: string): void;
  /** Closes the stream; a second call does nothing. */
  end(): void;
}

/** Options of a text message. */
export interface TextOptions {
  /** Id of the message; default: a new id. */
  readonly messageId?: string;
  /** Author of the message; default `assistant`. */
  readonly role?: TextMessageRole;
  /** Name of the author. Default: none. */
  readonly name?: string;
  /** Metadata of the message. Default: none. */
  readonly metadata?: Metadata;
}

/** Options of a tool call. */
export interface ToolCallOptions {
  /** Id of the call; default: a new id. */
  readonly toolCallId?: string;
  /** Id of the assistant message with the call. Default: none. */
  readonly parentMessageId?: string;
  /** Metadata of the call. Default: none. */
  readonly metadata?: Metadata;
}

/** The events that an agent or a subagent can write while it runs. */
export interface StreamEmitter {
  /** Opens a text message. */
  text(options?: TextOptions): OpenStream;
  /** Opens a span of reasoning with one message in it. */
  reasoning(options?: { readonly messageId?: string }): OpenStream;
  /** Opens a tool call; its deltas are the JSON of the arguments. */
  toolCall(name: string, options?: ToolCallOptions): OpenStream;
  /** Writes the result of a call; `messageId` is a new id by default. */
  toolResult(
    toolCallId: string,
    content: string | ContentPart[],
    options?: { readonly messageId?: string; readonly metadata?: Metadata },
  ): void;
  /** Opens a named step. */
  step(name: string): { end(): void };
  /** Writes the whole state. */
  state(snapshot: unknown): void;
  /** Writes a change of the state as JSON Patch (RFC 6902). */
  stateDelta(patch: JsonPatch): void;
  /** Writes an activity; it replaces the one with the same id. */
  activity(messageId: string, activityType: string, content: Readonly<Record<string, unknown>>): void;
  /** Writes a change of an activity as JSON Patch. */
  activityDelta(messageId: string, activityType: string, patch: JsonPatch): void;
  /** Writes a value that only its provider can read, for a message or a call. */
  encryptedValue(subtype: 'tool-call' | 'message', entityId: string, encryptedValue: string): void;
  /** Writes an event of the application; an undefined value becomes null. */
  custom(name: string, value: unknown): void;
  /** Writes an event of another system; `source` names the system. */
  raw(event: unknown, source?: string): void;
  /** Starts a subagent; its events carry its id. */
  subagent(options: SubagentOptions): SubagentEmitter;
}

/** Options of a subagent. */
export interface SubagentOptions {
  /** Name of the subagent. */
  readonly name: string;
  /** Id of the subagent's run; default: a new id. */
  readonly subagentRunId?: string;
  /** Task of the subagent. Default: none. */
  readonly description?: string;
  /** Id of the call that started the subagent. Default: none. */
  readonly parentToolCallId?: string;
  /** Id of the message that started the subagent. Default: none. */
  readonly parentMessageId?: string;
}

/** A subagent's part of a run; `end` closes its open streams. */
export interface SubagentEmitter extends StreamEmitter {
  /** Id of the subagent's run. */
  readonly subagentRunId: string;
  /** Ends the subagent with success. */
  finish(options?: { readonly result?: unknown }): void;
  /** Suspends the subagent until answers come; the ids are those of the interrupts in the run's outcome. */
  suspend(interruptIds: readonly string[]): void;
  /** Ends the subagent with an error. */
  fail(message: string, options?: { readonly code?: string }): void;
}

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
    toolResult: (toolCallId, content, { messageId = newId(), metadata } = {}) =>
      write({
        type: EventType.TOOL_CALL_RESULT,
        messageId,
        toolCallId,
        content,
        role: 'tool',
        ...defined({ metadata }),
        ...owner,
      }),
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
      write({ type: EventType.RAW, event: event ?? null, ...defined({ source }), ...owner }),
    subagent: (options) => createSubagentEmitter(scope, options),
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

/** Creates the emitter of a subagent, with a scope within its parent's. */
function createSubagentEmitter(parent: Scope, options: SubagentOptions): SubagentEmitter {
  const { subagentRunId = parent.newId(), name, ...rest } = options;
  const parentSubagentRunId = parent.owner.subagentRunId;
  parent.write({
    type: EventType.SUBAGENT_STARTED,
    subagentRunId,
    name,
    ...rest,
    ...defined({ parentSubagentRunId }),
  });
  let ended = false;
  let ending: AgentStreamEvent | undefined;
  const write = (event: AgentStreamEvent) => {
    if (ended)
      throw new HoldpointError(
        'INTERNAL',
        `The subagent ${subagentRunId} has ended and cannot write events.`,
      );
    parent.write(event);
  };
  const scope = createScope({ write, newId: parent.newId, owner: { subagentRunId } });
  const closer = parent.opened((reason) => {
    scope.closeAll(reason);
    ended = true;
    const outcome: SubagentFinishedOutcome = { type: reason === 'interrupt' ? 'suspended' : 'success' };
    parent.write(ending ?? { type: EventType.SUBAGENT_FINISHED, subagentRunId, outcome });
  }, scope);
  const endWith = (event: AgentStreamEvent) => {
    ending ??= event;
    closer.close('end');
  };
  return {
    ...createStreamEmitter(scope),
    subagentRunId,
    finish({ result } = {}) {
      endWith({
        type: EventType.SUBAGENT_FINISHED,
        subagentRunId,
        ...defined({ result }),
        outcome: { type: 'success' },
      });
    },
    suspend(interruptIds) {
      const outcome: SubagentFinishedOutcome = { type: 'suspended', interruptIds: [...interruptIds] };
      endWith({ type: EventType.SUBAGENT_FINISHED, subagentRunId, outcome });
    },
    fail(message, { code } = {}) {
      endWith({ type: EventType.SUBAGENT_ERROR, subagentRunId, message, ...defined({ code }) });
    },
  };
}

/** Why open streams are being closed. */
type CloseReason = 'end' | 'interrupt';

/** The open streams of one agent or subagent in a run. */
export interface Scope {
  readonly write: (event: AgentStreamEvent) => void;
  readonly newId: IdGenerator;
  /** The member of an event that names its subagent. */
  readonly owner: { readonly subagentRunId?: string };
  /**
   * Registers an open stream; returns a function that closes it once. `inner` is the scope within it: a step or a
   * subagent stays open when messages are closed.
   */
  opened(close: (reason: CloseReason) => void, inner?: Pick<Scope, 'closeMessages'>): Closer;
  /** Closes all open streams, newest first. */
  closeAll(reason: CloseReason): void;
  /** Closes the open messages and calls, here and in inner scopes. */
  closeMessages(): void;
}

/** The scope within a stream that has no messages. */
const NO_MESSAGES: Pick<Scope, 'closeMessages'> = { closeMessages: () => undefined };

interface Closer {
  readonly inner: Pick<Scope, 'closeMessages'> | undefined;
  readonly isOpen: () => boolean;
  readonly close: (reason: CloseReason) => void;
}

export function createScope(options: Pick<Scope, 'write' | 'newId' | 'owner'>): Scope {
  const open = new Set<Closer>();
  return {
    ...options,
    opened(close, inner) {
      const closer: Closer = {
        inner,
        isOpen: () => open.has(closer),
        close: (reason) => {
          if (open.delete(closer)) close(reason);
        },
      };
      open.add(closer);
      return closer;
    },
    closeAll(reason) {
      for (const closer of [...open].toReversed()) closer.close(reason);
    },
    closeMessages() {
      for (const closer of [...open].toReversed()) {
        if (closer.inner === undefined) closer.close('end');
        else closer.inner.closeMessages();
      }
    },
  };
}
