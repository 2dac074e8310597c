/** One chunk of text: a string, UTF-8 bytes (a code point may be split over two), or an object with a text. */
export type TextChunk = string | Uint8Array | { readonly text: string | undefined };

/** The members of an AI SDK `fullStream` part that tier 1 reads. */
export interface TextPart {
  readonly type: string;
  readonly text?: string;
  readonly error?: unknown;
}

/**
 * The result of AI SDK's `streamText`. Prefer it to its `textStream`, which ends without an error when the model
 * fails: the run would look like a success. Only `text-delta` parts become text.
 */
export interface TextResult {
  readonly fullStream: AsyncIterable<TextPart> | ReadableStream<TextPart>;
}

/** Any source of text chunks. A string is one chunk. */
export type TextStream =
  | string
  | Iterable<TextChunk>
  | AsyncIterable<TextChunk>
  | ReadableStream<TextChunk>
  | TextResult;

/**
 * A text stream, or a function that starts one. The function runs inside the stream, so its failure ends in
 * `RUN_ERROR`. Pass its signal to the model: it aborts when the reader leaves.
 */
export type TextSource = TextStream | ((signal: AbortSignal) => TextStream | Promise<TextStream>);

/** An open source: `next` returns the next chunk, `close` stops the source without waiting. */
export interface OpenSource {
  next(): Promise<IteratorResult<unknown, unknown>> | IteratorResult<unknown, unknown>;
  close(): void;
}

/** Starts reading. Throws a TypeError for an invalid source and for a locked ReadableStream. */
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
      // TextResult types the parts; only `done` is checked here.
      const part = result.value as TextPart;
      if (part.type !== 'error' && part.type !== 'abort') {
        return { done: false, value: part.type === 'text-delta' ? part.text : '' };
      }
      parts.close();
      throw part.error ?? new Error('The AI SDK reported that the model call failed or was aborted.');
    },
    close: () => parts.close(),
  };
}

type AnyStream = Iterable<unknown> | AsyncIterable<unknown> | ReadableStream<unknown>;

function openStream(stream: AnyStream): OpenSource {
  // Not the stream's own iterator: its return() waits for a pending read; cancel() does not.
  if ('getReader' in stream) {
    const reader = stream.getReader();
    return { next: () => reader.read(), close: () => void quietly(() => reader.cancel()) };
  }
  const iterator =
    Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  return { next: () => iterator.next(), close: () => void quietly(() => iterator.return?.()) };
}

/** Ignores a failure while closing: the reader has left. */
async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {}
}
