/** Something that is loaded when it is first needed. */
export interface OnDemand<T> {
  /** What was loaded; undefined before. */
  readonly loaded: T | undefined;
  load(): Promise<T>;
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
        (error: unknown) => {
          loading = undefined;
          throw error;
        },
      );
      return loading;
    },
  };
}
