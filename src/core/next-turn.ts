/** Node's way does not wait for a timer; elsewhere a timer will do. */
const soon: (go: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout;

/** Resolves in the next turn of the event loop, when everything that could go on at once has done so. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    soon(resolve);
  });
}
