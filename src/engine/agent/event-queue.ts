import type { AgentStreamEvent } from '../../protocol/index.ts';

/** Hands values from where they are made to where they are awaited, in order. */
export interface EventQueue<Value> extends AsyncIterable<Value> {
  push(value: Value): void;
  /** No more will come; an error is thrown to the reader after what came before it. */
  end(error?: unknown): void;
}

/** `onLeave` is told when the reader stops reading before the end. */
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

/** What whoever watches a run gets to see: its end only once it is kept. */
export interface ShownEvents {
  write(event: AgentStreamEvent): void;
  /** From here on events wait. */
  hold(): void;
  /** What waited is shown. */
  release(): void;
  /** What waited never was; this is shown instead. */
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
