import type { RunAgentInput } from '@ag-ui/core';
import type { JsonLimits } from '../../core/index.ts';
import { HoldpointError, invalidInput, isRecord, kindOf, parseJson } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import {
  command,
  decodeEvent as decodeCommand,
  hasCommandAnswer,
  ownsEvent as ownsCommand,
} from './command.ts';
import type { Dialect, DialectName, InputContext, WireEvent } from './dialect.ts';
import type { EarlierClient } from './earlier-client.ts';
import { forEarlierClient } from './earlier-client.ts';
import { decodeEvent as decodeDraft, draft, ownsEvent as ownsDraft } from './draft.ts';
import { decodeEvent as decodeLegacy, endLegacyStream, isLegacyChunk, LEGACY_DONE } from './legacy.ts';
import type { SnakeStreamEvent } from './snake-events.ts';
import { decodeEvent as decodeSnake, ownsEvent as ownsSnake, snake } from './snake.ts';
import type { MemoryOptions } from './stream-memory.ts';
import { createStreamMemory } from './stream-memory.ts';
import { decodeEvent as decodeV1, v1 } from './v1.ts';
import { fromWire } from './wire-event.ts';

// One dynamic import for all forms that a client rarely reads.
export { createChunkExpander } from '../expand-chunks.ts';
export { wireEventOf } from './wire-event.ts';

/** The four dialects by name. */
export const DIALECTS: ReadonlyMap<string, Dialect> = /* @__PURE__ */ (() =>
  new Map([v1, draft, snake, command].map((dialect) => [dialect.name, dialect])))();

/**
 * Returns a dialect by name. Throws `PROTOCOL_UNSUPPORTED` for an unknown name.
 *
 * @example
 * ```ts
 * import { dialectNamed } from 'holdpoint/protocol';
 *
 * const body = JSON.stringify(dialectNamed('snake').encodeInput(input));
 * ```
 */
export function dialectNamed(name: DialectName | (string & {})): Dialect {
  const dialect = DIALECTS.get(name);
  if (dialect !== undefined) return dialect;
  const known = [...DIALECTS.keys()].join(', ');
  throw new HoldpointError(
    'PROTOCOL_UNSUPPORTED',
    `The AG-UI dialect ${name} is unknown. Known dialects: ${known}.`,
  );
}

/** The dialects that differ visibly from 1.0, in the order to try them: a snake-case draft is snake. */
const TELLTALE: readonly DialectName[] = ['snake', 'draft', 'command'];

/** A run input and the dialect it was written in. */
export interface DecodedInput {
  /** The input in AG-UI 1.0. */
  readonly input: RunAgentInput;
  /** The dialect of the input; answer in the same one. */
  readonly dialect: DialectName;
}

/**
 * Reads a run input. `expected` is the dialect that the host, agent or request declares; an input that is visibly
 * of another dialect is read as that. Throws `INPUT_INVALID` with JSON pointers, also for answers in two forms.
 *
 * @example
 * ```ts
 * import { decodeInput } from 'holdpoint/protocol';
 *
 * const { input, dialect } = decodeInput(await request.json());
 * ```
 */
export function decodeInput(
  value: unknown,
  expected: DialectName = '1.0',
  context: InputContext = {},
): DecodedInput {
  if (!isRecord(value)) {
    throw invalidInput('run input', [{ pointer: '', message: `expected an object, found ${kindOf(value)}` }]);
  }
  const recognized = TELLTALE.find((name) => dialectNamed(name).ownsInput(value));
  const form = dialectNamed(recognized ?? expected);
  const input = form.decodeInput(value, context);
  if (value['resume'] !== undefined && hasCommandAnswer(input)) {
    const message = 'the answers are in `resume` and here; send one of the two';
    throw invalidInput('run input', [{ pointer: '/forwardedProps/command/resume', message }]);
  }
  return { input, dialect: form.name };
}

/** Writes one stream in a dialect; one event may become several on the wire. */
export type EventWriter = (event: AgentStreamEvent) => WireEvent[];

/** Options of {@link createEventWriter}. */
export interface EventWriterOptions {
  /**
   * The AG-UI version of the reader. `0.0` is a client that sends no `protocolVersion`: in the dialects `1.0` and
   * `command` it gets only what the schemas of 0.0.45 to 0.0.59 accept. Default `1.0`.
   */
  readonly reader?: '1.0' | '0.0';
  /** The time of events without a timestamp, which the snake dialect adds. Default: the clock of this machine. */
  readonly now?: () => number;
  /** The form that the events are then sent in: the binary form before 1.0 has fewer events. Default `json`. */
  readonly form?: 'json' | 'binary';
}

/**
 * Creates a writer for one stream. Throws `PROTOCOL_UNSUPPORTED` for an unknown dialect.
 *
 * @example
 * ```ts
 * import { createEventWriter, createSseEncoder } from 'holdpoint/protocol';
 *
 * const write = createEventWriter('draft');
 * const encoder = createSseEncoder();
 * for (const event of events) for (const wire of write(event)) console.log(encoder.encode(wire));
 * ```
 */
export function createEventWriter(
  name: 'snake',
  options?: EventWriterOptions,
): (event: AgentStreamEvent) => (SnakeStreamEvent & WireEvent)[];
export function createEventWriter(name: DialectName, options?: EventWriterOptions): EventWriter;
export function createEventWriter(
  name: DialectName,
  { reader = '1.0', form = 'json', now }: EventWriterOptions = {},
): EventWriter {
  const dialect = dialectNamed(name);
  const memory = createStreamMemory({ now });
  if (reader === '1.0' || (name !== '1.0' && name !== 'command'))
    return (event) => dialect.encodeEvent(event, memory);
  const client: EarlierClient = { answers: name === 'command' ? 'command' : 'resume', form };
  return (event) =>
    // These two dialects write events of AG-UI 1.0.
    (dialect.encodeEvent(event, memory) as unknown as AgentStreamEvent[]).flatMap((one): WireEvent[] => {
      const readable = forEarlierClient(one, client);
      return readable === undefined ? [] : [readable];
    });
}

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
const READERS: readonly Pick<Dialect, 'ownsEvent' | 'decodeEvent'>[] = [
  { ownsEvent: ownsSnake, decodeEvent: decodeSnake },
  { ownsEvent: ownsDraft, decodeEvent: decodeDraft },
  { ownsEvent: ownsCommand, decodeEvent: decodeCommand },
];

/**
 * Creates a reader for one stream.
 *
 * @example
 * ```ts
 * import { createEventReader } from 'holdpoint/protocol';
 *
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
    if (isLegacyChunk(value)) return fromWire(value, decodeLegacy(value, memory));
    const form = READERS.find((dialect) => dialect.ownsEvent(value));
    return fromWire(value, (form?.decodeEvent ?? decodeV1)(value, memory));
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
