import type { ThreadKey } from '../ledger/index.ts';
import { readThread, trimEvents } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';

/** Removes the events of runs that are over, once nobody can want to come back to them any more. */
export interface Compaction {
  /** A run has ended: its events are removed later, unless another run is at work then. */
  ended(key: ThreadKey): void;
  stop(): void;
}

export function createCompaction(
  store: Store,
  keepMs: number,
  onError: (error: unknown) => void,
): Compaction {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const remember = async (key: ThreadKey): Promise<void> => {
    const thread = await readThread(store, key);
    if (thread === undefined) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      trimEvents(store, key, thread.logs.events).catch(onError);
    }, keepMs);
    (timer as { unref?: () => void }).unref?.();
    timers.add(timer);
  };
  return {
    ended(key) {
      remember(key).catch(onError);
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
