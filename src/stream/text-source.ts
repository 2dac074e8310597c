/** One piece of text: a string, UTF-8 bytes (a code point may be split over two), or an object that has a text. */
export type TextChunk = string | Uint8Array | { readonly text: string | undefined };

/** One part of an AI SDK `fullStream`, as far as tier 1 reads it. */
export interface TextPart {
  readonly type: string;
  readonly text?: string;
  readonly error?: unknown;
}

/**
 * What AI SDK's `streamText` returns. Prefer it to its `textStream`, which ends without a word when the
 * model fails: the run would look like a success. Only `text-delta` parts become text.
 */
export interface TextResult {
  readonly fullStream: AsyncIterable<TextPart> | ReadableStream<TextPart>;
}

/** Anything that gives text piece by piece. A string is one piece. */
export type TextStream =
  | string
  | Iterable<TextChunk>
  | AsyncIterable<TextChunk>
  | ReadableStream<TextChunk>
  | TextResult;

/**
 * A text stream, or a function that starts one. The function runs inside the stream, so its failure is a
 * `RUN_ERROR`; hand its signal to the model, it aborts when the reader leaves.
 */
export type TextSource = TextStream | ((signal: AbortSignal) => TextStream | Promise<TextStream>);

/** A source that is being read: `next` gives whatever it holds, `close` stops it and waits for nothing. */
export interface OpenSource {
  next(): Promise<IteratorResult<unknown, unknown>> | IteratorResult<unknown, unknown>;
  close(): void;
}

/** Starts reading; throws a TypeError for what is no source and for a ReadableStream that is locked. */
export function openSource(stream: TextStream): OpenSource {
  if (typeof stream === 'string') return openSource([stream]);
  if ('fullStream' in stream) return openParts(stream.fullStream);
  return openStream(stream);
}

function openParts(stream: TextResult['fullStream']): OpenSource {
  const parts = openStream(stream);
  return {
    async next() {
      const result = await parts.next();
      if (result.done === true) return result;
      // The parts are typed by TextResult; only what the source itself holds is looked at.
      const part = result.value as TextPart;
      if (part.type !== 'error' && part.type !== 'abort') {
        return { done: false, value: part.type === 'text-delta' ? part.text : '' };
      }
      parts.close();
      throw part.error ?? new Error('The model call failed or was aborted.');
    },
    close: () => parts.close(),
  };
}

type AnyStream = Iterable<unknown> | AsyncIterable<unknown> | ReadableStream<unknown>;

function openStream(stream: AnyStream): OpenSource {
  // Not the stream's own iterator: its return() waits for a read that may never end, cancel() does not.
  if ('getReader' in stream) {
    const reader = stream.getReader();
    return { next: () => reader.read(), close: () => void quietly(() => reader.cancel()) };
  }
  const iterator =
    Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  return { next: () => iterator.next(), close: () => void quietly(() => iterator.return?.()) };
}

/** Nobody is left to hear of a failure while closing. */
async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {}
}
