import type { ErrorCode } from '../../core/index.ts';
import { canonicalJson, HoldpointError } from '../../core/index.ts';
import type { CommitResult } from '../store.ts';

/** Throws unless both are the same as JSON; undefined counts as a value of its own. */
export function assertEqual(actual: unknown, expected: unknown): void {
  const [left, right] = [text(actual), text(expected)];
  if (left !== right) throw new Error(`Expected ${right}, found ${left}`);
}

export function assertOk(result: CommitResult): Extract<CommitResult, { ok: true }> {
  if (result.ok) return result;
  throw new Error(`Expected the commit to hold; it conflicts at ${JSON.stringify(result.conflict)}`);
}

export function assertConflict(result: CommitResult): void {
  if (result.ok) throw new Error('Expected a conflict; the commit held');
}

function text(value: unknown): string {
  return value === undefined ? 'undefined' : canonicalJson(plain(value));
}

/** Lists may hold undefined where something was not found. */
function plain(value: unknown): unknown {
  return Array.isArray(value)
    ? value.map((item: unknown) => (item === undefined ? '<undefined>' : plain(item)))
    : value;
}

/** Waits for a failure with this code. */
export async function assertCode(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!HoldpointError.is(failure, code)) throw new Error(`Expected ${code}`, { cause: failure });
}
