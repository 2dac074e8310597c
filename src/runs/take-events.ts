/**
 * Gives `take` what an agent says, as it comes, until that says no, there is nothing more, or the signal fires: an agent that
 * does not hear is not waited for. Throws what the agent or `take` does.
 */
export function takeEvents<Event>(
  events: AsyncIterable<Event>,
  signal: AbortSignal,
  take: (event: Event) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const iterator = events[Symbol.asyncIterator]();
    let isOver = false;
    const leave = () => {
      isOver = true;
      signal.removeEventListener('abort', stop);
      // Not waited for either: it may be in the middle of something that never ends.
      iterator.return?.().then(undefined, () => undefined);
    };
    const stop = () => {
      leave();
      resolve();
    };
    const fail = (error: unknown) => {
      if (isOver) return;
      leave();
      reject(error);
    };
    // Not a loop that waits: that would be several promises for each event.
    const taken = (result: IteratorResult<Event>) => {
      if (isOver) return;
      try {
        if (result.done === true || !take(result.value)) stop();
        else iterator.next().then(taken, fail);
      } catch (error) {
        fail(error);
      }
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    iterator.next().then(taken, fail);
  });
}
