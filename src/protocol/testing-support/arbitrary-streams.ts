/**
 * fast-check arbitraries for whole streams: events over a few ids, so that they refer to each other, and legal
 * runs.
 */
import type { JsonPatch } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import * as fc from 'fast-check';
import type { AgentStreamEvent } from '../events.ts';
import { createVerifier } from '../verify/create-verifier.ts';

const id = fc.constantFrom('a', 'b', 'c');
/** Calls have their own ids: the official client shares an object between two messages with one id. */
const callId = fc.constantFrom('call', 'x', 'y');
const owner = fc.option(fc.constantFrom('s1', 's2'), { nil: undefined, freq: 4 });
const metadata = fc.option(fc.dictionary(fc.constantFrom('k', 'l'), fc.integer()), {
  nil: undefined,
  freq: 4,
});
const word = fc.string({ maxLength: 4 });

type Fields = Record<string, fc.Arbitrary<unknown>>;

function event(type: EventType, fields: Fields, tagged = true): fc.Arbitrary<AgentStreamEvent> {
  const all = { type: fc.constant(type), metadata, ...fields, ...(tagged ? { subagentRunId: owner } : {}) };
  return fc.record(all).map((made) => {
    const present = Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
    // Built from the protocol's field names; `arbitrary-events` checks the types.
    return present as unknown as AgentStreamEvent;
  });
}

const value = fc.oneof(
  fc.integer(),
  fc.constantFrom(null, 'x', true),
  fc.constant({ n: 1 }),
  fc.constant([1, 2]),
);
const pointer = fc
  .array(fc.constantFrom('a', 'b', '0', '1', '-', 'x~1y'), { maxLength: 3 })
  .map((tokens) => tokens.map((token) => `/${token}`).join(''));

/**
 * Patches that often fit a state of the same names, and often do not. None moves or copies: the library of the
 * official client does not check the target, nor steps after a root that became a number.
 */
export function arbitraryPatch(): fc.Arbitrary<JsonPatch> {
  const operation = fc.oneof(
    fc.record({
      op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const),
      path: pointer,
      value,
    }),
    fc.record({ op: fc.constant('remove' as const), path: pointer }),
  );
  return fc
    .array(operation, { maxLength: 3 })
    .map((patch) => (patch.length > 1 ? patch.filter(({ path }) => path !== '') : patch));
}

/** A state of the names that patches use: an object or a list. */
export function arbitraryState(): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, value, tie('object'), tie('list')),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'x/y'), tie('node'), { noNullPrototype: true }),
    list: fc.array(tie('node'), { maxLength: 3 }),
    state: fc.oneof(tie('object'), tie('list')),
  })).state;
}

const optional = (arbitrary: fc.Arbitrary<unknown>) => fc.option(arbitrary, { nil: undefined });
const role = optional(fc.constantFrom('developer', 'system', 'assistant', 'user'));
const patchOfActivity = fc.constantFrom<JsonPatch>(
  [{ op: 'add', path: '/stage', value: 'done' }],
  [{ op: 'replace', path: '/missing', value: 1 }],
  [],
);
const snapshotMessage = fc.oneof(
  fc.record({ id, role: fc.constant('user'), content: word }),
  fc.record({ id, role: fc.constant('assistant'), content: word }),
  fc.record({ id, role: fc.constant('reasoning'), content: word }),
  fc.record({
    id,
    role: fc.constant('activity'),
    activityType: fc.constantFrom('T', 'U'),
    content: fc.constant({}),
  }),
  callId.map((call) => ({
    id: `m-${call}`,
    role: 'assistant',
    toolCalls: [{ id: call, type: 'function', function: { name: 'f', arguments: '{}' } }],
  })),
);
const snapshotMessages = fc.uniqueArray(snapshotMessage, { selector: (message) => message.id, maxLength: 4 });

/** One event of any type, over a few ids. */
export function arbitraryTouchingEvent({ chunks = false } = {}): fc.Arbitrary<AgentStreamEvent> {
  const events = [
    event(EventType.TEXT_MESSAGE_START, { messageId: id, role, name: optional(word) }),
    event(EventType.TEXT_MESSAGE_CONTENT, { messageId: id, delta: word }),
    event(EventType.TEXT_MESSAGE_CONTENT, { messageId: id, delta: word }),
    event(EventType.TEXT_MESSAGE_END, { messageId: id }),
    event(EventType.TOOL_CALL_START, {
      toolCallId: callId,
      toolCallName: word,
      parentMessageId: optional(id),
    }),
    event(EventType.TOOL_CALL_ARGS, { toolCallId: callId, delta: word }),
    event(EventType.TOOL_CALL_ARGS, { toolCallId: callId, delta: word }),
    event(EventType.TOOL_CALL_END, { toolCallId: callId }),
    event(EventType.TOOL_CALL_RESULT, {
      messageId: fc.constantFrom('r1', 'r2'),
      toolCallId: callId,
      content: fc.oneof(word, fc.constant([{ type: 'text', text: 'part' }])),
    }),
    event(EventType.STATE_SNAPSHOT, { snapshot: arbitraryState() }),
    event(EventType.STATE_DELTA, { delta: arbitraryPatch() }),
    event(EventType.MESSAGES_SNAPSHOT, { messages: snapshotMessages }, false),
    event(EventType.ACTIVITY_SNAPSHOT, {
      messageId: fc.constantFrom('act', 'a'),
      activityType: fc.constantFrom('T', 'U'),
      content: fc.constantFrom({ stage: 'x' }, {}),
      replace: optional(fc.boolean()),
    }),
    event(EventType.ACTIVITY_DELTA, {
      messageId: fc.constantFrom('act', 'a'),
      activityType: fc.constant('T'),
      patch: patchOfActivity,
    }),
    event(EventType.RAW, { event: value }),
    event(EventType.CUSTOM, { name: word, value }),
    event(EventType.STEP_STARTED, { stepName: id }),
    event(EventType.STEP_FINISHED, { stepName: id }),
    event(EventType.REASONING_START, { messageId: id }),
    event(EventType.REASONING_MESSAGE_START, { messageId: id, role: fc.constant('reasoning') }),
    event(EventType.REASONING_MESSAGE_CONTENT, { messageId: id, delta: word }),
    event(EventType.REASONING_MESSAGE_END, { messageId: id }),
    event(EventType.REASONING_END, { messageId: id }),
    event(EventType.REASONING_ENCRYPTED_VALUE, {
      subtype: fc.constantFrom('tool-call', 'message'),
      entityId: id,
      encryptedValue: word,
    }),
    event(
      EventType.SUBAGENT_STARTED,
      { subagentRunId: fc.constantFrom('s1', 's2'), name: word, parentSubagentRunId: owner },
      false,
    ),
    event(EventType.SUBAGENT_FINISHED, { subagentRunId: fc.constantFrom('s1', 's2') }, false),
    event(EventType.SUBAGENT_ERROR, { subagentRunId: fc.constantFrom('s1', 's2'), message: word }, false),
    event(EventType.RUN_STARTED, { threadId: fc.constant('t'), runId: fc.constant('r') }, false),
    event(EventType.RUN_FINISHED, { threadId: fc.constant('t'), runId: fc.constant('r') }, false),
    event(EventType.RUN_ERROR, { message: word }, false),
  ];
  const delta = optional(word);
  const chunkEvents = [
    event(EventType.TEXT_MESSAGE_CHUNK, { messageId: optional(id), role, delta }),
    event(EventType.TOOL_CALL_CHUNK, {
      toolCallId: optional(callId),
      toolCallName: optional(fc.constant('f')),
      delta,
    }),
    event(EventType.REASONING_MESSAGE_CHUNK, { messageId: optional(id), delta }),
  ];
  return fc.oneof(...events, ...(chunks ? [...chunkEvents, ...chunkEvents] : []));
}

const START: AgentStreamEvent = { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' };

/** A legal run: illegal events are left out. */
export function arbitraryLegalRun(): fc.Arbitrary<AgentStreamEvent[]> {
  return fc.array(arbitraryTouchingEvent(), { minLength: 5, maxLength: 60 }).map((candidates) => {
    const verifier = createVerifier();
    verifier.check(START);
    const legal = candidates.filter((candidate) => {
      if (candidate.type.startsWith('RUN_')) return false;
      try {
        verifier.check(candidate);
        return true;
      } catch {
        return false;
      }
    });
    return [START, ...legal];
  });
}
