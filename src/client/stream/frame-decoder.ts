import type { UnknownRecord } from '../../core/index.ts';
import { isRecord, onDemand, parseJson } from '../../core/index.ts';
import type { AgentStreamEvent, ChunkExpander, EventReader } from '../../protocol/index.ts';
import { decodeEvent } from '../../protocol/shapes/decode.ts';

/** Reads the frames of one stream, in any dialect, into AG-UI 1.0 events with expanded chunks. */
export interface FrameDecoder {
  /**
   * Returns a promise only when a chunk or another dialect comes for the first time and its reader is loading; the
   * next frame waits for it. Throws or rejects with `INPUT_INVALID` and `TOO_LARGE`.
   */
  read(text: string): Decoded;
}

type Decoded = AgentStreamEvent[] | Promise<AgentStreamEvent[]>;

/** The forms that a Holdpoint host does not send: other dialects, and chunks. */
export const otherForms = onDemand(() => import('../../protocol/dialects/dialects.ts'));

/** JSON Patch: many agents never send it, so it is loaded before the first event that needs it. */
export const patches = onDemand(() => import('../../protocol/patch-json.ts'));

/** `ids` replace the ids that older dialects leave out. */
export function createFrameDecoder(ids: { threadId: string; runId: string }): FrameDecoder {
  let expand: ChunkExpander | undefined;
  let other: EventReader | undefined;
  const withoutChunks = (events: AgentStreamEvent[]): Decoded => {
    if (expand !== undefined) return events.flatMap(expand);
    if (!events.some(({ type }) => type.endsWith('_CHUNK'))) return events;
    return otherForms.load().then(({ createChunkExpander }) => {
      expand = createChunkExpander();
      return events.flatMap(expand);
    });
  };
  const readOther = async (text: string) => {
    const { createEventReader } = await otherForms.load();
    other = createEventReader({ threadId: ids.threadId, runId: ids.runId });
    return withoutChunks(other.readText(text));
  };
  return {
    read(text) {
      if (other !== undefined) return withoutChunks(other.readText(text));
      const value = text.startsWith('[DONE]') ? {} : parseJson(text);
      if (isRecord(value) && !isCurrent(value)) return readOther(text);
      const event = decodeEvent(value);
      if (event === undefined) return [];
      if (event.type === 'RUN_STARTED') ids = event;
      return withoutChunks([event]);
    },
  };
}

/** True when an event looks like 1.0; the readers of the other dialects take the rest. */
function isCurrent({ type, name, messageId, outcome, interrupt }: UnknownRecord): boolean {
  if (typeof type !== 'string' || type !== type.toUpperCase()) return false;
  if (type.startsWith('THINKING_')) return false;
  if (type === 'RUN_FINISHED') return typeof outcome !== 'string' && !isRecord(interrupt);
  return !String(type === 'CUSTOM' ? name : messageId).startsWith('on_interrupt');
}
