/**
 * Reads a stream to its end. Cancels the stream when the signal aborts, even if the stream ignores the signal, and
 * throws the signal's reason; cancels it too when the reader stops early.
 */
export async function* readStream<Part>(
  stream: ReadableStream<Part>,
  signal: AbortSignal,
): AsyncGenerator<Part, void> {
  const reader = stream.getReader();
  // A failed stream rejects a cancel; its failure is read elsewhere.
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
