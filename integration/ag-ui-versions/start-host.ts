/** A host on a real port with an agent for each way to pause, and one that sends every kind of event. */
import type { TestContext } from 'node:test';

import { demoAgent } from '../../src/host/testing-support/demo-agent.ts';
import { createHost } from '../../src/host/index.ts';
import { serve } from '../../src/host/node/index.ts';
import type { AgentStreamEvent } from '../../src/protocol/index.ts';
import { EventType } from '../../src/protocol/index.ts';
import { memoryStore } from '../../src/store/memory/index.ts';

export interface StartedHost {
  readonly url: string;
  /** The side effects, one line each. */
  readonly done: readonly string[];
  /** Opens the gate of the agent `slow`, which waits until then. */
  readonly begun: Promise<void>;
}

/** Starts a host whose agents speak a dialect; it ends with the test. */
export async function startHost(test: TestContext, dialect: '1.0' | 'command'): Promise<StartedHost> {
  const outside = { done: [] as string[] };
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const host = createHost({
    logger: false,
    dialect,
    store: memoryStore(),
    sweepMs: 0,
    agents: {
      assistant: demoAgent(outside),
      /** Waits until its run is cancelled. */
      async *slow({ threadId, runId }, context) {
        yield { type: EventType.RUN_STARTED, threadId, runId };
        begin();
        await new Promise<void>((resolve) => {
          context?.signal?.addEventListener('abort', () => resolve());
        });
      },
      async *everything({ threadId, runId, messages }) {
        yield { type: EventType.RUN_STARTED, threadId, runId };
        yield* EVERYTHING;
        yield { type: EventType.MESSAGES_SNAPSHOT, messages: [...messages, ...SNAPSHOT] };
        const usage = [{ provider: 'p', model: 'm', inputTokens: 1 }];
        yield { type: EventType.RUN_FINISHED, threadId, runId, result: { ok: true }, usage };
      },
    },
  });
  const served = await serve(host, { port: 0 });
  test.after(() => served.close({ withinMs: 100 }));
  return { url: served.url, done: outside.done, begun };
}

const source = { type: 'data', value: 'aGk=', mimeType: 'image/png' } as const;
const file = { type: 'file', value: 'f-1', mimeType: 'application/pdf' } as const;

const SNAPSHOT: Extract<AgentStreamEvent, { type: EventType.MESSAGES_SNAPSHOT }>['messages'] = [
  { id: 's1', role: 'developer', content: 'brief', metadata: { a: 1 } },
  {
    id: 's2',
    role: 'user',
    content: [
      { type: 'text', text: 'look' },
      { type: 'image', source },
    ],
  },
  { id: 's3', role: 'user', content: [{ type: 'document', source: file }] },
  {
    id: 's4',
    role: 'assistant',
    subagentRunId: 'sub',
    toolCalls: [
      { id: 'c9', type: 'function', function: { name: 'look', arguments: '{}' }, metadata: { b: 2 } },
    ],
  },
  {
    id: 's5',
    role: 'tool',
    toolCallId: 'c9',
    content: [
      { type: 'text', text: 'seen' },
      { type: 'image', source },
    ],
  },
  { id: 's6', role: 'reasoning', content: 'hm', encryptedValue: 'x' },
  { id: 's7', role: 'activity', activityType: 'search', content: { hits: 1 }, metadata: {} },
];

/** One stream with every event between the start and the end of a run. */
const EVERYTHING: readonly AgentStreamEvent[] = [
  { type: EventType.STATE_SNAPSHOT, snapshot: { count: 1 } },
  { type: EventType.STATE_DELTA, delta: [{ op: 'replace', path: '/count', value: 2 }] },
  { type: EventType.STEP_STARTED, stepName: 'plan' },
  { type: EventType.SUBAGENT_STARTED, subagentRunId: 'sub', name: 'researcher' },
  { type: EventType.STEP_STARTED, stepName: 'plan', subagentRunId: 'sub' },
  { type: EventType.REASONING_START, messageId: 'n1' },
  { type: EventType.REASONING_MESSAGE_START, messageId: 'n1', role: 'reasoning' },
  { type: EventType.REASONING_MESSAGE_CONTENT, messageId: 'n1', delta: 'hm' },
  { type: EventType.REASONING_MESSAGE_END, messageId: 'n1' },
  { type: EventType.REASONING_ENCRYPTED_VALUE, subtype: 'message', entityId: 'n1', encryptedValue: 'b64' },
  { type: EventType.REASONING_END, messageId: 'n1' },
  { type: EventType.TEXT_MESSAGE_START, messageId: 'm1', role: 'assistant', subagentRunId: 'sub' },
  { type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm1', delta: '', subagentRunId: 'sub' },
  {
    type: EventType.TEXT_MESSAGE_CONTENT,
    messageId: 'm1',
    delta: 'Hello.',
    metadata: { finishReason: null },
  },
  { type: EventType.TEXT_MESSAGE_END, messageId: 'm1' },
  { type: EventType.TOOL_CALL_START, toolCallId: 'c1', toolCallName: 'look', parentMessageId: 'm1' },
  { type: EventType.TOOL_CALL_ARGS, toolCallId: 'c1', delta: '{}' },
  { type: EventType.TOOL_CALL_END, toolCallId: 'c1' },
  {
    type: EventType.TOOL_CALL_RESULT,
    messageId: 'm2',
    toolCallId: 'c1',
    content: [
      { type: 'text', text: 'seen' },
      { type: 'image', source },
    ],
  },
  { type: EventType.ACTIVITY_SNAPSHOT, messageId: 'a1', activityType: 'search', content: { hits: 1 } },
  {
    type: EventType.ACTIVITY_DELTA,
    messageId: 'a1',
    activityType: 'search',
    patch: [{ op: 'replace', path: '/hits', value: 2 }],
  },
  { type: EventType.RAW, event: { kind: 'chunk' }, source: 'x' },
  { type: EventType.CUSTOM, name: 'app.progress', value: 0.5 },
  { type: EventType.STEP_FINISHED, stepName: 'plan', subagentRunId: 'sub' },
  { type: EventType.SUBAGENT_FINISHED, subagentRunId: 'sub', outcome: { type: 'success' } },
  { type: EventType.STEP_FINISHED, stepName: 'plan' },
];
