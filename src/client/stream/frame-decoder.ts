import type { UnknownRecord } from '../../core/basics/index.ts';
import { isRecord, onDemand } from '../../core/basics/index.ts';
import { parseJson } from '../../core/json/index.ts';
import type { AgentStreamEvent, ChunkExpander, EventReader } from '../../protocol/index.ts';
import { decodeEvent } from '../../protocol/shapes/index.ts';

/** Reads the frames of one stream, in any form, into events of AG-UI 1.0 with chunks spelled out. */
export interface FrameDecoder {
  /**
   * A promise only where chunks or older forms come for the first time and their reader is loaded; the next frame waits for it. Throws, or rejects
   * with, `INPUT_INVALID` and `TOO_LARGE`.
   */
  read(text: string): Decoded;
}

type Decoded = AgentStreamEvent[] | Promise<AgentStreamEvent[]>;

/** The forms of AG-UI other than 1.0. */
export const otherForms = onDemand(() => import('../../protocol/dialects/index.ts'));

/** JSON Patch, which many agents never send; loaded before the first event that needs it is applied. */
export const patches = onDemand(() => import('../../protocol/patch/index.ts'));
const chunks = onDemand(() => import('../../protocol/chunks/index.ts'));

/** The ids stand in for those that older forms leave out. */
export function createFrameDecoder(ids: { threadId: string; runId: string }): FrameDecoder {
  let expand: ChunkExpander | undefined;
  let other: EventReader | undefined;
  const spellOut = (events: AgentStreamEvent[]): Decoded => {
    if (expand !== undefined) return events.flatMap(expand);
    if (!events.some(({ type }) => type.endsWith('_CHUNK'))) return events;
    return chunks.load().then(({ createChunkExpander }) => {
      expand = createChunkExpander();
      return events.flatMap(expand);
    });
  };
  const readOther = async (text: string) => {
    const { createEventReader } = await otherForms.load();
    other = createEventReader({ threadId: ids.threadId, runId: ids.runId });
    return spellOut(other.readText(text));
  };
  return {
    read(text) {
      if (other !== undefined) return spellOut(other.readText(text));
      const value = text.startsWith('[DONE]') ? {} : parseJson(text);
      if (isRecord(value) && !isCurrent(value)) return readOther(text);
      const event = decodeEvent(value);
      if (event === undefined) return [];
      if (event.type === 'RUN_STARTED') ids = event;
      return spellOut([event]);
    },
  };
}

/** Whether an event is of 1.0 for all that can be told; the readers of the other forms take anything else. */
function isCurrent({ type, name, messageId, outcome, interrupt }: UnknownRecord): boolean {
  if (typeof type !== 'string' || type !== type.toUpperCase()) return false;
  if (type === 'RUN_FINISHED') return typeof outcome !== 'string' && !isRecord(interrupt);
  return !String(type === 'CUSTOM' ? name : messageId).startsWith('on_interrupt');
}
