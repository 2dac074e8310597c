import type { AgentStreamEvent } from '../../protocol/index.ts';
import { numberOf } from '../stream/frame-order.ts';

/** The stream and the id of an event. */
export interface Origin {
  readonly stream: object;
  readonly id: string | undefined;
  /** True for a snapshot of the thread; it also replaces a known position, unless more is known. */
  readonly snapshot?: boolean;
  /** True when the server numbers its events: events without an id then belong to a snapshot whose id comes last. */
  readonly numbered?: boolean;
}

/** Tells which events of a thread are new when several streams bring them. */
interface EventOrder {
  /** The newest applied id. */
  readonly lastId: string | undefined;
  /** Call when the server is asked for this stream. */
  ask(stream: object): void;
  /** Returns the events to apply now; none while a snapshot is incomplete. */
  take(event: AgentStreamEvent, origin: Origin): Taken;
}

/** The events to apply after one event arrived. */
interface Taken {
  readonly events: readonly AgentStreamEvent[];
  /** True when the events are repeated, or show an earlier position than the known one. */
  readonly isOld?: boolean;
}

/**
 * Streams of one thread bring the same numbered events; the first arrival counts. A snapshot arrives as frames
 * without ids, and its last frame has the id: until then its frames are held, because other streams may bring more.
 * A server whose position is behind the known one at the time of the request has lost events, and the count starts
 * again.
 */
export function createEventOrder(): EventOrder {
  const held = new WeakMap<object, AgentStreamEvent[]>();
  /** For each stream, the newest known end of a run when the server was asked: the server has no older position. */
  let knownEnds = new WeakMap<object, number>();
  let newest: Origin | undefined;
  let lastEnd: number | undefined;
  return {
    get lastId() {
      return newest?.id;
    },
    ask(stream) {
      // A resumed connection sends the whole snapshot again.
      held.delete(stream);
      if (lastEnd !== undefined) knownEnds.set(stream, lastEnd);
    },
    take(event, origin) {
      const { stream, id, snapshot, numbered } = origin;
      const isEnd = event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR';
      const number = numberOf(id);
      let before = numberOf(newest?.id);
      const shown = held.get(stream);
      const events = [...(shown ?? []), event];
      if (id === undefined && (numbered || before !== undefined) && !isEnd) {
        held.set(stream, events);
        return { events: [] };
      }
      held.delete(stream);
      if (id === undefined) return { events };
      if (number !== undefined) {
        // A watching stream may resume at an earlier position; its first snapshot is never older.
        if (number < (knownEnds.get(stream) ?? 0) && (shown || !numbered)) {
          before = undefined;
          knownEnds = new WeakMap();
        }
        const isKnown = newest?.stream !== stream && !snapshot && !shown;
        if (before !== undefined && (number < before || (number === before && isKnown)))
          return { events, isOld: true };
        if (isEnd) lastEnd = number;
      }
      newest = origin;
      return { events };
    },
  };
}
