/**
 * Settles like the work, or resolves to `undefined` as soon as the signal aborts; a later failure of the work is
 * then ignored. Leaves no listener behind.
 */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const settle = (): void => signal.removeEventListener('abort', stop);
    work.then(resolve, reject).finally(settle).catch(reject);
  });
}
