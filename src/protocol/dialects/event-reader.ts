import { HoldpointError, invalidInput, isRecord, kindOf, parseJson } from '../../core/index.ts';
import type { JsonLimits } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { decodeEvent as decodeCommand, ownsEvent as ownsCommand } from './command/decode-event.ts';
import type { Dialect } from './dialect.ts';
import { decodeEvent as decodeDraft, ownsEvent as ownsDraft } from './draft/decode-event.ts';
import { decodeEvent as decodeLegacy, endLegacyStream, isLegacyChunk, LEGACY_DONE } from './legacy.ts';
import { decodeEvent as decodeSnake, ownsEvent as ownsSnake } from './snake/decode-event.ts';
import type { MemoryOptions } from './stream-memory.ts';
import { createStreamMemory } from './stream-memory.ts';
import { decodeEvent as decodeV1 } from './v1/decode-event.ts';

/** Reads one stream, in any recognizable dialect, into events of AG-UI 1.0. */
export interface EventReader {
  /** Throws `INPUT_INVALID` for a malformed event. Returns an empty list for an event of a newer version. */
  read(value: unknown): AgentStreamEvent[];
  /** Reads the text of a frame: JSON within the limits, or the end mark of a legacy stream. */
  readText(text: string): AgentStreamEvent[];
}

/** Options of {@link createEventReader}. */
export interface EventReaderOptions extends MemoryOptions {
  /** Limits for the JSON of a frame; default: those of `parseJson`. */
  readonly limits?: Partial<JsonLimits>;
}

/**
 * The dialects that differ visibly from 1.0, in the order to try them. Only their reading functions, so that a
 * program that reads does not load those that write.
 */
const TELLTALE: readonly Pick<Dialect, 'ownsEvent' | 'decodeEvent'>[] = [
  { ownsEvent: ownsSnake, decodeEvent: decodeSnake },
  { ownsEvent: ownsDraft, decodeEvent: decodeDraft },
  { ownsEvent: ownsCommand, decodeEvent: decodeCommand },
];

/**
 * Creates a reader for one stream.
 *
 * @example
 * ```ts
 * const reader = createEventReader();
 * for (const frame of frames) for (const event of reader.readText(frame.data)) console.log(event.type);
 * ```
 */
export function createEventReader(options: EventReaderOptions = {}): EventReader {
  const memory = createStreamMemory(options);
  const read = (value: unknown): AgentStreamEvent[] => {
    if (!isRecord(value)) {
      throw invalidInput('event', [{ pointer: '', message: `expected an object, found ${kindOf(value)}` }]);
    }
    if (isLegacyChunk(value)) return decodeLegacy(value, memory);
    const form = TELLTALE.find((dialect) => dialect.ownsEvent(value));
    return (form?.decodeEvent ?? decodeV1)(value, memory);
  };
  return {
    read,
    readText(text) {
      if (text.trim() === LEGACY_DONE) {
        if (memory.legacyState !== 'idle') return endLegacyStream(memory);
        throw new HoldpointError(
          'INPUT_INVALID',
          'The stream ends with [DONE], but it is not a legacy text stream.',
        );
      }
      return read(parseJson(text, options.limits));
    },
  };
}
