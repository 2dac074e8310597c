import { HoldpointError } from '../../core/basics/index.ts';
import type { SseFrame } from '../../protocol/index.ts';

/**
 * Which frames of a stream are new. A server that is asked to go on behind an id may repeat what came before
 * it, and may send a frame twice; neither is shown twice.
 */
export interface FrameOrder {
  /** Where a broken stream can be taken up again; undefined when the server numbers nothing. */
  readonly lastId: string | undefined;
  /** False for a repetition. Throws `INPUT_INVALID` for a frame that should have come earlier. */
  accept(frame: SseFrame): boolean;
  /** A run is over: what came before the last id is a repetition from now on, and needs no memory. */
  forget(): void;
  /** The server counts anew. */
  restart(): void;
}

export function createFrameOrder(lastId?: string): FrameOrder {
  let last = lastId;
  let floor = numberOf(lastId);
  /** What came with each id; an event may be several frames of one id, which differ. */
  let seen = new Map<string, string[]>();
  const forget = () => {
    floor = numberOf(last);
    seen = new Map();
  };
  return {
    get lastId() {
      return last;
    },
    forget,
    restart() {
      last = undefined;
      forget();
    },
    accept({ id, data }) {
      if (id === undefined || id === '') return true;
      const texts = seen.get(id);
      if (texts?.includes(data) === true || (texts !== undefined && id !== last)) return false;
      const number = numberOf(id);
      if (number !== undefined && texts === undefined) {
        if (floor !== undefined && number <= floor) return false;
        const before = numberOf(last);
        if (before !== undefined && number < before) {
          throw new HoldpointError('INPUT_INVALID', `The event ${id} came behind the event ${last}.`);
        }
      }
      if (texts === undefined) seen.set(id, [data]);
      else texts.push(data);
      last = id;
      return true;
    },
  };
}

/** The ids of a Holdpoint host count up; those of others may be any text. */
export function numberOf(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}
