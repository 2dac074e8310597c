import type { Naming } from './naming.ts';
import type { StreamOptions } from './stream-options.ts';

/** What the wire says when nobody chose otherwise: an exception may hold a key, a path or a prompt. */
const BARE_SENTENCE = 'The stream failed.';

/** Tells `onError`, and gives the sentence for `RUN_ERROR`. A hook that throws changes neither. */
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
