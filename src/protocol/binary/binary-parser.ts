import { HoldpointError } from '../../core/index.ts';
import { decodeBinaryEvent } from './decode-event.ts';
import { PREFIX_LENGTH } from './wire-table.ts';

/** Options of {@link createBinaryParser}. */
export interface BinaryParserOptions {
  /** Largest event in bytes, without its prefix; default 10 Mi. */
  readonly maxFrameLength?: number;
  /** Called for each event in order; events of a later protocol are skipped. */
  readonly onEvent: (event: unknown) => void;
}

/** Reads a stream of binary events. The first error is final: every later call throws it again. */
export interface BinaryParser {
  /**
   * Takes the next bytes, split anywhere, and does not keep them. Throws `TOO_LARGE` when a prefix declares more
   * than the limit, `INPUT_INVALID` for a malformed event, and the errors of `onEvent`.
   */
  push(chunk: Uint8Array): void;
  /** Ends the stream. Throws `RUN_LOST` in the middle of a frame. */
  end(): void;
}

const NOTHING = new Uint8Array(0);

/**
 * Creates a parser for `application/vnd.ag-ui.event+proto`. Its time is proportional to the bytes, for every split.
 *
 * @example
 * ```ts
 * import { createBinaryParser } from 'holdpoint/protocol';
 *
 * const parser = createBinaryParser({ onEvent: (event) => console.log(event) });
 * parser.push(bytes);
 * parser.end();
 * ```
 */
export function createBinaryParser(options: BinaryParserOptions): BinaryParser {
  const { maxFrameLength = 10 * 1024 * 1024, onEvent } = options;
  let inPrefix = true;
  let wanted = PREFIX_LENGTH;
  let held = NOTHING;
  let filled = 0;
  let failure: { readonly error: unknown } | undefined;

  function hold(bytes: Uint8Array): void {
    const size = filled + bytes.length;
    if (size > held.length) {
      // Doubling keeps the copying linear; a declared length alone allocates nothing.
      const grown = new Uint8Array(Math.min(wanted, size * 2));
      grown.set(held.subarray(0, filled));
      held = grown;
    }
    held.set(bytes, filled);
    filled = size;
  }

  function takeWhole(lastBytes: Uint8Array): Uint8Array {
    if (filled === 0) return lastBytes;
    hold(lastBytes);
    const whole = held.subarray(0, filled);
    held = NOTHING;
    filled = 0;
    return whole;
  }

  function takePrefix(prefix: Uint8Array): void {
    wanted = new DataView(prefix.buffer, prefix.byteOffset).getUint32(0);
    inPrefix = false;
    if (wanted <= maxFrameLength) return;
    throw new HoldpointError(
      'TOO_LARGE',
      `A binary event declares ${wanted} bytes; the limit is ${maxFrameLength}.`,
    );
  }

  function takeEvent(bytes: Uint8Array): void {
    wanted = PREFIX_LENGTH;
    inPrefix = true;
    const event = decodeBinaryEvent(bytes);
    if (event !== undefined) onEvent(event);
  }

  function read(chunk: Uint8Array): void {
    let offset = 0;
    while (chunk.length - offset >= wanted - filled) {
      const end = offset + wanted - filled;
      const whole = takeWhole(chunk.subarray(offset, end));
      offset = end;
      if (inPrefix) takePrefix(whole);
      else takeEvent(whole);
    }
    hold(chunk.subarray(offset));
  }

  function guarded(run: () => void): void {
    if (failure !== undefined) throw failure.error;
    try {
      run();
    } catch (error) {
      failure = { error };
      throw error;
    }
  }

  return {
    push: (chunk) => guarded(() => read(chunk)),
    end: () =>
      guarded(() => {
        if (inPrefix && filled === 0) return;
        throw new HoldpointError('RUN_LOST', 'The binary stream ended in the middle of an event.');
      }),
  };
}
