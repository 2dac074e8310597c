/** Node's setImmediate does not wait for a timer; other platforms use a timer. */
const soon: (go: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout;

/** Resolves in the next turn of the event loop, after all pending microtasks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    soon(resolve);
  });
}
