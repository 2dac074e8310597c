import { HoldpointError } from './holdpoint-error.ts';

/** A module that is loaded on first use. */
export interface OnDemand<T> {
  /** The loaded module; undefined before. */
  readonly loaded: T | undefined;
  /** Loads the module. Throws `INTERNAL` when that fails. */
  load(): Promise<T>;
  /** The loaded module. Throws `INTERNAL` before `load` has finished. */
  need(): T;
}

/** Loads once for any number of callers; after a failure the next call tries again. */
export function onDemand<T>(load: () => Promise<T>): OnDemand<T> {
  let loaded: T | undefined;
  let loading: Promise<T> | undefined;
  return {
    get loaded() {
      return loaded;
    },
    load() {
      loading ??= load().then(
        (value) => (loaded = value),
        (cause: unknown) => {
          loading = undefined;
          throw HoldpointError.is(cause)
            ? cause
            : new HoldpointError(
                'INTERNAL',
                'A lazily loaded part of Holdpoint could not be loaded. Check the connection and reload the page.',
                { cause },
              );
        },
      );
      return loading;
    },
    need() {
      if (loaded !== undefined) return loaded;
      throw new HoldpointError(
        'INTERNAL',
        'A lazily loaded part of Holdpoint was used before it was loaded.',
      );
    },
  };
}
