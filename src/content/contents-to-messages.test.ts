import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import type { ContentPart, Message, ToolCall } from '../protocol/index.ts';
import { arbitraryJsonObject, arbitraryRunAgentInput } from '../protocol/testing-support/arbitrary-events.ts';
import type { ChatContent, MediaContent } from './index.ts';
import {
  approvalResponse,
  contentsToMessages,
  isAudioContent,
  isFileContent,
  isFunctionCall,
  isFunctionResult,
  isImageContent,
  isMediaContent,
  isTextContent,
  isVideoContent,
  messageToContents,
} from './index.ts';

const CALL: ToolCall = {
  id: 'call-abc',
  type: 'function',
  function: { name: 'get_weather', arguments: '{ "location": "Seattle" }' },
  metadata: { index: 0 },
};

function ids(): () => string {
  let next = 0;
  return () => `id-${(next += 1)}`;
}

/** A message without its id, name and metadata; undefined for a message without parts. */
function essence(message: Message): Message | undefined {
  switch (message.role) {
    case 'activity':
      return undefined;
    case 'user':
      return message.content.length === 0 && typeof message.content !== 'string'
        ? undefined
        : { id: message.id, role: message.role, content: message.content };
    case 'assistant': {
      const { id, role, content, toolCalls = [] } = message;
      if (content === undefined && toolCalls.length === 0) return undefined;
      return {
        id,
        role,
        ...(content === undefined ? {} : { content }),
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
      };
    }
    case 'tool': {
      const { id, role, toolCallId, content, error } = message;
      return { id, role, toolCallId, content, ...(error === undefined ? {} : { error }) };
    }
    case 'reasoning': {
      const { id, role, content, encryptedValue } = message;
      return { id, role, content, ...(encryptedValue === undefined ? {} : { encryptedValue }) };
    }
    case 'developer':
    case 'system':
      return { id: message.id, role: message.role, content: message.content };
  }
}

/** Parts without their raw representation. */
function bare(contents: readonly ChatContent[]): ChatContent[] {
  return contents.map(({ rawRepresentation: _raw, ...rest }) => rest as ChatContent);
}

describe('messageToContents', () => {
  it('returns the text and the calls of an assistant, with parsed arguments', () => {
    const message: Message = { id: 'm', role: 'assistant', content: 'Let me look.', toolCalls: [CALL] };
    const [text, call, ...rest] = messageToContents(message);
    expect(rest).toEqual([]);
    expect(text).toEqual({ type: 'text', text: 'Let me look.', rawRepresentation: message });
    expect(text?.rawRepresentation).toBe(message);
    expect(call).toEqual({
      type: 'functionCall',
      callId: 'call-abc',
      name: 'get_weather',
      arguments: { location: 'Seattle' },
      rawRepresentation: CALL,
    });
    expect(call?.rawRepresentation).toBe(CALL);
  });

  it('returns the text and media of a user; a document is a file', () => {
    const parts: ContentPart[] = [
      { type: 'text', text: 'What is this?', id: 'p' },
      { type: 'image', source: { type: 'url', value: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'data', value: 'AA==', mimeType: 'application/pdf' } },
    ];
    const contents = messageToContents({ id: 'm', role: 'user', content: parts });
    expect(contents.map(({ type }) => type)).toEqual(['text', 'image', 'file']);
    contents.forEach((content, index) => expect(content.rawRepresentation).toBe(parts[index]));
    expect(contents.filter(isMediaContent)).toHaveLength(2);
    expect(contents.map(isFileContent)).toEqual([false, false, true]);
    expect(contents.map(isImageContent)).toEqual([false, true, false]);
    expect(contents.some(isAudioContent) || contents.some(isVideoContent)).toBe(false);
  });

  it('returns the result of a tool: JSON objects and lists parsed, other results as text', () => {
    const result = (content: string) =>
      messageToContents({ id: 'm', role: 'tool', toolCallId: 'c', content })[0];
    expect(result('{"celsius":7}')).toMatchObject({ callId: 'c', result: { celsius: 7 } });
    expect(result('[1, 2]')).toMatchObject({ result: [1, 2] });
    expect(result('7')).toMatchObject({ result: '7' });
    expect(result('{broken')).toMatchObject({ result: '{broken' });
    expect(result('{"__proto__":1}')).toMatchObject({ result: '{"__proto__":1}' });
  });

  it('keeps arguments that are not JSON as text', () => {
    const call = (text: string) =>
      messageToContents({
        id: 'm',
        role: 'assistant',
        toolCalls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
      }).find(isFunctionCall);
    expect(call('{"a":')?.arguments).toBe('{"a":');
    expect(call('"a"')?.arguments).toBe('"a"');
    expect(call('')).not.toHaveProperty('arguments');
  });

  it('returns parts that make the same message again', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(arbitraryRunAgentInput(), ({ messages }) => {
        for (const message of messages) {
          const expected = essence(message);
          if (message.role === 'activity') {
            expect(messageToContents(message)).toEqual([]);
            continue;
          }
          const again = contentsToMessages(message.role, messageToContents(message), () => message.id);
          expect(again).toEqual(expected === undefined ? [] : [expected]);
          if (expected !== undefined) seen.add(message.role);
        }
      }),
      { numRuns: runs(100) },
    );
    expect(seen.size).toBe(6);
  });
});

describe('contentsToMessages', () => {
  it('keeps the order: reasoning, text with its calls, results, then more text', () => {
    const messages = contentsToMessages(
      'assistant',
      [
        { type: 'reasoning', text: 'hm', protectedData: 'sealed' },
        { type: 'text', text: 'Let me ' },
        { type: 'text', text: 'look.' },
        { type: 'functionCall', callId: 'c1', name: 'get_weather', arguments: { location: 'Seattle' } },
        { type: 'functionCall', callId: 'c2', name: 'now' },
        { type: 'functionResult', callId: 'c1', result: { celsius: 7 } },
        { type: 'functionResult', callId: 'c2', error: 'No clock.' },
        { type: 'text', text: 'Cold.' },
      ],
      ids(),
    );
    expect(messages).toEqual([
      { id: 'id-1', role: 'reasoning', content: 'hm', encryptedValue: 'sealed' },
      {
        id: 'id-2',
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"location":"Seattle"}' },
          },
          { id: 'c2', type: 'function', function: { name: 'now', arguments: '' } },
        ],
      },
      { id: 'id-3', role: 'tool', toolCallId: 'c1', content: '{"celsius":7}' },
      { id: 'id-4', role: 'tool', toolCallId: 'c2', content: 'No clock.', error: 'No clock.' },
      { id: 'id-5', role: 'assistant', content: 'Cold.' },
    ]);
  });

  it('starts a new message for text after a call', () => {
    const contents: ChatContent[] = [
      { type: 'text', text: 'Wait.' },
      { type: 'functionCall', callId: 'c', name: 'f' },
      { type: 'text', text: 'Done.' },
    ];
    const messages = contentsToMessages('assistant', contents, ids());
    expect(messages.map(({ id }) => id)).toEqual(['id-1', 'id-2']);
    expect(bare(messages.flatMap(messageToContents))).toEqual(contents);
  });

  it('leaves out requests, responses and errors', () => {
    const functionCall = { type: 'functionCall', callId: 'c', name: 'f' } as const;
    const request = { type: 'functionApprovalRequest', id: 'i', functionCall } as const;
    const contents: ChatContent[] = [
      request,
      approvalResponse(request, { approved: true }),
      { type: 'userInputRequest', id: 'j' },
      { type: 'userInputResponse', id: 'j', value: 1 },
      { type: 'error', message: 'No.' },
    ];
    expect(contentsToMessages('user', contents)).toEqual([]);
  });

  it('rejects media of a role other than user', () => {
    const image: MediaContent = { type: 'image', source: { type: 'url', value: 'x' } };
    expect(() => contentsToMessages('assistant', [image])).toThrow('cannot carry a part of type image');
    const [message] = contentsToMessages('user', [image, { type: 'text', text: 'this' }]);
    expect(message).toMatchObject({
      role: 'user',
      content: [
        { type: 'image', source: image.source },
        { type: 'text', text: 'this' },
      ],
    });
  });

  it('writes the current content of a part, not its raw representation', () => {
    const message: Message = {
      id: 'm',
      role: 'user',
      content: [{ type: 'text', text: 'hello', id: 'p', metadata: { kept: true } }],
    };
    const contents = messageToContents(message);
    expect(contentsToMessages('user', contents, ids())).toMatchObject([{ content: message.content }]);
    const shouted = contents.filter(isTextContent).map((content) => ({ ...content, text: 'HELLO' }));
    expect(contentsToMessages('user', shouted, ids())).toEqual([
      { id: 'id-1', role: 'user', content: 'HELLO' },
    ]);
    const calls = messageToContents({ id: 'm', role: 'assistant', toolCalls: [CALL] }).filter(isFunctionCall);
    const moved = calls.map((call) => ({ ...call, arguments: { location: 'Oslo' } }));
    expect(contentsToMessages('assistant', moved, ids())).toMatchObject([
      { toolCalls: [{ id: 'call-abc', function: { arguments: '{"location":"Oslo"}' } }] },
    ]);
  });

  it('writes an unchanged result exactly as it was read', () => {
    const message: Message = { id: 'm', role: 'tool', toolCallId: 'c', content: '{ "celsius": 7.0 }' };
    const contents = messageToContents(message);
    expect(contentsToMessages('tool', contents, () => 'm')).toEqual([message]);
    const warmer = contents.filter(isFunctionResult).map((part) => ({ ...part, result: { celsius: 8 } }));
    expect(contentsToMessages('tool', warmer)).toMatchObject([{ content: '{"celsius":8}' }]);
  });

  it('writes messages that read back as the same parts', () => {
    const text = fc.string();
    const args = arbitraryJsonObject();
    const part: fc.Arbitrary<ChatContent> = fc.oneof(
      fc.record({ type: fc.constant('reasoning' as const), text, protectedData: text }),
      fc.record({ type: fc.constant('functionCall' as const), callId: text, name: text, arguments: args }),
      fc.record({ type: fc.constant('functionResult' as const), callId: text, result: args }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), text, (rest, said) => {
        const contents: ChatContent[] = [{ type: 'text', text: said }, ...rest];
        const messages = contentsToMessages('assistant', contents, ids());
        expect(bare(messages.flatMap(messageToContents))).toEqual(contents);
      }),
    );
  });

  it('rejects a result that is not JSON', () => {
    const result: unknown[] = [];
    result.push(result);
    const write = () => contentsToMessages('tool', [{ type: 'functionResult', callId: 'c', result }]);
    expect(write).toThrow('The value, an array, cannot be written as JSON.');
  });
});
