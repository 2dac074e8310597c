/**
 * Tier 1 over the real AI SDK: `streamText` on its mock model, a real HTTP server, the unmodified AG-UI client.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { HttpAgent } from '@ag-ui/client';
import { simulateReadableStream, streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

import { toAguiResponse } from '../../src/stream/index.ts';
import type { TextSource } from '../../src/stream/index.ts';
import { serve } from '../../src/stream/testing-support/serve.ts';
import type { Served } from '../../src/stream/testing-support/serve.ts';

type StreamResult = Awaited<ReturnType<MockLanguageModelV3['doStream']>>;
type ModelPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;

const TEXT = ['Grüße ', 'aus ', 'dem\n', 'Modell 🌦'];

const opening: ModelPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...TEXT.map((delta): ModelPart => ({ type: 'text-delta', id: '1', delta })),
];

const ending: ModelPart[] = [
  { type: 'text-end', id: '1' },
  {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 4, text: 4, reasoning: 0 },
    },
  },
];

function modelOf(chunks: ModelPart[]): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doStream: () => Promise.resolve({ stream: simulateReadableStream({ chunks, chunkDelayInMs: null }) }),
  });
}

/** What the next request is answered with. */
let source: TextSource = '';
let served: Served;

before(async () => {
  served = await serve(() => toAguiResponse(source));
});

after(() => served.close());

async function run(next: TextSource): Promise<{ types: string[]; text: unknown }> {
  source = next;
  const agent = new HttpAgent({ url: served.url });
  const types: string[] = [];
  await agent.runAgent(
    {},
    {
      onEvent: ({ event }) => {
        types.push(event.type);
      },
    },
  );
  return { types, text: agent.messages.at(-1)?.content };
}

const quiet = { prompt: 'Hello', maxRetries: 0, onError: () => {} };

void test('the text of a textStream arrives whole', async () => {
  const { textStream } = streamText({ model: modelOf([...opening, ...ending]), ...quiet });
  const { types, text } = await run(textStream);
  assert.equal(text, TEXT.join(''));
  assert.equal(types.at(-1), 'RUN_FINISHED');
});

void test('the text of a whole result arrives whole', async () => {
  const { types, text } = await run(streamText({ model: modelOf([...opening, ...ending]), ...quiet }));
  assert.equal(text, TEXT.join(''));
  assert.deepEqual(types.slice(-2), ['TEXT_MESSAGE_END', 'RUN_FINISHED']);
});

void test('an error in the middle of the model stream is a RUN_ERROR and no success', async () => {
  const model = modelOf([...opening, { type: 'error', error: new Error('overloaded') }]);
  const { types, text } = await run((signal) => streamText({ model, ...quiet, abortSignal: signal }));
  assert.equal(text, TEXT.join(''));
  assert.deepEqual(types.slice(-2), ['TEXT_MESSAGE_END', 'RUN_ERROR']);
});

void test('a model call that fails at once is a RUN_ERROR and no success', async () => {
  const model = new MockLanguageModelV3({ doStream: () => Promise.reject(new Error('no key')) });
  const { types } = await run(() => streamText({ model, ...quiet }));
  assert.deepEqual(types.slice(-2), ['TEXT_MESSAGE_END', 'RUN_ERROR']);
});

void test('a textStream hides the error of its model, which is why the whole result is preferred', async () => {
  const model = modelOf([...opening, { type: 'error', error: new Error('overloaded') }]);
  const { types } = await run(streamText({ model, ...quiet }).textStream);
  assert.equal(types.at(-1), 'RUN_FINISHED');
});

void test('a client that goes away aborts the model call', { timeout: 30_000 }, async () => {
  const aborted = new Promise<void>((resolve) => {
    const model = new MockLanguageModelV3({
      doStream: ({ abortSignal }) => {
        abortSignal?.addEventListener('abort', () => resolve());
        // Gives its opening and then stays silent.
        const stream = new ReadableStream<ModelPart>({
          start: (controller) => {
            for (const part of opening) controller.enqueue(part);
          },
        });
        return Promise.resolve({ stream });
      },
    });
    source = (signal) => streamText({ model, ...quiet, abortSignal: signal });
  });
  const agent = new HttpAgent({ url: served.url });
  const finished = agent.runAgent(
    {},
    {
      onTextMessageContentEvent: ({ textMessageBuffer, event }) => {
        if (textMessageBuffer + event.delta === TEXT.join('')) agent.abortRun();
      },
    },
  );
  await aborted;
  await finished;
});
