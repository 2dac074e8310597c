/** A source that yields one text, then waits forever, and records that it was stopped. */
export interface StuckSource extends AsyncIterable<string> {
  /** Settles once the source waits in its second `next()`. */
  readonly stuck: Promise<void>;
  /** Settles once `return()` was called. */
  readonly stopped: Promise<void>;
}

/** The second `next()` never settles, not even after `return()`. */
export function stuckSource(): StuckSource {
  const events = new EventTarget();
  const heard = (name: string): Promise<void> =>
    new Promise((resolve) => {
      events.addEventListener(name, () => resolve(), { once: true });
    });
  let count = 0;
  return {
    stuck: heard('stuck'),
    stopped: heard('stopped'),
    [Symbol.asyncIterator]: () => ({
      next() {
        count += 1;
        if (count === 1) return Promise.resolve({ done: false, value: 'one' });
        events.dispatchEvent(new Event('stuck'));
        return new Promise(() => {});
      },
      return() {
        events.dispatchEvent(new Event('stopped'));
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}
