/** `Observable` of `rxjs`. */
export type ObservableClass<Observable> = new (
  subscribe: (subscriber: {
    next(value: never): void;
    error(error: unknown): void;
    complete(): void;
  }) => () => void,
) => Observable;
