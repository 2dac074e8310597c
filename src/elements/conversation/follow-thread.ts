import type { Client } from '../../client/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { EventType } from '../../protocol/index.ts';
import { whileVisible } from '../base/while-visible.ts';

/**
 * Follows a thread until the signal aborts: the state of the thread, then every later event, go into the client's
 * thread. Calls `onShown` when the first of them has arrived, and `onUnknown` when the host has no such thread or does not
 * show it to the viewer. Ends, and calls `onNoHost`, when the server has no such route: it is an AG-UI server and no host.
 */
export async function followThread(
  client: Client,
  thread: {
    readonly threadId: string;
    readonly onShown: () => void;
    readonly onUnknown: () => void;
    readonly onNoHost: () => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const leaving = new AbortController();
  let isHost = false;
  await whileVisible(AbortSignal.any([signal, leaving.signal]), async (visible) => {
    try {
      for await (const { event } of client.watch(thread.threadId, { signal: visible })) {
        const { type } = event;
        isHost = true;
        if (type === EventType.RUN_FINISHED || type === EventType.RUN_ERROR) thread.onShown();
      }
    } catch (error) {
      if (HoldpointError.is(error, 'THREAD_UNKNOWN') || HoldpointError.is(error, 'FORBIDDEN'))
        thread.onUnknown();
      // A host that was there is only away.
      else if (!isHost && isNoRoute(error) && !visible.aborted) {
        thread.onNoHost();
        leaving.abort();
      }
      throw error;
    }
  });
}

/** True when the client knows no host behind its address, or the server has no route for a thread. */
function isNoRoute(error: unknown): boolean {
  if (!HoldpointError.is(error)) return false;
  const { status } = error.details ?? {};
  return error.code === 'INPUT_INVALID' || error.code === 'NOT_FOUND' || NO_ROUTE.has(status);
}

const NO_ROUTE: ReadonlySet<unknown> = new Set([404, 405, 501]);
