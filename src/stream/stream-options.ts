import type { Naming } from './naming.ts';

/** How a text becomes events. Everything has a default. */
export interface StreamOptions<Chosen extends Naming = 'screaming'> {
  /** The conversation; a fresh id when absent. */
  readonly threadId?: string | undefined;
  /** This run; a fresh id when absent. */
  readonly runId?: string | undefined;
  /** The one message of the run; a fresh id when absent. */
  readonly messageId?: string | undefined;
  /** How types and fields are spelled; `screaming` (AG-UI 1.0) when absent. */
  readonly naming?: Chosen | undefined;
  /** Stops the source and the stream when it aborts; nothing more is written. */
  readonly signal?: AbortSignal | undefined;
  /** Hears what the source threw, for a log. What this throws itself is ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The sentence that `RUN_ERROR` carries; "The stream failed." when absent, so that nothing leaks. */
  readonly errorMessage?: ((error: unknown) => string) | undefined;
  /** Milliseconds since the Unix epoch; the system clock when absent. */
  readonly now?: (() => number) | undefined;
  /** Where ids come from; UUIDv7 when absent. */
  readonly newId?: (() => string) | undefined;
}
