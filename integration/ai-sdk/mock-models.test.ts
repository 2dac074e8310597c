/**
 * `fromAiSdk` over the AI SDK's own mock models: ai 5 has the one of V2, ai 6 of V3, ai 7 of V4. ai 7 asks for Node 22;
 * the locked one runs on Node 20 as well, and if one day it does not, the import below fails and says so.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { convertArrayToReadableStream as streamV3, MockLanguageModelV3 } from 'ai/test';
import { convertArrayToReadableStream as streamV2, MockLanguageModelV2 } from 'ai-v5/test';
import { convertArrayToReadableStream as streamV4, MockLanguageModelV4 } from 'ai-v7/test';

import { fromAiSdk } from '../../src/adapters/ai-sdk/index.ts';
import { defineAgent } from '../../src/engine/index.ts';
import type { ChatModel } from '../../src/engine/index.ts';

const said = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'A greeting.' },
  { type: 'reasoning-end', id: 'r', providerMetadata: { mock: { signature: 'S' } } },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello' },
  { type: 'text-end', id: 't' },
  { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
  { type: 'tool-call', toolCallId: 'p', toolName: 'search', input: '{}', providerExecuted: true },
  { type: 'tool-result', toolCallId: 'p', toolName: 'search', result: 'hit' },
] as const;

const usage = {
  inputTokens: { total: 3, noCache: 1, cacheRead: 1, cacheWrite: 1 },
  outputTokens: { total: 2, text: 1, reasoning: 1 },
};
const finishReason = { unified: 'stop', raw: 'end_turn' } as const;
const bytes = new Uint8Array([1, 2, 3]);

interface Mocked {
  readonly chat: ChatModel;
  readonly prompts: () => unknown[];
  readonly counts: object;
}

function mocked<Call extends { prompt: unknown }>(
  model: Parameters<typeof fromAiSdk>[0] & { doStreamCalls: Call[] },
  counts: object,
): Mocked {
  return { chat: fromAiSdk(model), prompts: () => model.doStreamCalls.map(({ prompt }) => prompt), counts };
}

const grouped = {
  inputTokens: 3,
  outputTokens: 2,
  totalTokens: 5,
  reasoningTokens: 1,
  cachedInputTokens: 1,
  cacheWriteInputTokens: 1,
};

const MODELS: Readonly<Record<string, Mocked>> = {
  MockLanguageModelV2: mocked(
    new MockLanguageModelV2({
      doStream: () =>
        Promise.resolve({
          stream: streamV2([
            { type: 'stream-start', warnings: [] },
            ...said,
            { type: 'file', mediaType: 'image/png', data: bytes },
            {
              type: 'finish',
              finishReason: 'stop',
              usage: { inputTokens: 3, outputTokens: 2, totalTokens: undefined },
            },
          ]),
        }),
    }),
    { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
  ),
  MockLanguageModelV3: mocked(
    new MockLanguageModelV3({
      doStream: () =>
        Promise.resolve({
          stream: streamV3([
            { type: 'stream-start', warnings: [] },
            ...said,
            { type: 'file', mediaType: 'image/png', data: bytes },
            { type: 'finish', finishReason, usage },
          ]),
        }),
    }),
    grouped,
  ),
  MockLanguageModelV4: mocked(
    new MockLanguageModelV4({
      doStream: () =>
        Promise.resolve({
          stream: streamV4([
            { type: 'stream-start', warnings: [] },
            ...said,
            { type: 'ping' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } },
            { type: 'finish', finishReason, usage },
          ]),
        }),
    }),
    grouped,
  ),
};

for (const [name, { chat, prompts, counts }] of Object.entries(MODELS)) {
  void test(`${name} is read whole, and gets back what it signed`, async () => {
    const agent = defineAgent({ id: 'a', model: chat });
    const first = await agent.generate({ prompt: 'Hi' });
    assert.equal(first.text, 'Hello');
    assert.equal(first.finishReason, 'stop');
    assert.deepEqual(first.usage, [{ provider: chat.provider, model: chat.model, ...counts }]);
    assert.deepEqual(first.messages.at(-1)?.metadata, {
      sources: [{ sourceType: 'url', id: 's', url: 'https://example.com' }],
      files: [{ mimeType: 'image/png', data: 'AQID' }],
      aiSdk: {
        providerExecuted: [{ toolCallId: 'p', toolName: 'search', input: '{}', result: 'hit' }],
      },
    });

    const again = [...first.messages, { id: 'u2', role: 'user' as const, content: 'Again' }];
    await agent.generate({ messages: again });
    assert.deepEqual(prompts()[1], [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'A greeting.', providerOptions: { mock: { signature: 'S' } } },
          { type: 'text', text: 'Hello' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'Again' }] },
    ]);
  });
}
