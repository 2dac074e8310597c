import type { Client, InboxItem } from '../../client/index.ts';
import { isRecord } from '../../core/index.ts';
import { whileVisible } from '../base/while-visible.ts';

/** The open interrupts at one moment. */
export interface InboxSnapshot {
  readonly items: readonly InboxItem[];
  /** True when the server has more than are shown. */
  readonly hasMore: boolean;
  /** Time of the newest answer of the server in milliseconds; undefined before the first one. */
  readonly updatedAt: number | undefined;
  /** True when the newest request failed: the items may be outdated. */
  readonly isStale: boolean;
}

/** The open interrupts of all threads, live; all subscribers share one stream. */
export interface InboxStore {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => InboxSnapshot;
  /** Loads the list now. */
  refresh(): Promise<void>;
  /** Loads another page, now and on every later refresh. */
  more(): Promise<void>;
  close(): void;
}

/** Milliseconds between two loads of the list: they detect a stream that died without an error. */
const POLL_MS = 10_000;
const PAGE = 200;

/** Creates an inbox store and starts to load it. `clock` returns milliseconds; default: the system clock. */
export function createInboxStore(client: Client, clock: () => number = () => Date.now()): InboxStore {
  const listeners = new Set<() => void>();
  const leaving = new AbortController();
  const { signal } = leaving;
  let pages = 1;
  let newestTurn = 0;
  let shownTurn = 0;
  let snapshot: InboxSnapshot = { items: [], hasMore: false, updatedAt: undefined, isStale: false };
  const set = (next: Partial<InboxSnapshot>) => {
    snapshot = { ...snapshot, ...next };
    for (const listener of listeners) listener();
  };
  /** Ignores the result of a request that is older than the shown one. */
  const show = (turn: number, next: Pick<InboxSnapshot, 'items' | 'hasMore'>) => {
    if (turn < shownTurn) return;
    shownTurn = turn;
    set({ ...next, updatedAt: clock(), isStale: false });
  };
  const refresh = async () => {
    newestTurn += 1;
    const turn = newestTurn;
    try {
      const items: InboxItem[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < pages && (page === 0 || cursor !== undefined); page += 1) {
        const found = await client.inbox.list(
          { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
          signal,
        );
        items.push(...found.interrupts);
        cursor = found.next;
      }
      show(turn, { items, hasMore: cursor !== undefined });
    } catch {
      if (!signal.aborted) set({ isStale: true });
    }
  };
  const follow = async (visible: AbortSignal) => {
    for await (const frame of client.inbox.watch(visible)) {
      // A frame is the first page; with a next page, the list has more than the frame.
      if (isPage(frame) && frame.next === undefined) {
        newestTurn += 1;
        show(newestTurn, { items: frame.interrupts, hasMore: false });
      } else await refresh();
    }
  };
  void refresh();
  void whileVisible(signal, follow);
  const timer = setInterval(() => void refresh(), POLL_MS);
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    refresh,
    more() {
      pages += 1;
      return refresh();
    },
    close() {
      clearInterval(timer);
      leaving.abort();
    },
  };
}

function isPage(
  frame: unknown,
): frame is { readonly interrupts: readonly InboxItem[]; readonly next?: string } {
  return isRecord(frame) && Array.isArray(frame['interrupts']);
}
