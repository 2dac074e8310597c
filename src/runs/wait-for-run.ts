import type { Access } from '../ledger/index.ts';
import { isThreadAtWork, readThread } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';

/** How often it is looked at whether a run still lives, where nothing is heard of it. */
const LOOK_MS = 1000;

/** Resolves when a run is no longer at work on its thread: it ended, or its lease did, or its process. */
export async function waitForRun(store: Store, access: Access, runId: string): Promise<void> {
  const { key } = access;
  const isOver = async () => {
    const thread = await readThread(access);
    return thread?.active?.runId !== runId || !(await isThreadAtWork(access, thread));
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
