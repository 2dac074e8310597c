import type { Naming } from './naming.ts';

/** Options of a text stream. Every option has a default. */
export interface StreamOptions<Chosen extends Naming = 'screaming'> {
  /** Id of the thread; default: a new id. */
  readonly threadId?: string | undefined;
  /** Id of the run; default: a new id. */
  readonly runId?: string | undefined;
  /** Id of the one message of the run; default: a new id. */
  readonly messageId?: string | undefined;
  /** Naming of types and fields; default `screaming` (AG-UI 1.0). */
  readonly naming?: Chosen | undefined;
  /** Stops the source and the stream when it aborts; nothing more is written. Default: no signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Receives the error of the source, for a log. An error that this function throws is ignored. Default: no
   * function.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Returns the message of `RUN_ERROR`; default "The stream failed.", so that no internal text leaks. */
  readonly errorMessage?: ((error: unknown) => string) | undefined;
  /** Returns milliseconds since the Unix epoch; default: the system clock. */
  readonly now?: (() => number) | undefined;
  /** Creates ids; default UUIDv7. */
  readonly newId?: (() => string) | undefined;
}
