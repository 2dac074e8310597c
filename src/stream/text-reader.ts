import { openSource } from './text-source.ts';
import type { OpenSource, TextSource } from './text-source.ts';

/** A source read as text; it stops when the signal aborts, even in the middle of a read. */
export interface TextReader {
  /** Starts the source. Throws the errors of the start. */
  open(): Promise<void>;
  /** The next text, possibly empty; `undefined` at the end. Throws the errors of the source. */
  next(): Promise<string | undefined>;
}

/** Creates a reader; call {@link TextReader.open} first. */
export function createTextReader(source: TextSource, signal: AbortSignal): TextReader {
  const decoder = new TextDecoder();
  let chunks: OpenSource | undefined;

  async function open(): Promise<void> {
    chunks = openSource(typeof source === 'function' ? await source(signal) : source);
    if (signal.aborted) chunks.close();
  }

  async function next(): Promise<string | undefined> {
    const result = await nextChunk();
    // An incomplete code point at the end becomes U+FFFD.
    if (result === undefined) return decoder.decode() || undefined;
    try {
      return textOf(result.value, decoder);
    } catch (error) {
      chunks?.close();
      throw error;
    }
  }

  /** Does not close a source that ended or failed by itself. */
  async function nextChunk(): Promise<IteratorYieldResult<unknown> | undefined> {
    try {
      const result = await chunks?.next();
      if (result !== undefined && result.done !== true) return result;
    } catch (error) {
      signal.removeEventListener('abort', stop);
      throw error;
    }
    signal.removeEventListener('abort', stop);
    return undefined;
  }

  function stop(): void {
    if (chunks !== undefined) chunks.close();
    // Open the unread stream to release it.
    else if (typeof source !== 'function') open().catch(() => {});
  }

  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return { open, next };
}

function textOf(chunk: unknown, decoder: InstanceType<typeof TextDecoder>): string {
  if (typeof chunk === 'string') return chunk;
  if (chunk instanceof Uint8Array) return decoder.decode(chunk, { stream: true });
  if (typeof chunk === 'object' && chunk !== null && 'text' in chunk) {
    if (chunk.text === undefined) return '';
    if (typeof chunk.text === 'string') return chunk.text;
  }
  throw new TypeError(
    'A chunk of a text stream must be a string, a Uint8Array, or an object with a string "text".',
  );
}
