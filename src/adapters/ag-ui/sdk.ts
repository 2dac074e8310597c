import type { RunAgentInput } from '../../protocol/index.ts';

/** The part of an `AbstractAgent` of `@ag-ui/client` that the adapter uses. */
export interface AbstractAgentLike {
  threadId: string;
  clone(): unknown;
  setMessages(messages: never): void;
  setState(state: never): void;
  runAgent(parameters: never, subscriber: never): Promise<unknown>;
  abortRun(): void;
}

/** A clone, used for one run. */
export interface AbstractAgentRun {
  threadId: string;
  setMessages(messages: unknown): void;
  setState(state: unknown): void;
  runAgent(
    parameters: Pick<RunAgentInput, 'runId' | 'tools' | 'context' | 'forwardedProps' | 'resume'>,
    subscriber: { readonly onEvent: (given: { readonly event: unknown }) => void },
  ): Promise<unknown>;
  abortRun(): void;
}

/** `Observable` of `rxjs`. */
export type ObservableClass<Observable> = new (
  subscribe: (subscriber: {
    next(value: never): void;
    error(error: unknown): void;
    complete(): void;
  }) => () => void,
) => Observable;
