import { describe, expect, it } from 'vitest';

import type { Message } from '../../protocol/index.ts';
import { FILES_V3 } from './file-forms.ts';
import { fromStream } from './from-stream.ts';
import type { ProviderStreamPart } from './provider-model.ts';
import { readStream } from './from-ai-sdk.ts';
import { collect, finishOf, streamOf, VERSIONS } from './testing-support/models.ts';
import { toPrompt } from './to-prompt.ts';

const { signal } = new AbortController();
const read = (...parts: ProviderStreamPart[]) => collect(fromStream(readStream(streamOf(parts), signal)));

describe('fromStream', () => {
  it.each(VERSIONS)('reads every part of a response of %s', async (version) => {
    const parts = await read(
      { type: 'stream-start' },
      { type: 'response-metadata' },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r' },
      { type: 'text-start' },
      { type: 'text-delta', delta: 'Hel' },
      { type: 'text-delta', delta: 'lo' },
      { type: 'text-end' },
      { type: 'tool-input-start', id: 'c1', toolName: 'add' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"a"' },
      { type: 'tool-input-delta', id: 'c1', delta: ':1}' },
      { type: 'tool-input-end' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":1}' },
      { type: 'raw' },
      finishOf(version, 'tool-calls'),
    );
    expect(parts).toEqual([
      { type: 'reasoning', delta: 'Hm.' },
      { type: 'text', delta: 'Hel' },
      { type: 'text', delta: 'lo' },
      { type: 'tool-input', callId: 'c1', name: 'add', delta: '{"a"' },
      { type: 'tool-input', callId: 'c1', name: 'add', delta: ':1}' },
      { type: 'tool-call', callId: 'c1', name: 'add', input: '{"a":1}' },
      {
        type: 'finish',
        reason: 'tool-calls',
        usage: {
          inputTokens: 4,
          outputTokens: 6,
          totalTokens: 10,
          reasoningTokens: 2,
          cachedInputTokens: 1,
          ...(version === 'v2' ? {} : { cacheWriteInputTokens: 3 }),
        },
      },
    ]);
  });

  it('leaves out the deltas of an input that is plain text, because deltas must be JSON', async () => {
    const parts = await read(
      { type: 'tool-input-start', id: 'c1', toolName: 'run', inputEncoding: 'text' },
      { type: 'tool-input-delta', id: 'c1', delta: 'print(1)' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'run', input: '"print(1)"' },
    );
    expect(parts.map(({ type }) => type)).toEqual(['tool-call', 'finish']);
  });

  it('notes a call that the provider ran, and yields no tool call for it', async () => {
    const parts = await read(
      { type: 'tool-input-start', id: 's1', toolName: 'search', providerExecuted: true },
      { type: 'tool-input-delta', id: 's1', delta: '{}' },
      {
        type: 'tool-call',
        toolCallId: 's1',
        toolName: 'search',
        input: '{"q":"rain"}',
        providerExecuted: true,
      },
      { type: 'tool-result', toolCallId: 's1', toolName: 'search', result: ['…'], preliminary: true },
      { type: 'tool-result', toolCallId: 's1', toolName: 'search', result: ['dry'] },
      { type: 'tool-call', toolCallId: 's2', toolName: 'search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's2', toolName: 'search', result: 'down', isError: true },
      { type: 'text-delta', delta: 'Dry.' },
      finishOf('v3', 'stop'),
    );
    expect(parts.map(({ type }) => type)).toEqual(['text', 'finish']);
    expect(parts[1]).toMatchObject({
      metadata: {
        aiSdk: {
          providerExecuted: [
            { toolCallId: 's1', toolName: 'search', input: '{"q":"rain"}', result: ['dry'] },
            { toolCallId: 's2', toolName: 'search', input: '{}', result: 'down', isError: true },
          ],
        },
      },
    });
  });

  it('throws PROTOCOL_UNSUPPORTED when the provider asks for its own approval', async () => {
    const parts = read({ type: 'tool-approval-request', toolCallId: 'mcp-1' });
    await expect(parts).rejects.toMatchObject({
      code: 'PROTOCOL_UNSUPPORTED',
      message: expect.stringContaining('mcp-1') as string,
    });
  });

  it('yields files as base64 from every form, and a URL as a source', async () => {
    const bytes = Uint8Array.from({ length: 20_000 }, (_, index) => index % 256);
    const base64 = Buffer.from(bytes).toString('base64');
    const parts = await read(
      { type: 'file', mediaType: 'image/png', data: 'iVBO' },
      { type: 'file', mediaType: 'image/png', data: bytes },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a') } },
    );
    expect(parts.slice(0, -1)).toEqual([
      { type: 'file', mimeType: 'image/png', data: 'iVBO' },
      { type: 'file', mimeType: 'image/png', data: base64 },
      { type: 'file', mimeType: 'image/png', data: base64 },
      {
        type: 'source',
        source: { sourceType: 'file', url: 'https://example.com/a', mediaType: 'image/png' },
      },
    ]);
  });

  it('yields sources', async () => {
    const source = { sourceType: 'url', id: '1', url: 'https://example.com', title: 'Example' };
    expect((await read({ type: 'source', ...source }))[0]).toEqual({ type: 'source', source });
  });

  it("throws the provider's error for a response that fails in the middle", async () => {
    const cause = new Error('overloaded');
    const parts = read({ type: 'text-delta', delta: 'Hel' }, { type: 'error', error: cause });
    await expect(parts).rejects.toMatchObject({ code: 'MODEL_FAILED', cause });
  });

  it('finishes with the reason other when the response breaks off', async () => {
    expect(await read({ type: 'text-delta', delta: 'Hel' })).toEqual([
      { type: 'text', delta: 'Hel' },
      { type: 'finish', reason: 'other' },
    ]);
  });

  it('skips unknown parts', async () => {
    const unknown = { type: 'hologram' } as unknown as ProviderStreamPart;
    expect(await read(unknown)).toEqual([{ type: 'finish', reason: 'other' }]);
  });
});

describe('signatures of a provider', () => {
  const reasoning: ProviderStreamPart[] = [
    { type: 'reasoning-start', id: 'a', providerMetadata: { acme: { item: 'rs_1' } } },
    { type: 'reasoning-delta', id: 'a', delta: 'First ' },
    { type: 'reasoning-delta', id: 'a', delta: 'one. ' },
    { type: 'reasoning-start', id: 'b' },
    { type: 'reasoning-delta', id: 'b', delta: 'Second.' },
    // The first block is signed when the second block is already open.
    { type: 'reasoning-end', id: 'a', providerMetadata: { acme: { signature: 'A' } } },
    { type: 'reasoning-end', id: 'b', providerMetadata: { acme: { signature: 'B' } } },
    { type: 'reasoning-start', id: 'c', providerMetadata: { acme: { redacted: 'xyz' } } },
    { type: 'reasoning-end', id: 'c' },
  ];

  it('sends back the signatures of a provider block by block, those of calls included', async () => {
    const parts = await read(
      ...reasoning,
      { type: 'tool-call', toolCallId: 'c0', toolName: 'add', input: '{}' },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'add',
        input: '{}',
        providerMetadata: { acme: { thought: 'T' } },
      },
      finishOf('v3', 'tool-calls'),
    );
    const encryptedValue = parts.findLast((part) => part.type === 'reasoning')?.encryptedValue;
    const finish = parts.at(-1);
    const metadata = finish?.type === 'finish' ? finish.metadata : undefined;
    expect(metadata).toEqual({ aiSdk: { calls: [null, { acme: { thought: 'T' } }] } });

    const called = (id: string) => ({
      id,
      type: 'function' as const,
      function: { name: 'add', arguments: '{}' },
    });
    const messages: Message[] = [
      {
        id: '1',
        role: 'reasoning',
        content: 'First one. Second.',
        ...(encryptedValue === undefined ? {} : { encryptedValue }),
      },
      // The loop gave other ids to the calls.
      {
        id: '2',
        role: 'assistant',
        toolCalls: [called('x0'), called('x1')],
        ...(metadata === undefined ? {} : { metadata }),
      },
    ];
    const stored = JSON.parse(JSON.stringify(messages)) as Message[];
    const [message] = toPrompt(
      { messages: stored, instructions: undefined },
      { files: FILES_V3, vendor: 'acme' },
    );
    expect(message?.content).toEqual([
      { type: 'reasoning', text: 'First one. ', providerOptions: { acme: { item: 'rs_1', signature: 'A' } } },
      { type: 'reasoning', text: 'Second.', providerOptions: { acme: { signature: 'B' } } },
      { type: 'reasoning', text: '', providerOptions: { acme: { redacted: 'xyz' } } },
      { type: 'tool-call', toolCallId: 'x0', toolName: 'add', input: {} },
      {
        type: 'tool-call',
        toolCallId: 'x1',
        toolName: 'add',
        input: {},
        providerOptions: { acme: { thought: 'T' } },
      },
    ]);
  });

  it.each([
    'c2lnbmF0dXJl',
    '{"acme":{}}',
    '[{"length":3}]',
    '[{"length":-1},{"length":6}]',
    '[7]',
    '[{"length":5,"metadata":{"__proto__":{}}}]',
  ])('drops the signature %j of another provider and keeps the text', (encryptedValue) => {
    const messages: Message[] = [
      { id: '1', role: 'reasoning', content: 'Think', encryptedValue },
      { id: '2', role: 'assistant', content: 'Said' },
    ];
    const [message] = toPrompt({ messages, instructions: undefined }, { files: FILES_V3, vendor: 'acme' });
    expect(message?.content).toEqual([
      { type: 'reasoning', text: 'Think' },
      { type: 'text', text: 'Said' },
    ]);
  });
});

describe('readStream', () => {
  it('leaves a stream that ignores the signal', async () => {
    const controller = new AbortController();
    let cancelledWith: unknown;
    const stream = new ReadableStream<ProviderStreamPart>({
      start: (source) => source.enqueue({ type: 'text-delta', delta: 'Hel' }),
      cancel: (reason) => {
        cancelledWith = reason;
      },
    });
    const parts = fromStream(readStream(stream, controller.signal));
    expect((await parts.next()).value).toEqual({ type: 'text', delta: 'Hel' });
    const waiting = parts.next();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(cancelledWith).toEqual(new Error('enough'));
  });

  it('cancels the stream when the reader stops early', async () => {
    let cancelled = false;
    const stream = new ReadableStream<ProviderStreamPart>({
      pull: (source) => source.enqueue({ type: 'text-delta', delta: 'on ' }),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const part of fromStream(readStream(stream, signal))) {
      expect(part).toEqual({ type: 'text', delta: 'on ' });
      break;
    }
    expect(cancelled).toBe(true);
  });
});
