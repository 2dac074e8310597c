import type { Thread, ThreadSnapshot } from './thread.ts';

/** Where a thread's store comes from. */
export interface ThreadSource {
  /** The store, where what makes it is loaded. */
  readonly loaded: () => Thread | undefined;
  readonly load: () => Promise<Thread>;
}

/** A thread before anything about it was loaded: it shows nothing, and what comes later when that comes. */
export function createThreadFace(threadId: string, { loaded, load }: ThreadSource): Thread {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const empty: ThreadSnapshot = {
    threadId,
    status: 'idle',
    messages: [],
    state: undefined,
    interrupts: [],
    staged: [],
  };
  let thread: Thread | undefined;
  const attach = async () => {
    thread = await load();
    thread.subscribe(notify);
    notify();
  };
  // Whoever could not load it learns so from the run that needs it.
  attach().catch(() => undefined);
  return {
    threadId,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => (thread ?? loaded())?.getSnapshot() ?? empty,
  };
}
