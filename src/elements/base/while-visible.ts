/** Pause in milliseconds before work that ended by itself starts again. */
const PAUSE_MS = 2000;
/** Streams of all windows together: a browser has six connections per host, and the other requests need the rest. */
const MOST_STREAMS = 4;
/** Milliseconds after which a stream makes room for one that waits. */
const TURN_MS = 1000;

/**
 * Runs work that holds a connection while the page is visible, and starts the work again when the page becomes
 * visible again: a browser has six connections per host for all tabs, and background tabs would use them up. Visible
 * windows take turns when there are more than {@link MOST_STREAMS} streams. Work that throws is started again; only
 * the signal ends the loop.
 */
export async function whileVisible(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    if (document.visibilityState === 'hidden') {
      await changeOfVisibility(signal);
      continue;
    }
    const leaving = new AbortController();
    const onHidden = () => {
      if (document.visibilityState === 'hidden') leaving.abort();
    };
    document.addEventListener('visibilitychange', onHidden);
    try {
      await inTurn(AbortSignal.any([signal, leaving.signal]), leaving, work);
    } catch {
      // The work is started again after a pause.
    } finally {
      document.removeEventListener('visibilitychange', onHidden);
    }
    if (!leaving.signal.aborted) await pause(signal);
  }
}

/** Waits for one of the streams of the browser, does the work, and leaves when another window waits for the same stream. */
async function inTurn(
  signal: AbortSignal,
  leaving: AbortController,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const locks = lockManager();
  if (locks === undefined) return work(signal);
  const name = await leastWanted(locks);
  await locks.request(name, { signal }, async () => {
    const makeRoom = async () => {
      const { pending = [] } = await locks.query();
      if (pending.some((one) => one.name === name)) leaving.abort();
    };
    const timer = setInterval(() => void makeRoom(), TURN_MS);
    try {
      await work(signal);
    } finally {
      clearInterval(timer);
    }
  });
}

/** The locks that the pages of an origin share; undefined on a page without HTTPS that is not on this machine. */
function lockManager(): LockManager | undefined {
  return typeof navigator === 'undefined' ? undefined : navigator.locks;
}

/** The name of the stream that the fewest pages hold or wait for. */
async function leastWanted(locks: LockManager): Promise<string> {
  const { held = [], pending = [] } = await locks.query();
  const wanted = [...held, ...pending];
  const names = Array.from({ length: MOST_STREAMS }, (_, index) => `holdpoint:stream-${index}`);
  const count = (name: string) => wanted.filter((one) => one.name === name).length;
  return names.reduce((best, name) => (count(name) < count(best) ? name : best));
}

function changeOfVisibility(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      document.removeEventListener('visibilitychange', done);
      resolve();
    };
    document.addEventListener('visibilitychange', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
