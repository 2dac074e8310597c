import { HoldpointError } from './holdpoint-error.ts';

/** Something that is loaded when it is first needed. */
export interface OnDemand<T> {
  /** What was loaded; undefined before. */
  readonly loaded: T | undefined;
  /** Throws `INTERNAL` when it cannot be loaded. */
  load(): Promise<T>;
  /** What was loaded, where that has been seen to. */
  need(): T;
}

/** Loads once, however many ask; after a failure the next one to ask tries again. */
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
            : new HoldpointError('INTERNAL', 'A part of the client could not be loaded.', { cause });
        },
      );
      return loading;
    },
    need() {
      if (loaded !== undefined) return loaded;
      throw new HoldpointError('INTERNAL', 'A part of the client is not loaded.');
    },
  };
}
