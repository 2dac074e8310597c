import { HoldpointError } from '../../core/index.ts';

/** One frame: its data, and the id after which a reader can resume. */
export interface SseFrame {
  /** The data lines, joined by LF. */
  readonly data: string;
  /** Id of the frame; undefined without one. */
  readonly id: string | undefined;
}

/** Reads frames from bytes or text in chunks of any size. */
export interface SseParser {
  /** Throws `TOO_LARGE` for a frame past the limit, and the errors of `onFrame`. */
  push(chunk: Uint8Array | string): void;
  /**
   * Ends the input. Emits a last frame that only lacks its blank line; throws `RUN_LOST` for a frame that was cut
   * off.
   */
  end(): void;
}

/** Options of {@link createSseParser}. */
export interface SseParserOptions {
  /** Called for each frame, in order. */
  readonly onFrame: (frame: SseFrame) => void;
  /** Largest frame in characters; default 10 Mi. */
  readonly maxFrameLength?: number;
}

/**
 * Creates a parser of server-sent events by the standard: LF, CRLF or CR, several `data:` lines, comments, ids, a
 * byte order mark, and characters whose bytes are split between two chunks.
 *
 * @example
 * ```ts
 * import { createSseParser } from 'holdpoint/protocol';
 *
 * const parser = createSseParser({ onFrame: ({ id, data }) => console.log(id, data) });
 * parser.push('id: 1\ndata: {"type":"CUSTOM"}\n\n');
 * parser.end();
 * ```
 */
export function createSseParser({ onFrame, maxFrameLength = 10 * 1024 * 1024 }: SseParserOptions): SseParser {
  const decoder = new TextDecoder('utf-8');
  let line = '';
  let afterReturn = false;
  let data: string | undefined;
  let id: string | undefined;
  let failure: HoldpointError | undefined;
  let cutOff = false;

  const readLine = (text: string) => {
    if (text === '') {
      const frame = data === undefined ? undefined : { data, id };
      data = undefined;
      id = undefined;
      if (frame !== undefined && frame.data.length <= maxFrameLength) onFrame(frame);
      else if (frame !== undefined) failure = tooLarge(maxFrameLength);
      return;
    }
    const colon = text.includes(':') ? text.indexOf(':') : text.length;
    const name = text.slice(0, colon);
    const value = text.slice(colon + (text[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (name === 'id') id = value.includes('\0') ? id : value;
    else if (name === 'retry') cutOff ||= !/^\d+$/.test(value);
    else if (name !== '' && name !== 'event') cutOff = true;
  };
  const feed = (text: string) => {
    if (failure !== undefined) throw failure;
    if (text === '') return;
    const fresh = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    const lines = fresh.split(fresh.includes('\r') ? /\r\n?|\n/ : '\n');
    afterReturn = text.endsWith('\r');
    // A line that arrives in many chunks is joined once, at its end.
    lines[0] = line + (lines[0] ?? '');
    line = lines.pop() ?? '';
    for (const whole of lines) if (failure === undefined) readLine(whole);
    if (line.length + (data?.length ?? 0) > maxFrameLength) failure = tooLarge(maxFrameLength);
    if (failure !== undefined) throw failure;
  };
  return {
    push: (chunk) => feed(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })),
    end() {
      feed(decoder.decode());
      cutOff = false;
      try {
        feed('\n\n');
      } catch (cause) {
        if (!HoldpointError.is(cause, 'INPUT_INVALID')) throw cause;
        throw lost(cause);
      }
      if (cutOff) throw lost();
    },
  };
}

function lost(cause?: unknown): HoldpointError {
  return new HoldpointError('RUN_LOST', 'The stream ended in the middle of a frame.', { cause });
}

function tooLarge(limit: number): HoldpointError {
  return new HoldpointError('TOO_LARGE', `A frame of the stream has more than ${limit} characters.`);
}
