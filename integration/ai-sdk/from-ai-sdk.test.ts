/**
 * `fromAiSdk` over a real provider of each specification, `@ai-sdk/openai-compatible` 1 (V2), 2 (V3) and 3 (V4), which
 * talk HTTP to a real server. Version 3 asks for Node 22; the locked one runs on Node 20 as well, and if one day it
 * does not, the import below fails and says so.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createOpenAICompatible as createV3 } from '@ai-sdk/openai-compatible';
import { createOpenAICompatible as createV2 } from 'openai-compatible-v1';
import { createOpenAICompatible as createV4 } from 'openai-compatible-v3';
import { z } from 'zod';

import { fromAiSdk } from '../../src/adapters/ai-sdk/index.ts';
import { approve, reject } from '../../src/content/interrupts/index.ts';
import { HoldpointError } from '../../src/core/index.ts';
import { defineAgent, defineTool } from '../../src/engine/index.ts';
import type { ChatModel, GenerateOptions } from '../../src/engine/index.ts';
import { isRunFinished, isTextMessageContent, isToolCallArgs } from '../../src/protocol/index.ts';
import type { OpenAiServer, Reply } from './openai-server.ts';
import { callChunks, startOpenAiServer, textChunks } from './openai-server.ts';

const PROVIDERS: Readonly<Record<string, (baseURL: string) => ChatModel>> = {
  v2: (baseURL) => fromAiSdk(createV2({ name: 'acme', baseURL })('small')),
  v3: (baseURL) => fromAiSdk(createV3({ name: 'acme', baseURL })('small')),
  v4: (baseURL) => fromAiSdk(createV4({ name: 'acme', baseURL })('small')),
};

const callWeather = callChunks(['Let me ', 'look. '], {
  id: 'call_1',
  name: 'weather',
  input: { city: 'Ulm', days: 2 },
});

function weatherTool(approval: boolean, ran: unknown[]) {
  return defineTool({
    name: 'weather',
    description: 'The weather of a city.',
    input: z.object({ city: z.string(), days: z.number() }),
    approval,
    run(input) {
      ran.push(input);
      return { sky: 'clear' };
    },
  });
}

for (const [version, modelAt] of Object.entries(PROVIDERS)) {
  const serverFor = async (context: TestContext, ...replies: Reply[]): Promise<OpenAiServer> => {
    const server = await startOpenAiServer(replies);
    context.after(() => server.close());
    return server;
  };

  void describe(`a provider of ${version}`, { timeout: 30_000 }, () => {
    void test('is the specification that it is said to be', () => {
      const create = { v2: createV2, v3: createV3, v4: createV4 }[version];
      const { specificationVersion } = create!({ name: 'acme', baseURL: 'http://127.0.0.1' })('small');
      assert.equal(specificationVersion, version);
    });

    void test('has its tool run and is told what came of it', async (context) => {
      const server = await serverFor(
        context,
        { chunks: callWeather },
        { chunks: textChunks(['It is ', 'clear.']) },
      );
      const ran: unknown[] = [];
      const agent = defineAgent({
        id: 'forecaster',
        model: modelAt(server.url),
        instructions: 'You know the weather.',
        tools: [weatherTool(false, ran)],
        settings: { temperature: 0, maxOutputTokens: 50, stopSequences: ['END'], seed: 3 },
      });
      const run = agent.stream({ prompt: 'How is the weather in Ulm?' });
      let shownInput = '';
      for await (const event of run) if (isToolCallArgs(event)) shownInput += event.delta;
      const response = await run.response;

      assert.equal(response.finishReason, 'stop');
      assert.equal(response.text, 'It is clear.');
      assert.deepEqual(ran, [{ city: 'Ulm', days: 2 }]);
      assert.equal(shownInput, '{"city":"Ulm","days":2}');
      assert.deepEqual(response.usage, [
        {
          provider: 'acme',
          model: 'small',
          inputTokens: 20,
          outputTokens: 10,
          totalTokens: 30,
          reasoningTokens: 4,
          cachedInputTokens: 8,
        },
      ]);
      const [first, second] = server.requests;
      assert.equal(server.requests.length, 2);
      assert.deepEqual(first!.messages, [
        { role: 'system', content: 'You know the weather.' },
        { role: 'user', content: 'How is the weather in Ulm?' },
      ]);
      assert.equal(first!.tools?.[0]?.function.name, 'weather');
      assert.deepEqual(
        [first!['temperature'], first!['max_tokens'], first!['stop'], first!['seed']],
        [0, 50, ['END'], 3],
      );
      const [called, result] = second!.messages.slice(-2);
      assert.equal(called!['content'], 'Let me look. ');
      assert.deepEqual(called!['tool_calls'], [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Ulm","days":2}' },
        },
      ]);
      assert.deepEqual(result, { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"clear"}' });
    });

    void test('waits while a person decides, and goes on with the answer', async (context) => {
      for (const approved of [true, false]) {
        const server = await serverFor(context, { chunks: callWeather }, { chunks: textChunks(['Done.']) });
        const ran: unknown[] = [];
        const agent = defineAgent({
          id: 'forecaster',
          model: modelAt(server.url),
          tools: [weatherTool(true, ran)],
        });
        const asked = await agent.generate({ prompt: 'Ulm?' });
        assert.equal(asked.finishReason, 'interrupted');
        assert.equal(server.requests.length, 1);
        assert.deepEqual(ran, []);

        const [interrupt] = asked.interrupts;
        const answered: GenerateOptions = {
          messages: JSON.parse(JSON.stringify(asked.messages)) as typeof asked.messages,
          resume: [approved ? approve(interrupt!) : reject(interrupt!, 'It costs money.')],
        };
        const response = await agent.generate(answered);
        assert.equal(response.text, 'Done.');
        assert.equal(ran.length, approved ? 1 : 0);
        const result = server.requests[1]!.messages.at(-1)!;
        assert.equal(result['tool_call_id'], 'call_1');
        if (approved) assert.equal(result['content'], '{"sky":"clear"}');
        else assert.match(String(result['content']), /It costs money\./);
      }
    });

    void test('sees a picture that a user sent', async (context) => {
      const server = await serverFor(context, { chunks: textChunks(['A cat.']) });
      const agent = defineAgent({ id: 'viewer', model: modelAt(server.url) });
      await agent.generate({
        messages: [
          {
            id: '1',
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image', source: { type: 'data', value: 'iVBORw0KGgo=', mimeType: 'image/png' } },
              { type: 'image', source: { type: 'url', value: 'https://example.com/cat.png' } },
            ],
          },
        ],
      });
      assert.deepEqual(server.requests[0]!.messages[0]!['content'], [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
      ]);
    });

    void test('is hung up on when the run is stopped', async (context) => {
      const server = await serverFor(context, { silentAfter: textChunks(['Once ']).slice(0, 2) });
      const agent = defineAgent({ id: 'teller', model: modelAt(server.url) });
      const controller = new AbortController();
      const run = agent.stream({ prompt: 'Tell me a story.', signal: controller.signal });
      const failed = assert.rejects(run.response, (error) => HoldpointError.is(error));
      let outcome: unknown;
      for await (const event of run) {
        if (isTextMessageContent(event)) controller.abort();
        if (isRunFinished(event)) outcome = event.outcome;
      }
      await Promise.all([failed, server.hungUp]);
      assert.deepEqual(outcome, { type: 'cancelled' });
    });

    void test('that answers 500 fails the run, and what it said stays inside', async (context) => {
      const server = await serverFor(context, { status: 500 });
      const agent = defineAgent({ id: 'teller', model: modelAt(server.url) });
      await assert.rejects(agent.generate({ prompt: 'Hello' }), (error) => {
        assert.ok(HoldpointError.is(error, 'MODEL_FAILED'));
        assert.doesNotMatch(error.message, /secret/);
        assert.match(String(error.cause), /secret detail/);
        return true;
      });
      assert.equal(server.requests.length, 1);
    });
  });
}
