import { HoldpointError } from '../../core/index.ts';
import type { SseFrame } from '../../protocol/index.ts';

/**
 * Tells new frames from repeated ones: a server that resumes after an id may repeat earlier frames, and may send a
 * frame twice.
 */
export interface FrameOrder {
  /** Id to resume a broken stream after; undefined when the server sends no ids. */
  readonly lastId: string | undefined;
  /** Returns false for a repeated frame. Throws `INPUT_INVALID` for a frame in the wrong order. */
  accept(frame: SseFrame): boolean;
  /** Call at the end of a run: every frame up to the last id then counts as repeated and is forgotten. */
  forget(): void;
  /** Call when the server numbers its events from the start again: forgets all ids. */
  restart(): void;
}

/** Creates the frame order of one stream that starts after `lastId`. */
export function createFrameOrder(lastId?: string): FrameOrder {
  let last = lastId;
  let floor = numberOf(lastId);
  /** The frames of each id; one id may have several different frames. */
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
          throw new HoldpointError(
            'INPUT_INVALID',
            `The server sent the event ${id} after the event ${last}.`,
          );
        }
      }
      if (texts === undefined) seen.set(id, [data]);
      else texts.push(data);
      last = id;
      return true;
    },
  };
}

/** The number in an id of a Holdpoint host; undefined for ids of other servers. */
export function numberOf(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}
