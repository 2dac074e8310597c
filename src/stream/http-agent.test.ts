import { HttpAgent } from '@ag-ui/client';
import type { BaseEvent } from '@ag-ui/client';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { runs } from '../../test/size.ts';
import { serve } from './testing-support/serve.ts';
import type { Served } from './testing-support/serve.ts';
import { stuckSource } from './testing-support/stuck-source.ts';
import type { TextSource } from './text-source.ts';
import { toAguiResponse } from './to-agui-response.ts';

/** The source of the next response. */
let source: TextSource = '';
let served: Served;

beforeAll(async () => {
  served = await serve((input) => {
    const { threadId, runId } = input as { threadId: string; runId: string };
    return toAguiResponse(source, { threadId, runId });
  });
});

afterAll(() => served.close());

interface Seen {
  readonly types: string[];
  readonly text: string | undefined;
}

async function run(next: TextSource): Promise<Seen> {
  source = next;
  const agent = new HttpAgent({ url: served.url, threadId: 'thread' });
  const types: string[] = [];
  const onEvent = ({ event }: { event: BaseEvent }): void => {
    types.push(event.type);
  };
  await agent.runAgent({}, { onEvent });
  const message = agent.messages.at(-1);
  return { types, text: message?.role === 'assistant' ? message.content : undefined };
}

test('the official client reads the run and builds the message', async () => {
  expect(await run(['Hello', ' ', 'world'])).toEqual({
    types: [
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ],
    text: 'Hello world',
  });
});

test('the official client accepts a run that fails in the middle', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'half';
    throw new Error('secret');
  }
  const { types, text } = await run(failing());
  expect(types.slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_ERROR']);
  expect(text).toBe('half');
});

test('any list of strings arrives as their concatenation', async () => {
  const awkward = fc.constantFrom(
    '',
    '\r',
    '\n',
    '\r\n',
    '\n\n',
    'data: x\n\n',
    '[DONE]',
    '\u2028',
    '\u2029',
    '\0',
    '😀',
  );
  const chunk = fc.oneof(awkward, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
  await fc.assert(
    fc.asyncProperty(fc.array(chunk), async (chunks) => {
      expect((await run(chunks)).text).toBe(chunks.join(''));
    }),
    { numRuns: runs(20) },
  );
});

test('a client that disconnects stops the source, even a stuck one', async () => {
  const stuck = stuckSource();
  source = stuck;
  const controller = new AbortController();
  const body = JSON.stringify({ threadId: 'thread', runId: 'run' });
  const response = await fetch(served.url, { method: 'POST', body, signal: controller.signal });
  await stuck.stuck;
  controller.abort();
  await stuck.stopped;
  await expect(response.text()).rejects.toThrow('abort');
});

test("a client that disconnects runs a generator's finally and aborts its signal", async () => {
  let started = (): void => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const cleaned = new Promise<string>((resolve) => {
    source = async function* slow(signal: AbortSignal): AsyncGenerator<string> {
      try {
        yield 'one';
        started();
        await new Promise((stop) => {
          signal.addEventListener('abort', stop);
        });
      } finally {
        resolve('cleaned up');
      }
    };
  });
  const agent = new HttpAgent({ url: served.url });
  const finished = agent.runAgent();
  await running;
  agent.abortRun();
  expect(await cleaned).toBe('cleaned up');
  await finished;
});

test('an HTTP/1.1 response keeps the connection alive', async () => {
  source = 'text';
  const response = await fetch(served.url, { method: 'POST', body: '{"threadId":"t","runId":"r"}' });
  expect(response.headers.get('connection')).toBe('keep-alive');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await response.text();
});
