import type { Client } from '../../client/index.ts';
import { EventType } from '../../protocol/index.ts';
import { whileVisible } from '../base/while-visible.ts';

/**
 * Follows a thread until the signal says to stop: the thread as it is, then whatever anybody does on it, arrives in the
 * client's thread. `onShown` is called when the first of that is there.
 */
export async function followThread(
  client: Client,
  thread: { readonly threadId: string; readonly onShown: () => void },
  signal: AbortSignal,
): Promise<void> {
  await whileVisible(signal, async (visible) => {
    for await (const { rawRepresentation } of client.watch(thread.threadId, { signal: visible })) {
      const { type } = rawRepresentation;
      if (type === EventType.RUN_FINISHED || type === EventType.RUN_ERROR) thread.onShown();
    }
  });
}
