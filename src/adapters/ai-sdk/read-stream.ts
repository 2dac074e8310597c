/**
 * Reads a stream to its end. Gives it up when the signal aborts, even if the stream does not listen to it, and throws
 * the signal's reason; gives it up as well when the reader stops early.
 */
export async function* readStream<Part>(
  stream: ReadableStream<Part>,
  signal: AbortSignal,
): AsyncGenerator<Part, void> {
  const reader = stream.getReader();
  // A stream that already failed refuses to be cancelled, and its failure was or will be read.
  const giveUp = () => {
    reader.cancel(signal.reason).catch(() => undefined);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
    giveUp();
  }
}
