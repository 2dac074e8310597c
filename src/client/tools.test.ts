import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions, ClientTool } from './index.ts';
import { createClient } from './index.ts';
import { call, codeOf, runOf, text } from './testing-support/events.ts';
import type { Handler, Served } from './testing-support/serve.ts';
import { serve } from './testing-support/serve.ts';

let served: Served;
afterEach(() => served.close());

const tool = (name: string, run: ClientTool['run']): ClientTool => ({
  name,
  description: 'Does it here.',
  parameters: { type: 'object' },
  run,
});
const start = async (handler: Handler, options: Partial<ClientOptions>) => {
  served = await serve(handler);
  return createClient({ url: served.url, ...options });
};
const pending = (...pendingToolCallIds: string[]) => ({ outcome: { type: 'success', pendingToolCallIds } });
const usage = (inputTokens: number) => ({ usage: [{ model: 'm', inputTokens }] });

describe('client tools', () => {
  it.each([
    ['a server that names the calls that wait', pending('c1', 'c2')],
    ['a server that names none', {}],
  ])('declares and calls each tool once and sends the results back to %s', async (_server, end) => {
    const calls: unknown[] = [];
    const client = await start(
      async ({ body, send, end: close }, index) => {
        const asked = [...call('c1', 'locate', { exact: true }), ...call('c2', 'fail', {})];
        await send(
          index === 0 ? runOf(body, asked, { ...end, ...usage(1) }) : runOf(body, text('There.'), usage(2)),
        );
        close();
      },
      {
        tools: [
          tool('locate', (input, { toolCallId, threadId }) => {
            calls.push({ input, toolCallId, threadId });
            return { city: 'Seattle' };
          }),
          tool('fail', () => Promise.reject(new Error('no permission'))),
        ],
      },
    );
    const run = client.run({ threadId: 't', messages: 'Where am I?' });
    const types: string[] = [];
    for await (const { event } of run) types.push(event.type);
    expect(types.filter((type) => type === 'RUN_STARTED')).toHaveLength(2);
    const finished = await run.finished;
    expect(finished).toMatchObject({ outcome: 'success', usage: [{ model: 'm', inputTokens: 3 }] });
    expect(calls).toEqual([{ input: { exact: true }, toolCallId: 'c1', threadId: 't' }]);
    const [first, second] = served.exchanges.map(({ body }) => body);
    expect(first!.tools?.map(({ name }) => name)).toEqual(['locate', 'fail']);
    expect(second!.runId).not.toBe(first!.runId);
    expect(second!.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { toolCallId: 'c1', content: '{"city":"Seattle"}' },
      { toolCallId: 'c2', content: 'Error: no permission', error: 'no permission' },
    ]);
    expect(served.exchanges).toHaveLength(2);
  });

  it('skips calls that have a result, and leaves a turn with a call for another handler to the caller', async () => {
    let ran = 0;
    const client = await start(
      async ({ body, send, end }) => {
        await send(
          runOf(body, [...call('c1', 'ours', {}), ...call('c2', 'theirs', {})], pending('c1', 'c2')),
        );
        end();
      },
      { tools: [tool('ours', () => (ran += 1))] },
    );
    const finished = await client.run({ messages: 'Go' }).finished;
    expect(finished.pendingToolCallIds).toEqual(['c1', 'c2']);
    expect(ran).toBe(0);
    expect(served.exchanges).toHaveLength(1);
  });

  it('rejects with MAX_TURNS when the agent calls the tools past the limit', async () => {
    const client = await start(
      async ({ body, send, end }, index) => {
        await send(runOf(body, call(`c${index}`, 'again', {}), pending(`c${index}`)));
        end();
      },
      { tools: [tool('again', () => 'once more')], maxToolRounds: 2 },
    );
    expect(await codeOf(client.run({ messages: 'Go' }).finished)).toBe('MAX_TURNS');
    expect(served.exchanges).toHaveLength(3);
  });
});
