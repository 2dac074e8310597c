import type { Client, InboxItem } from '../../client/index.ts';
import { isRecord } from '../../core/index.ts';
import { whileVisible } from '../base/while-visible.ts';

/** The open questions at one moment. */
export interface InboxSnapshot {
  readonly items: readonly InboxItem[];
  /** There are more than are shown. */
  readonly hasMore: boolean;
  /** When the server last said so; undefined before it ever did. */
  readonly updatedAt: number | undefined;
  /** The newest attempt failed: what is shown may be old. */
  readonly isStale: boolean;
}

/** What waits across threads, live: whoever listens shares one stream. */
export interface InboxStore {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => InboxSnapshot;
  /** Asks now. */
  refresh(): Promise<void>;
  /** Shows another page of what waits, from now on. */
  more(): Promise<void>;
  close(): void;
}

/** A stream tells of changes; between them the list is asked for, so that a stream that died quietly is noticed. */
const POLL_MS = 10_000;
const PAGE = 200;

export function createInboxStore(client: Client, clock: () => number = () => Date.now()): InboxStore {
  const listeners = new Set<() => void>();
  const leaving = new AbortController();
  const { signal } = leaving;
  let pages = 1;
  let asked = 0;
  let told = 0;
  let snapshot: InboxSnapshot = { items: [], hasMore: false, updatedAt: undefined, isStale: false };
  const set = (next: Partial<InboxSnapshot>) => {
    snapshot = { ...snapshot, ...next };
    for (const listener of listeners) listener();
  };
  /** What was asked for before something newer was told says nothing any more. */
  const tell = (turn: number, next: Pick<InboxSnapshot, 'items' | 'hasMore'>) => {
    if (turn < told) return;
    told = turn;
    set({ ...next, updatedAt: clock(), isStale: false });
  };
  const refresh = async () => {
    asked += 1;
    const turn = asked;
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
      tell(turn, { items, hasMore: cursor !== undefined });
    } catch {
      if (!signal.aborted) set({ isStale: true });
    }
  };
  const follow = async (visible: AbortSignal) => {
    for await (const frame of client.inbox.watch(visible)) {
      // A frame is the first page. One that is full may be short of what the list has.
      if (isPage(frame) && frame.next === undefined) {
        asked += 1;
        tell(asked, { items: frame.interrupts, hasMore: false });
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
