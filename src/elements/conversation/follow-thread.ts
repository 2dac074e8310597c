import type { Client } from '../../client/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { EventType } from '../../protocol/index.ts';
import { whileVisible } from '../base/while-visible.ts';

/**
 * Follows a thread until the signal aborts: the state of the thread, then every later event, go into the client's
 * thread. Calls `onShown` when the first of them has arrived, and `onUnknown` when the host has no such thread or does not
 * show it to the viewer.
 */
export async function followThread(
  client: Client,
  thread: { readonly threadId: string; readonly onShown: () => void; readonly onUnknown: () => void },
  signal: AbortSignal,
): Promise<void> {
  await whileVisible(signal, async (visible) => {
    try {
      for await (const { event } of client.watch(thread.threadId, { signal: visible })) {
        const { type } = event;
        if (type === EventType.RUN_FINISHED || type === EventType.RUN_ERROR) thread.onShown();
      }
    } catch (error) {
      if (HoldpointError.is(error, 'THREAD_UNKNOWN') || HoldpointError.is(error, 'FORBIDDEN'))
        thread.onUnknown();
      throw error;
    }
  });
}
