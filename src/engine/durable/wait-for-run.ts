import type { ThreadKey } from '../../ledger/index.ts';
import { isAtWork, readThread } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';

/** How often it is looked at whether a run still lives, where nothing is heard of it. */
const LOOK_MS = 1000;

/** Resolves when a run is no longer at work on its thread: it ended, or its lease did, or its process. */
export async function waitForRun(store: Store, key: ThreadKey, runId: string): Promise<void> {
  const isOver = async () => {
    const thread = await readThread(store, key);
    return thread?.active?.runId !== runId || !isAtWork(thread, await store.now(), store);
  };
  let wake: () => void = () => undefined;
  const stop = store.watch(({ scope, thread }) => {
    if (scope === key.scope && thread === key.thread) wake();
  });
  try {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, LOOK_MS);
      });
      if (await isOver()) {
        clearTimeout(timer);
        return;
      }
      await changed;
      clearTimeout(timer);
    }
  } finally {
    stop();
  }
}
