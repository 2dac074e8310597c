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
