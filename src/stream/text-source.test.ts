import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';

import { collect } from './testing-support/collect.ts';
import type { TextPart, TextSource } from './text-source.ts';
import { toAguiEvents } from './to-agui-events.ts';

async function textOf(source: TextSource): Promise<string> {
  let text = '';
  for (const event of await collect(toAguiEvents(source))) {
    if (event.type === 'RUN_ERROR') return event.type;
    if (event.type === 'TEXT_MESSAGE_CONTENT') text += event.delta;
  }
  return text;
}

async function* words(): AsyncGenerator<string> {
  yield 'grüne ';
  yield 'Äpfel';
}

function streamOf(texts: readonly string[]): ReadableStream<string> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(text);
      controller.close();
    },
  });
}

const bytes = new TextEncoder().encode('grüne Äpfel');

describe('every kind of source yields the same text', () => {
  const kinds: [string, TextSource][] = [
    ['a string', 'grüne Äpfel'],
    ['an array', ['grüne ', 'Äpfel']],
    ['an async generator', words()],
    ['objects with a text', [{ text: 'grüne ' }, { text: undefined }, { text: 'Äpfel' }]],
    ['a ReadableStream of strings', streamOf(['grüne ', 'Äpfel'])],
    ['a ReadableStream of bytes', new Blob([bytes]).stream()],
    ['the body of a response', new Response(bytes).body ?? ''],
    ['a function', () => words()],
    ['an async function', () => Promise.resolve(words())],
    ['an AI SDK result', { fullStream: parts([{ type: 'text-delta', text: 'grüne Äpfel' }]) }],
  ];
  test.each(kinds)('%s yields the same text', async (_, source) => {
    expect(await textOf(source)).toBe('grüne Äpfel');
  });
});

test('a code point that is split between two byte chunks stays whole', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 4 }), async (text, size) => {
      const encoded = new TextEncoder().encode(text);
      const pieces = Array.from({ length: Math.ceil(encoded.length / size) }, (_, index) =>
        encoded.subarray(index * size, (index + 1) * size),
      );
      expect(await textOf(pieces)).toBe(text);
    }),
  );
});

test('bytes that end inside a code point end in a replacement character', async () => {
  expect(await textOf([bytes.subarray(0, 3)])).toBe('gr\uFFFD');
});

test('a stuck ReadableStream is cancelled', async () => {
  const cancel = vi.fn<() => void>();
  const events = toAguiEvents(new ReadableStream<string>({ cancel }));
  await events.next();
  await events.next();
  const stuck = events.next();
  await events.return(undefined);
  expect(cancel).toHaveBeenCalledOnce();
  expect(await stuck).toEqual({ done: true, value: undefined });
});

test('a locked stream, an invalid chunk and a missing source end in RUN_ERROR', async () => {
  const locked = streamOf(['grüne ', 'Äpfel']);
  locked.getReader();
  expect(await textOf(locked)).toBe('RUN_ERROR');
  expect(await textOf([7] as unknown as string[])).toBe('RUN_ERROR');
  expect(await textOf([{ text: 7 }] as unknown as string[])).toBe('RUN_ERROR');
  expect(await textOf(undefined as unknown as string)).toBe('RUN_ERROR');
});

test('an invalid chunk closes its source', async () => {
  const close = vi.fn<() => void>();
  function* wrong(): Generator {
    try {
      yield 7;
    } finally {
      close();
    }
  }
  expect(await textOf(wrong() as Generator<string>)).toBe('RUN_ERROR');
  expect(close).toHaveBeenCalledOnce();
});

describe('an AI SDK result as the source', () => {
  test('yields only text parts of an AI SDK result, no reasoning and no tools', async () => {
    const fullStream = parts([
      { type: 'start' },
      { type: 'reasoning-delta', text: 'let me think' },
      { type: 'text-delta', text: 'yes' },
      { type: 'tool-error', error: new Error('the model goes on after this') },
      { type: 'finish' },
    ]);
    expect(await textOf({ fullStream })).toBe('yes');
  });

  test.each([{ type: 'error', error: new Error('overloaded') }, { type: 'error' }, { type: 'abort' }])(
    'ends in RUN_ERROR at the part %o',
    async (part) => {
      expect(await textOf({ fullStream: parts([{ type: 'text-delta', text: 'y' }, part]) })).toBe(
        'RUN_ERROR',
      );
    },
  );
});

async function* parts(list: readonly TextPart[]): AsyncGenerator<TextPart> {
  yield* list;
}
