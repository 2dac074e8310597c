import { defined, HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent, RunErrorEvent, RunFinishedEvent } from '../../protocol/index.ts';
import { eventStreamOf } from '../connection.ts';
import type { Session } from '../session.ts';
import { delayBefore, wait } from './back-off.ts';
import type { FrameDecoder } from './frame-decoder.ts';
import { patches } from './frame-decoder.ts';
import type { FrameOrder } from './frame-order.ts';
import { readFrames } from './read-frames.ts';

/** Stall limit in milliseconds for a server that numbers its events: it sends something every 15 seconds. */
const STALL_LIMIT = 45_000;

/** Codes of temporary failures that are worth a retry. The connection has repeated a request that was `UNAVAILABLE`. */
const PASSING = new Set(['RUN_LOST', 'INTERNAL', 'STORE_FAILED', 'RATE_LIMITED']);

/** The last event of a run. */
type RunEnd = RunFinishedEvent | RunErrorEvent;

/** One stream of a thread's events, over any number of connections. */
interface Follow {
  readonly session: Pick<Session, 'connection' | 'backOff' | 'stallTimeoutMs'>;
  readonly threadId: string;
  readonly signal: AbortSignal;
  readonly order: FrameOrder;
  readonly decoder: FrameDecoder;
  /** True when the stream can be resumed now. */
  readonly mayTakeUp: () => boolean;
  /** Attempts without a new event before the stream fails. */
  readonly attempts: number;
  /** Throws `INPUT_INVALID` for an event that breaks the protocol. */
  readonly verify: (event: AgentStreamEvent, id: string | undefined) => void;
  /** Returns the event when it ends the stream. */
  readonly onEvent: (event: AgentStreamEvent, id: string | undefined) => RunEnd | undefined;
  /** Called after all events that arrived together. */
  readonly onBatch: () => void;
}

/**
 * Reads until an event ends the stream, and returns that event. Resumes a broken connection after the last id if
 * possible, and otherwise throws `RUN_LOST`. Throws a protocol error at once: a retry would bring the same.
 */
export async function followStream(follow: Follow, first: Response): Promise<RunEnd> {
  let body = eventStreamOf(first);
  let failures = 0;
  for (;;) {
    const before = follow.order.lastId;
    let lost: unknown;
    try {
      const end = await readConnection(body, follow);
      if (end !== undefined) return end;
      throw new HoldpointError('RUN_LOST', 'The stream ended before the run. Load the thread again.');
    } catch (error) {
      if (!HoldpointError.is(error, 'RUN_LOST') || !follow.mayTakeUp()) throw error;
      lost = error;
    }
    if (follow.order.lastId !== before) failures = 0;
    let next: typeof body | undefined;
    while (next === undefined) {
      if (failures >= follow.attempts) throw notTakenUp(follow, lost);
      await wait(delayBefore(failures, follow.session.backOff), follow.signal);
      failures += 1;
      try {
        next = eventStreamOf(await takeUp(follow));
      } catch (error) {
        follow.signal.throwIfAborted();
        if (!HoldpointError.is(error) || !PASSING.has(error.code)) throw notTakenUp(follow, error);
        lost = error;
      }
    }
    body = next;
  }
}

async function readConnection(body: ReadableStream<Uint8Array>, follow: Follow): Promise<RunEnd | undefined> {
  const { session, order, decoder, signal } = follow;
  const stallLimit = () => session.stallTimeoutMs ?? (order.lastId === undefined ? undefined : STALL_LIMIT);
  for await (const frames of readFrames(body, { signal, stallLimit })) {
    try {
      for (const frame of frames) {
        if (!order.accept(frame)) continue;
        const read = decoder.read(frame.data);
        for (const event of read instanceof Promise ? await read : read) {
          follow.verify(event, frame.id);
          const isPatch = event.type === 'STATE_DELTA' || event.type === 'ACTIVITY_DELTA';
          if (isPatch && patches.loaded === undefined) await patches.load();
          const end = follow.onEvent(event, frame.id);
          if (end !== undefined) return end;
        }
      }
    } finally {
      follow.onBatch();
    }
  }
  return undefined;
}

/** Requests the events of a thread, after the last id if there is one. */
export function takeUp({
  session: { connection },
  threadId,
  order: { lastId },
  signal,
}: Pick<Follow, 'session' | 'threadId' | 'order' | 'signal'>): Promise<Response> {
  return connection.send({
    url: `${connection.base}/threads/${encodeURIComponent(threadId)}/events`,
    method: 'GET',
    signal,
    headers: defined({ 'last-event-id': lastId }),
  });
}

function notTakenUp({ threadId }: Follow, cause: unknown): HoldpointError {
  const sentence = `The stream of the thread ${threadId} broke. Load the thread again.`;
  return new HoldpointError('RUN_LOST', sentence, { cause });
}
