import type { UnknownRecord } from '../../core/basics/index.ts';
import { isRecord, onDemand, parsePlainJson } from '../../core/basics/index.ts';
import type { AgentStreamEvent, ChunkExpander, EventReader } from '../../protocol/index.ts';
import { decodePlainEvent } from '../../protocol/shapes/plain/index.ts';
import type * as WholeEvents from '../later/whole-events.ts';

/** Reads the frames of one stream, in any form, into events of AG-UI 1.0 with chunks spelled out. */
export interface FrameDecoder {
  /**
   * A promise only where something has to be loaded first; the next frame waits for it. Throws, or rejects with,
   * `INPUT_INVALID` and `TOO_LARGE`.
   */
  read(text: string): Decoded;
}

type Decoded = AgentStreamEvent[] | Promise<AgentStreamEvent[]>;

/** The forms of AG-UI other than 1.0. */
export const otherForms = onDemand(() => import('../later/other-forms.ts'));
const wholeEvents = onDemand(() => import('../later/whole-events.ts'));
const chunks = onDemand(() => import('../later/chunks.ts'));

/** The ids stand in for those that older forms leave out. */
export function createFrameDecoder(ids: { threadId: string; runId: string }): FrameDecoder {
  let other: EventReader | undefined;
  let expand: ChunkExpander | undefined;

  const spellOut = (events: AgentStreamEvent[]): Decoded => {
    if (expand !== undefined) return events.flatMap(expand);
    if (!events.some(({ type }) => type.endsWith('_CHUNK'))) return events;
    return chunks.load().then(({ createChunkExpander }) => {
      expand = createChunkExpander();
      return events.flatMap(expand);
    });
  };
  const take = (event: AgentStreamEvent | undefined) => {
    if (event?.type === 'RUN_STARTED') ids = event;
    return event === undefined ? [] : spellOut([event]);
  };
  /** Reads what is not plain, or not beyond doubt. */
  const readWhole = (
    text: string,
    plain: unknown,
    { decodeEvent, parseJson }: typeof WholeEvents,
  ): Decoded => {
    const value = text.startsWith('[DONE]') ? {} : (plain ?? parseJson(text));
    if (!isRecord(value) || isPlain(value)) return take(decodeEvent(value));
    return otherForms.load().then(({ createEventReader }) => {
      other = createEventReader({ threadId: ids.threadId, runId: ids.runId });
      return spellOut(other.readText(text));
    });
  };
  return {
    read(text) {
      if (other !== undefined) return spellOut(other.readText(text));
      const value = parsePlainJson(text);
      const event = isRecord(value) && isPlain(value) ? decodePlainEvent(value) : undefined;
      if (event !== undefined) return take(event);
      const { loaded } = wholeEvents;
      if (loaded !== undefined) return readWhole(text, value, loaded);
      return wholeEvents.load().then((whole) => readWhole(text, value, whole));
    },
  };
}

/** Whether an event is of 1.0 for all that can be told; anything else is for those who know the other forms. */
function isPlain({ type, name, messageId, outcome, interrupt }: UnknownRecord): boolean {
  if (typeof type !== 'string' || type !== type.toUpperCase()) return false;
  if (type === 'RUN_FINISHED') return typeof outcome !== 'string' && !isRecord(interrupt);
  return !String(type === 'CUSTOM' ? name : messageId).startsWith('on_interrupt');
}
