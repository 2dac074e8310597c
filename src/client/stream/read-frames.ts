import { HoldpointError } from '../../core/index.ts';
import type { SseFrame } from '../../protocol/index.ts';
import { createSseParser } from '../../protocol/sse/parse-sse.ts';

interface ReadFramesOptions {
  readonly signal: AbortSignal;
  /** Milliseconds of silence that break the stream, read before each chunk; a comment is not silence. */
  readonly stallLimit: () => number | undefined;
}

/** Some servers end a stream with this mark, which is not JSON. */
const END_MARK = '[DONE]';

/**
 * Yields the frames of a stream; frames that arrive together are yielded together. Leaving the loop cancels the
 * stream. Throws `RUN_LOST` when the stream breaks, stalls or ends inside a frame, `TOO_LARGE` for an endless
 * frame, and the signal's reason after an abort.
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  { signal, stallLimit }: ReadFramesOptions,
): AsyncGenerator<readonly SseFrame[], void, undefined> {
  let frames: SseFrame[] = [];
  let ending = false;
  const parser = createSseParser({
    onFrame(frame) {
      // A last frame without a blank line may be incomplete.
      if (ending && frame.data.trim() !== END_MARK) assertJson(frame.data);
      frames.push(frame);
    },
  });
  const source = body.getReader();
  const leave = () => {
    source.cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', leave, { once: true });
  try {
    while (!ending) {
      const { done, value } = await nextPiece(source, stallLimit()).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw HoldpointError.is(cause)
          ? cause
          : new HoldpointError('RUN_LOST', 'The connection broke.', {
              cause,
            });
      });
      signal.throwIfAborted();
      ending = done;
      let failure: { readonly error: unknown } | undefined;
      try {
        if (done) parser.end();
        else parser.push(value);
      } catch (error) {
        failure = { error };
      }
      const whole = frames;
      frames = [];
      if (whole.length > 0) yield whole;
      if (failure !== undefined) throw failure.error;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

function assertJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new HoldpointError('INPUT_INVALID', 'The server sent a frame that is not JSON.', { cause });
  }
}

type Piece = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

function nextPiece(
  source: ReadableStreamDefaultReader<Uint8Array>,
  limit: number | undefined,
): Promise<Piece> {
  if (limit === undefined) return source.read();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new HoldpointError('RUN_LOST', `The server has sent nothing for ${limit} ms.`));
    }, limit);
    source
      .read()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
