/** Pause in milliseconds before work that ended by itself starts again. */
const PAUSE_MS = 2000;

/**
 * Runs work that holds a connection while the page is visible, and starts the work again when the page becomes
 * visible again: a browser has six connections per host for all tabs, and background tabs would use them up. Work
 * that throws is started again; only the signal ends the loop.
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
      // The work is started again after a pause.
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
