/** Work that ended by itself is begun again after this long. */
const PAUSE_MS = 2000;

/**
 * Does work that holds a connection while somebody looks at the page, and again when they come back: a browser has six
 * connections for all the tabs of a host, and tabs in the background would use them up. Whatever the work throws is a
 * reason to begin again; only the signal ends it.
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
      await work(AbortSignal.any([signal, leaving.signal]));
    } catch {
      // A server that is away comes back.
    } finally {
      document.removeEventListener('visibilitychange', onHidden);
    }
    if (!leaving.signal.aborted) await pause(signal);
  }
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
