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
  let wake: (() => void) | undefined;
  let ended: { readonly error?: unknown } | undefined;
  const signal = () => {
    wake?.();
    wake = undefined;
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
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          while (values.length > 0) yield* values.splice(0);
          if (ended !== undefined) {
            if ('error' in ended) throw ended.error;
            return;
          }
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        if (ended === undefined) onLeave();
      }
    },
  };
}

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
