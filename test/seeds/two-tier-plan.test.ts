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
