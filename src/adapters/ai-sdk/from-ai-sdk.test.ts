import { describe, expect, it } from 'vitest';

import { defineAgent, defineTool } from '../../engine/index.ts';
import { fromAiSdk } from './index.ts';
import type { AiSdkModel } from './index.ts';
import { collect, finishOf, modelOf, requestOf, streamOf, VERSIONS } from './testing-support/models.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('fromAiSdk', () => {
  it.each(VERSIONS)('passes every member of the request to a model of %s', async (version) => {
    const { model, calls } = modelOf(version, [finishOf(version, 'stop')]);
    const { signal } = new AbortController();
    const request = requestOf({
      messages: [{ id: '1', role: 'user', content: 'Hello' }],
      instructions: 'Be kind.',
      tools: [
        { name: 'weather', description: 'The weather.', inputSchema: schema },
        { name: 'any', description: 'Anything.', inputSchema: true },
      ],
      settings: {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 100,
        stopSequences: ['END'],
        seed: 7,
        providerOptions: { acme: { effort: 'high' } },
      },
      signal,
    });
    const options = {
      headers: { 'x-tenant': 'a' },
      providerTools: { search: { id: 'acme.search', args: { depth: 2 } } },
    } as const;
    await collect(fromAiSdk(model, options).stream(request));
    expect(calls).toEqual([
      {
        prompt: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
        ],
        tools: [
          { type: 'function', name: 'weather', description: 'The weather.', inputSchema: schema },
          { type: 'function', name: 'any', description: 'Anything.', inputSchema: { type: 'object' } },
          {
            type: version === 'v2' ? 'provider-defined' : 'provider',
            id: 'acme.search',
            name: 'search',
            args: { depth: 2 },
          },
        ],
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 100,
        stopSequences: ['END'],
        seed: 7,
        providerOptions: { acme: { effort: 'high' } },
        headers: { 'x-tenant': 'a' },
        includeRawChunks: false,
        abortSignal: signal,
      },
    ]);
    expect(calls[0]?.abortSignal).toBe(signal);
  });

  it('leaves out absent members of the request', async () => {
    const { model, calls } = modelOf('v3');
    const chat = fromAiSdk(model);
    await collect(chat.stream(requestOf()));
    expect(Object.keys(calls[0] ?? {}).toSorted()).toEqual(['abortSignal', 'includeRawChunks', 'prompt']);
    expect(chat).toMatchObject({ provider: 'acme', model: 'acme-1' });
  });

  it('rejects provider options that are not grouped by provider', async () => {
    const { model, calls } = modelOf('v3');
    const request = requestOf({ settings: { providerOptions: { effort: 'high' } } });
    await expect(collect(fromAiSdk(model).stream(request))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(calls).toEqual([]);
  });

  it('does not call the model when the signal is aborted', async () => {
    const { model, calls } = modelOf('v3');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(collect(fromAiSdk(model).stream(requestOf({ signal })))).rejects.toThrow('enough');
    expect(calls).toEqual([]);
  });

  it.each([
    [{ specificationVersion: 'v1', provider: 'old', modelId: 'old-1' }, /old-1 .* v1;/],
    [{ specificationVersion: 'v9', provider: 'new', modelId: 'new-1' }, /new-1 .* v9;/],
    [{ modelId: 'none' }, /undefined/],
    ['openai/gpt-5', /a string/],
    [undefined, /nothing/],
  ])('rejects a model of an unknown specification: %j', (model, message) => {
    const make = () => fromAiSdk(model as unknown as AiSdkModel);
    expect(make).toThrow(expect.objectContaining({ code: 'PROTOCOL_UNSUPPORTED' }));
    expect(make).toThrow(message);
  });
});

describe('an agent with a model of the AI SDK', () => {
  const weather = defineTool({
    name: 'weather',
    description: 'The weather.',
    input: schema,
    run: () => ({ sky: 'clear' }),
  });

  it.each(VERSIONS)('runs the tool that a model of %s calls, and sends back its result', async (version) => {
    const asked: unknown[] = [];
    const turns = [
      [
        {
          type: 'reasoning-delta',
          id: 'r',
          delta: 'Look.',
          providerMetadata: { acme: { signature: 'S' } },
        },
        { type: 'tool-input-start', id: 'c1', toolName: 'weather' },
        { type: 'tool-input-delta', id: 'c1', delta: '{"city":"Ulm"}' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"city":"Ulm"}' },
        finishOf(version, 'tool-calls'),
      ],
      [{ type: 'text-delta', delta: 'Clear.' }, finishOf(version, 'stop')],
    ] as const;
    const model = {
      specificationVersion: version,
      provider: 'acme.chat',
      modelId: 'acme-1',
      doStream({ prompt }: { prompt: unknown }) {
        asked.push(prompt);
        return Promise.resolve({ stream: streamOf(turns[asked.length - 1] ?? []) });
      },
    } as AiSdkModel;
    const agent = defineAgent({ id: 'a', model: fromAiSdk(model), tools: [weather] });
    const { text, finishReason, usage } = await agent.generate({ prompt: 'Ulm?' });
    expect({ text, finishReason }).toEqual({ text: 'Clear.', finishReason: 'stop' });
    expect(usage).toMatchObject([{ provider: 'acme', model: 'acme-1', inputTokens: 8, outputTokens: 12 }]);
    expect(asked[1]).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Ulm?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Look.', providerOptions: { acme: { signature: 'S' } } },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Ulm' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'weather',
            output: { type: 'json', value: { sky: 'clear' } },
          },
        ],
      },
    ]);
  });

  it('fails with MODEL_FAILED when the model cannot be reached', async () => {
    const cause = new Error('no key');
    const model: AiSdkModel = {
      specificationVersion: 'v3',
      provider: 'acme.chat',
      modelId: 'acme-1',
      doStream: () => Promise.reject(cause),
    };
    const agent = defineAgent({ id: 'a', model: fromAiSdk(model) });
    await expect(agent.generate({ prompt: 'Hello' })).rejects.toMatchObject({ code: 'MODEL_FAILED', cause });
  });
});
