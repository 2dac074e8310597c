import type { Access, ScopeAccess } from '../../ledger/index.ts';
import { checkAgain } from '../../ledger/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { HostParts } from '../host-parts.ts';

/** Called after each check of an open stream. */
interface StreamReader {
  /** The reader may no longer read: the stream is to end. */
  readonly refused: () => void;
  /** The reader still may. */
  readonly allowed?: () => void;
}

const EVERY_MS = 30_000;

/** Asks every `accessCheckMs` whether the reader of a stream still may read it. Gives back how to stop asking. */
export function recheckAccess(
  { options }: HostParts,
  access: Access | ScopeAccess,
  { refused, allowed }: StreamReader,
): () => void {
  const { authorize, accessCheckMs = EVERY_MS } = options;
  if (authorize === undefined || accessCheckMs <= 0) return () => undefined;
  let isAsking = false;
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      await checkAgain(access);
      allowed?.();
    } catch {
      refused();
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void ask(), accessCheckMs);
  (timer as { unref?: () => void }).unref?.();
  return () => clearInterval(timer);
}

/** A stream that ends where its reader may read no further. */
export async function* untilRefused<Piece>(
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece, void, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    if (HoldpointError.is(error, 'FORBIDDEN') || HoldpointError.is(error, 'THREAD_UNKNOWN')) return;
    throw error;
  }
}
