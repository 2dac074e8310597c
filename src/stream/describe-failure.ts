import type { Naming } from './naming.ts';
import type { StreamOptions } from './stream-options.ts';

/** Default message of `RUN_ERROR`: an exception may contain a key, a path or a prompt. */
const BARE_SENTENCE = 'The stream failed.';

/** Calls `onError` and returns the message of `RUN_ERROR`. A hook that throws changes nothing. */
export function describeFailure(error: unknown, options: StreamOptions<Naming>): string {
  try {
    options.onError?.(error);
  } catch {}
  try {
    return options.errorMessage?.(error) ?? BARE_SENTENCE;
  } catch {
    return BARE_SENTENCE;
  }
}
