import { describe, expect, it } from 'vitest';

import { HoldpointError } from '../../core/index.ts';
import type { ContentPart, Message } from '../../protocol/index.ts';
import { FILES_V2, FILES_V3, FILES_V4 } from './file-forms.ts';
import { toPrompt } from './to-prompt.ts';

const v3 = { files: FILES_V3, vendor: 'acme' };

const promptOf = (messages: readonly Message[], instructions?: string) =>
  toPrompt({ messages, instructions }, v3);

const call = (id: string, name: string, input: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: input },
});

const user = (content: string | ContentPart[]): Message => ({ id: 'u', role: 'user', content });

describe('toPrompt', () => {
  it('writes the instructions first, then the messages of each role in order, without activities', () => {
    const prompt = promptOf(
      [
        { id: '1', role: 'system', content: 'Be kind.' },
        { id: '2', role: 'developer', content: 'Be brief.' },
        { id: '3', role: 'user', content: 'Hello' },
        { id: '4', role: 'activity', activityType: 'progress', content: { done: 1 } },
        { id: '5', role: 'reasoning', content: 'A greeting.' },
        { id: '6', role: 'assistant', content: 'Hi', toolCalls: [call('c1', 'wave', '{"hand":"left"}')] },
      ],
      'You are a bot.',
    );
    expect(prompt).toEqual([
      { role: 'system', content: 'You are a bot.' },
      { role: 'system', content: 'Be kind.' },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'A greeting.' },
          { type: 'text', text: 'Hi' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'wave', input: { hand: 'left' } },
        ],
      },
    ]);
  });

  it('joins consecutive results into one message, also across activities', () => {
    const prompt = promptOf([
      { id: '1', role: 'assistant', toolCalls: [call('c1', 'a', '{}'), call('c2', 'b', '{}')] },
      { id: '2', role: 'tool', toolCallId: 'c1', content: 'sunny' },
      { id: '3', role: 'activity', activityType: 'progress', content: {} },
      { id: '4', role: 'tool', toolCallId: 'c2', content: '{"rain":false}' },
      user('And now?'),
    ]);
    expect(prompt.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect(prompt[1]).toEqual({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'a', output: { type: 'text', value: 'sunny' } },
        {
          type: 'tool-result',
          toolCallId: 'c2',
          toolName: 'b',
          output: { type: 'json', value: { rain: false } },
        },
      ],
    });
  });

  it('drops a result without its call, an empty message, and reasoning without a message after it', () => {
    const prompt = promptOf([
      { id: '1', role: 'tool', toolCallId: 'gone', content: 'x' },
      { id: '2', role: 'reasoning', content: 'Hm.' },
      { id: '3', role: 'assistant' },
      user('Hello'),
      { id: '4', role: 'assistant', content: 'Hi' },
    ]);
    expect(prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    ]);
  });

  it.each(['', '{"a":', '"text"', '[1]', '{"__proto__":{}}'])(
    'calls with no object, as in %j, are shown with an empty one',
    (input) => {
      const [message] = promptOf([{ id: '1', role: 'assistant', toolCalls: [call('c1', 'a', input)] }]);
      expect(message).toMatchObject({ content: [{ input: {} }] });
    },
  );

  it.each([
    ['5', { type: 'text', value: '5' }],
    ['true', { type: 'text', value: 'true' }],
    ['{not json', { type: 'text', value: '{not json' }],
    ['[1,2]', { type: 'json', value: [1, 2] }],
  ])('writes the result %j as %j', (content, output) => {
    const prompt = promptOf([
      { id: '1', role: 'assistant', toolCalls: [call('c1', 'a', '{}')] },
      { id: '2', role: 'tool', toolCallId: 'c1', content },
    ]);
    expect(prompt[1]).toMatchObject({ content: [{ output }] });
  });

  it('writes a failed call as an error, with the partial result', () => {
    const prompt = promptOf([
      { id: '1', role: 'assistant', toolCalls: [call('c1', 'a', '{}'), call('c2', 'a', '{}')] },
      { id: '2', role: 'tool', toolCallId: 'c1', content: 'It broke.', error: 'It broke.' },
      { id: '3', role: 'tool', toolCallId: 'c2', content: 'Half of it', error: 'It broke.' },
    ]);
    expect(prompt[1]).toMatchObject({
      content: [
        { output: { type: 'error-text', value: 'It broke.' } },
        { output: { type: 'error-text', value: 'It broke.\n\nHalf of it' } },
      ],
    });
  });
});

describe('files in a prompt', () => {
  const parts: ContentPart[] = [
    { type: 'text', text: 'Look:' },
    { type: 'image', source: { type: 'data', value: 'iVBO', mimeType: 'image/png' } },
    { type: 'image', source: { type: 'url', value: 'https://example.com/a.png' } },
    {
      type: 'document',
      source: { type: 'url', value: 'gs://Bucket/a b.pdf', mimeType: 'application/pdf' },
      metadata: { filename: 'a.pdf' },
    },
    { type: 'audio', source: { type: 'url', value: 'data:audio/WAV;base64,AAAA' } },
    { type: 'document', source: { type: 'file', value: 'file-1', provider: 'acme' } },
    { type: 'document', source: { type: 'file', value: 'file-2', provider: 'other' } },
  ];
  const calls = { id: '1', role: 'assistant' as const, toolCalls: [call('c1', 'shoot', '{}')] };
  const result: Message = { id: '2', role: 'tool', toolCallId: 'c1', content: parts };

  const plain = [
    { type: 'text', text: 'Look:' },
    { type: 'file', mediaType: 'image/png', data: 'iVBO' },
    { type: 'file', mediaType: 'image/*', data: new URL('https://example.com/a.png') },
    {
      type: 'file',
      mediaType: 'application/pdf',
      filename: 'a.pdf',
      data: new URL('gs://Bucket/a b.pdf'),
      originalUrl: 'gs://Bucket/a b.pdf',
    },
    { type: 'file', mediaType: 'audio/wav', data: 'AAAA' },
    { type: 'file', mediaType: 'application/octet-stream', data: 'file-1' },
  ];
  const tagged = [
    { type: 'text', text: 'Look:' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBO' } },
    { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL('https://example.com/a.png') } },
    {
      type: 'file',
      mediaType: 'application/pdf',
      filename: 'a.pdf',
      data: { type: 'url', url: new URL('gs://Bucket/a b.pdf'), originalUrl: 'gs://Bucket/a b.pdf' },
    },
    { type: 'file', mediaType: 'audio/wav', data: { type: 'data', data: 'AAAA' } },
    {
      type: 'file',
      mediaType: 'application/octet-stream',
      data: { type: 'reference', reference: { acme: 'file-1' } },
    },
  ];

  it.each([
    ['v2', FILES_V2, plain],
    ['v3', FILES_V3, plain],
    ['v4', FILES_V4, tagged],
  ] as const)(
    'writes the files of a user in the form of %s and drops a handle of another provider',
    (_, files, expected) => {
      const prompt = toPrompt<unknown, unknown>(
        { messages: [user(parts)], instructions: undefined },
        { files, vendor: 'acme' },
      );
      expect(prompt).toEqual([{ role: 'user', content: expected }]);
    },
  );

  it.each([
    [
      'v2',
      FILES_V2,
      [
        { type: 'text', text: 'Look:' },
        { type: 'media', mediaType: 'image/png', data: 'iVBO' },
        { type: 'text', text: 'https://example.com/a.png' },
        { type: 'text', text: 'gs://Bucket/a b.pdf' },
        { type: 'media', mediaType: 'audio/wav', data: 'AAAA' },
        { type: 'text', text: 'file-1' },
      ],
    ],
    [
      'v3',
      FILES_V3,
      [
        { type: 'text', text: 'Look:' },
        { type: 'image-data', mediaType: 'image/png', data: 'iVBO' },
        { type: 'image-url', url: 'https://example.com/a.png' },
        { type: 'file-url', url: 'gs://Bucket/a b.pdf' },
        { type: 'file-data', mediaType: 'audio/wav', data: 'AAAA' },
        { type: 'file-id', fileId: 'file-1' },
      ],
    ],
    ['v4', FILES_V4, tagged],
  ] as const)('writes the files of a tool result in the form of %s', (_, files, expected) => {
    const prompt = toPrompt<unknown, unknown>(
      { messages: [calls, result], instructions: undefined },
      { files, vendor: 'acme' },
    );
    expect(prompt[1]).toMatchObject({ content: [{ output: { type: 'content', value: expected } }] });
  });

  it('throws INPUT_INVALID for a file with an invalid URL', () => {
    const message = user([{ type: 'image', source: { type: 'url', value: 'a.png' } }]);
    expect(() => promptOf([message])).toThrow(
      expect.toSatisfy((error: unknown) => HoldpointError.is(error, 'INPUT_INVALID')),
    );
  });
});
