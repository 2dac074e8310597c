import type { AgentStreamEvent } from '../../protocol/index.ts';

/** Passes values from a producer to a reader, in order. */
export interface EventQueue<Value> extends AsyncIterable<Value> {
  push(value: Value): void;
  /** Ends the queue; an error is thrown to the reader after the earlier values. */
  end(error?: unknown): void;
}

/** Calls `onLeave` when the reader stops before the end. */
export function createEventQueue<Value>(onLeave: () => void = () => undefined): EventQueue<Value> {
  const values: Value[] = [];
  let ended: { readonly error?: unknown } | undefined;
  let changed: Promise<void> | undefined;
  let wake: () => void = () => undefined;
  const signal = () => {
    changed = undefined;
    wake();
  };
  return {
    push(value) {
      values.push(value);
      signal();
    },
    end(error) {
      ended ??= error === undefined ? {} : { error };
      signal();
    },
    // Written by hand: a generator would cost several promises for each value.
    [Symbol.asyncIterator]() {
      let taken = values.splice(0).values();
      let isOver = false;
      return {
        async next() {
          while (!isOver) {
            const next = taken.next();
            if (next.done !== true) return next;
            if (values.length > 0) {
              taken = values.splice(0).values();
            } else if (ended === undefined) {
              changed ??= new Promise((resolve) => {
                wake = resolve;
              });
              await changed;
            } else {
              isOver = true;
              if ('error' in ended) throw ended.error;
            }
          }
          return DONE;
        },
        async return() {
          if (!isOver && ended === undefined) onLeave();
          isOver = true;
          signal();
          return DONE;
        },
      };
    },
  };
}

const DONE = { done: true, value: undefined } as const;

/** The events for a reader: the end only after it is stored. */
export interface ShownEvents {
  write(event: AgentStreamEvent): void;
  /** Holds back the next events. */
  hold(): void;
  /** Emits the events that were held back. */
  release(): void;
  /** Drops the events that were held back and emits this one. */
  replace(event: AgentStreamEvent): void;
}

export function createShownEvents(show: (event: AgentStreamEvent) => void): ShownEvents {
  let held: AgentStreamEvent[] | undefined;
  return {
    write(event) {
      if (held === undefined) show(event);
      else held.push(event);
    },
    hold() {
      held ??= [];
    },
    release() {
      const events = held ?? [];
      held = undefined;
      for (const event of events) show(event);
    },
    replace(event) {
      held = undefined;
      show(event);
    },
  };
}
