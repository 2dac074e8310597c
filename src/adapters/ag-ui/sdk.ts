import type { Interrupt, Message } from '../../protocol/index.ts';

/** The part of an `HttpAgent` of `@ag-ui/client` that is used here; versions before 0.0.55 have no `pendingInterrupts`. */
export interface HttpAgentLike {
  url: string;
  messages: readonly Message[];
  pendingInterrupts?: readonly Interrupt[];
  run(input: unknown): unknown;
  connectAgent(...given: readonly unknown[]): Promise<unknown>;
}

/** `Observable` of `rxjs`. */
export type ObservableClass<Observable> = new (
  subscribe: (subscriber: {
    next(value: never): void;
    error(error: unknown): void;
    complete(): void;
  }) => () => void,
) => Observable;
