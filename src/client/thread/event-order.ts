import type { AgentStreamEvent } from '../../protocol/index.ts';
import { numberOf } from '../stream/frame-order.ts';

/** Which stream an event came by, and under which id. */
export interface Origin {
  readonly stream: object;
  readonly id: string | undefined;
  /** It shows the thread as it is: of a place that is known already as well, unless more is known. */
  readonly snapshot?: boolean;
  /** The server numbers its events: what has no id shows a place that it tells later. */
  readonly numbered?: boolean;
}

/** Which events of a thread are new, when several streams bring them. */
export interface EventOrder {
  /** The newest id that counted. */
  readonly lastId: string | undefined;
  /** The server is asked for this stream now. */
  ask(stream: object): void;
  /** What there is to look at now: nothing as long as it is held. */
  take(event: AgentStreamEvent, origin: Origin): Taken;
}

export interface Taken {
  readonly events: readonly AgentStreamEvent[];
  /** They are a repetition, or show an earlier place than is known. */
  readonly isOld?: boolean;
}

/**
 * Streams of one thread bring the same numbered events; whichever is first, counts. A thread is shown as it is in frames
 * without ids, the last of which tells the place: until then they are held, since others may bring more. A server
 * that goes back behind what it had told before it was asked has lost that, and counts anew.
 */
export function createEventOrder(): EventOrder {
  const held = new WeakMap<object, AgentStreamEvent[]>();
  /** The end of a run that was known when the server was asked: it has nothing older to tell. */
  let asked = new WeakMap<object, number>();
  let newest: Origin | undefined;
  let lastEnd: number | undefined;
  return {
    get lastId() {
      return newest?.id;
    },
    ask(stream) {
      // What a connection that broke had shown in part is shown anew.
      held.delete(stream);
      if (lastEnd !== undefined) asked.set(stream, lastEnd);
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
        // Whoever watches may go on from an earlier place; what it is shown first is never older.
        if (number < (asked.get(stream) ?? 0) && (shown || !numbered)) {
          before = undefined;
          asked = new WeakMap();
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
