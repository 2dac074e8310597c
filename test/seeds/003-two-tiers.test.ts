/** The examples of "AG-UI Event Protocol Integration Plan" (two tiers), with their names and values. */
import { contentAgent, defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import type { SnakeStreamEvent } from 'holdpoint/protocol';
import {
  isApprovalDecided,
  isApprovalRequested,
  isMessagesSnapshot,
  isRunError,
  isRunFinished,
  isRunStarted,
  isStateSnapshot,
  isTextMessageContent,
  isToolCallArgs,
  isToolCallStart,
} from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import { toAguiResponse } from 'holdpoint/stream';
import { scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { walkSeed } from './walk.ts';

async function eventsOf(response: Response): Promise<SnakeStreamEvent[]> {
  const text = await response.text();
  expect(text).not.toContain('[DONE]');
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as SnakeStreamEvent);
}

const publish = defineTool({
  name: 'PublishContent',
  description: 'Publishes a page.',
  input: { type: 'object', properties: { id: { type: 'number' } } },
  title: () => 'Publish the page',
  approval: true,
  run: () => 'published',
});

function umbraco() {
  const host = createHost({
    logger: false,
    sweepMs: 0,
    dialect: 'snake',
    store: memoryStore(),
    agents: [
      defineAgent({
        id: 'editor',
        tools: [publish],
        model: scriptedModel([{ calls: [{ name: 'PublishContent', input: { id: 7 } }] }, 'It is live.']),
      }),
      contentAgent({
        id: 'broken',
        // oxlint-disable-next-line require-yield
        async *run() {
          throw new Error('secret');
        },
      }),
    ],
  });
  return async (agent: string, body: object) =>
    eventsOf(
      await host.fetch(
        new Request(`http://localhost/agents/${agent}/chat/stream`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    );
}

const begin = {
  thread_id: 't',
  run_id: 'r1',
  messages: [{ id: 'm', role: 'user', content: 'Publish page 7' }],
};

describe('Tier 1: Core Implementation', () => {
  it('streams the six core events in snake_case, each with a timestamp', async () => {
    const events = await eventsOf(toAguiResponse(['Hello ', 'world'], { naming: 'snake' }));
    expect(events.map(({ type }) => type)).toEqual([
      'run_started',
      'text_message_start',
      'text_message_content',
      'text_message_content',
      'text_message_end',
      'run_finished',
    ]);
    for (const { timestamp } of events) expect(timestamp).toBeTypeOf('number');
  });
});

describe('Event Types by Layer', () => {
  it('an agent adds tools, state, messages and approvals to the core events, each with a timestamp', async () => {
    const events = await umbraco()('editor', begin);
    const types = events.map(({ type }) => type);
    for (const type of [
      'run_started',
      'tool_call_start',
      'state_snapshot',
      'messages_snapshot',
      'run_finished',
    ])
      expect(types).toContain(type);
    expect(types.slice(-2)).toEqual(['approval_requested', 'run_finished']);
    for (const { timestamp } of events) expect(timestamp).toBeTypeOf('number');
  });
});

describe('Custom Approval Events', () => {
  it.each([
    [{ approved: true }, 'approved', 'It is live.'],
    [{ approved: false }, 'rejected', 'It is live.'],
  ])('the answer %j gives the decision %s', async (payload, decision, text) => {
    const post = umbraco();
    const request = (await post('editor', begin)).find(isApprovalRequested);
    expect(request).toMatchObject({
      tool_id: 'PublishContent',
      tool_name: 'PublishContent',
      parameters: { id: 7 },
      parameters_summary: 'Publish the page?',
    });
    const resume = [{ interrupt_id: request?.approval_id, status: 'resolved', payload }];
    const events = await post('editor', { thread_id: 't', run_id: 'r2', messages: [], resume });
    expect(events.filter(isApprovalDecided)).toMatchObject([{ approval_id: request?.approval_id, decision }]);
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['run_started', 'approval_decided']);
    expect(events.flatMap((event) => (isTextMessageContent(event) ? [event.delta] : [])).join('')).toBe(text);
  });
});

describe('TypeScript Event Types', () => {
  it('the guards narrow every event of one stream', async () => {
    const seen: string[] = [];
    for (const event of await umbraco()('editor', begin)) {
      if (isRunStarted(event)) seen.push(`run ${event.run_id}`);
      else if (isToolCallStart(event)) seen.push(`call ${event.tool_call_name}`);
      else if (isToolCallArgs(event)) seen.push(`args ${event.delta}`);
      else if (isStateSnapshot(event)) seen.push(`state ${JSON.stringify(event.snapshot)}`);
      else if (isMessagesSnapshot(event))
        seen.push(
          `messages ${event.messages.flatMap((one) => (one.role === 'assistant' ? (one.tool_calls ?? []) : [])).length}`,
        );
      else if (isApprovalRequested(event)) seen.push(`approval ${event.tool_name}`);
      else if (isRunFinished(event)) seen.push('finished');
    }
    expect(seen).toEqual([
      'run r1',
      'call PublishContent',
      'args {"id":7}',
      'state {}',
      'messages 1',
      'approval PublishContent',
      'finished',
    ]);
  });

  it('run_error ends a stream that failed, without details', async () => {
    const events = await umbraco()('broken', begin);
    expect(events.filter(isRunError)).toMatchObject([{ message: 'The run failed.' }]);
  });
});

const HERE = 'test/seeds/003-two-tiers.test.ts';
const REGISTRY = 'src/host/registry/create-registry.test.ts';

walkSeed('003', 'Two tiers: AG-UI Event Protocol Integration Plan', ({ line, held, not }) => {
  held(
    '1',
    'Two tiers, one vocabulary',
    'src/protocol/dialects/snake.test.ts',
    'reads the tool, state and message events of the two-tier plan',
  );
  held('2', 'Six core events', HERE, 'streams the six core events in snake_case, each with a timestamp');
  held(
    '3',
    'Events of agents: tools, state, messages',
    HERE,
    'an agent adds tools, state, messages and approvals to the core events',
  );
  held(
    '4',
    '`approval_*`',
    HERE,
    'the answer %j gives the decision %s',
    '`approval_requested`, `approval_decided`',
  );
  held('5', '`timestamp` on every event', HERE, 'each with a timestamp');
  not(
    '6',
    'Core has no AG-UI package',
    '`holdpoint/stream` imports none (3 kB), but there is one npm package, and it installs `@ag-ui/core`.',
  );
  held(
    '7',
    'The event types as records',
    'src/protocol/dialects/snake-events.ts',
    'SnakeStreamEvent',
    '`SnakeStreamEvent`',
  );
  line(
    '8',
    'Controller: the sequence of events, and `run_error` with the message',
    async () => {
      // oxlint-disable-next-line require-yield
      async function* failing(): AsyncGenerator<string> {
        throw new Error('The profile is missing.');
      }
      const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));
      const events = await eventsOf(toAguiResponse(failing(), { naming: 'snake', errorMessage }));
      expect(events.at(-1)).toMatchObject({ type: 'run_error', message: 'The profile is missing.' });
    },
    'with `errorMessage`; without it the text of an error stays on the server',
  );
  held(
    '9',
    'The headers of the stream',
    'src/stream/to-agui-response.test.ts',
    'sends headers that forbid caching and buffering of the stream',
  );
  held('10', 'The legacy form and `[DONE]` are read', 'src/protocol/dialects/legacy.test.ts', '[DONE]');
  held(
    '11',
    'Cancellation',
    'src/stream/to-agui-response.test.ts',
    'cancelling the body aborts the signal of a source function',
  );
  held('12', 'An unknown profile', REGISTRY, 'there is no');
  held(
    '13',
    'Factory: profile, `EnabledToolIds`, instructions or those of the profile',
    REGISTRY,
    'an agent from data has the model, settings and instructions of its profile',
    'named `profile`, `tools`, `instructions`',
  );
  held(
    '14',
    'Registry: by id or alias',
    REGISTRY,
    'an agent from data is found by id and alias only, ignoring case',
  );
  line('15', '`/agents/{agentIdOrAlias}/chat/stream`', async () => {
    expect((await umbraco()('editor', begin)).at(0)).toMatchObject({ type: 'run_started' });
  });
  held(
    '16',
    '`MapAGUI`',
    'src/host/mounting.test.ts',
    'serves runs, answers and connect of one agent at the path that it is mounted at',
    '`agentRoute`',
  );
  held('17', '`ApprovalRequestedEvent`', HERE, 'the answer %j gives the decision %s');
  held(
    '18',
    'The server of the seed, without `thread_id`, read by client and chat',
    'src/protocol/dialects/snake.test.ts',
    'reads an approval from a server whose run_finished does not mention it',
  );
  held('19', '`events.ts` of the seed', HERE, 'the guards narrow every event of one stream');
  held('20', 'Union types', 'src/protocol/events.ts', 'CoreStreamEvent');
  held(
    '21',
    'Parsing of the stream',
    'src/protocol/sse/sse.test.ts',
    'yields events with the ids of their frames',
  );
  held(
    '22',
    'Tool events in the UI',
    'test/browser/cards.deep.test.ts',
    'a tool call shows each of its states by word and icon',
  );
  held(
    '23',
    'An approval widget',
    'test/browser/cards.deep.test.ts',
    'approves, rejects and cancels by three buttons with three answers',
  );
  held(
    '24',
    'Session management',
    'test/browser/chat.test.ts',
    'renames a conversation, for every window',
    'list, rename, delete, search',
  );
  held('25', 'The same client for both tiers', 'src/stream/http-agent.test.ts', 'HttpAgent');
  held('26', 'Tools with approval and described parameters', REGISTRY, 'Content type alias to filter by');
  held(
    '27',
    'Context providers (RAG)',
    REGISTRY,
    'an agent from data gets middleware and context providers by name',
  );
  held(
    '28',
    'OpenTelemetry tracing',
    'src/engine/telemetry/use-telemetry.test.ts',
    'cover the run, its model calls and its tools, with attributes of the GenAI conventions',
  );
  held(
    '29',
    'The upper-case naming of the community SDK',
    'src/stream/to-agui-events.test.ts',
    'yields the events of a text in AG-UI naming',
  );
});
