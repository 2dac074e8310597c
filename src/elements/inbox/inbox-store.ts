import type { Client, InboxFilter, InboxItem } from '../../client/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import { expiryOf, isExpired } from '../../protocol/index.ts';
import { whileVisible } from '../base/while-visible.ts';

/** The open interrupts at one moment. */
export interface InboxSnapshot {
  /** Those that can be answered first, then the expired ones. */
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
/** Milliseconds to wait for the first frame of the stream before the list is loaded by itself. */
const FIRST_FRAME_MS = 2000;
/** Interrupts of the first page, which the stream sends whole after each change. */
const FIRST_PAGE = 100;
/** Interrupts of each further page; the server gives at most this many at once. */
const LATER_PAGE = 500;
/** Up to this many interrupts are loaded again after a change; of a longer list, only its first page. */
const MOST_RELOADED = 1000;

/**
 * Creates an inbox store and starts to load it. `clock` returns milliseconds; default: the system clock. `filter` selects and
 * orders on the server; default: the interrupt that expires first.
 */
export function createInboxStore(
  client: Client,
  clock: () => number = () => Date.now(),
  filter: InboxFilter = { order: 'expiring' },
): InboxStore {
  const listeners = new Set<() => void>();
  const leaving = new AbortController();
  const { signal } = leaving;
  let wanted = FIRST_PAGE;
  let nextPage: string | undefined;
  let newestTurn = 0;
  let shownTurn = 0;
  let snapshot: InboxSnapshot = { items: [], hasMore: false, updatedAt: undefined, isStale: false };
  const set = (next: Partial<InboxSnapshot>) => {
    snapshot = { ...snapshot, ...next };
    for (const listener of listeners) listener();
  };
  /** Ignores the result of a request that is older than the shown one. */
  const show = (turn: number, items: readonly InboxItem[], next: string | undefined) => {
    if (turn < shownTurn) return;
    shownTurn = turn;
    nextPage = next;
    const now = clock();
    const over = items.filter((item) => isOver(item, now));
    const open = over.length === 0 ? items : [...items.filter((item) => !isOver(item, now)), ...over];
    set({ items: open, hasMore: next !== undefined, updatedAt: now, isStale: false });
  };
  /** Loads the pages after `first` until as many are there as are wanted. A long list keeps what follows its first page. */
  const load = async (first?: ListPage) => {
    newestTurn += 1;
    const turn = newestTurn;
    try {
      const items = [...(first?.interrupts ?? [])];
      let cursor = first?.next;
      if (first !== undefined && cursor !== undefined && wanted > MOST_RELOADED) {
        const rest = itemsAfter(first.interrupts, snapshot.items, filter.order);
        show(turn, [...items, ...rest], nextPage);
        return;
      }
      while (items.length < wanted && (items.length === 0 || cursor !== undefined)) {
        const limit = Math.min(wanted - items.length, LATER_PAGE);
        const page = await client.inbox.list({ ...filter, limit, ...defined({ cursor }) }, signal);
        items.push(...page.interrupts);
        cursor = page.next;
        if (cursor === undefined) break;
      }
      show(turn, items, cursor);
    } catch {
      if (!signal.aborted) set({ isStale: true });
    }
  };
  const refresh = async () => {
    if (wanted <= MOST_RELOADED) return load();
    const first = await client.inbox.list({ ...filter, limit: FIRST_PAGE }, signal).catch(() => undefined);
    if (first !== undefined) await load(first);
    else if (!signal.aborted) set({ isStale: true });
  };
  const follow = async (visible: AbortSignal) => {
    // A list whose stream is lost is loaded by itself, so that it is marked as stale at once if that fails too.
    const onLost = () => {
      if (!visible.aborted) void refresh();
    };
    for await (const frame of client.inbox.watch(visible, { ...filter, limit: FIRST_PAGE }, onLost)) {
      if (isPage(frame)) await load(frame);
      else await refresh();
    }
  };
  void whileVisible(signal, follow);
  const first = setTimeout(() => {
    if (snapshot.updatedAt === undefined) void refresh();
  }, FIRST_FRAME_MS);
  const timer = setInterval(() => void refresh(), POLL_MS);
  // A browser that loses its network keeps the stream open for a while.
  const page = typeof window === 'undefined' ? undefined : window;
  for (const change of ['offline', 'online'])
    page?.addEventListener(change, () => void refresh(), { signal });
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    refresh,
    async more() {
      const cursor = nextPage;
      if (cursor === undefined) return;
      const turn = shownTurn;
      wanted = snapshot.items.length + FIRST_PAGE;
      const page = await client.inbox
        .list({ ...filter, limit: FIRST_PAGE, cursor }, signal)
        .catch(() => undefined);
      if (page === undefined) {
        if (!signal.aborted) set({ isStale: true });
        return;
      }
      // A list that was shown meanwhile may have ended elsewhere.
      if (turn === shownTurn) show(turn, [...snapshot.items, ...page.interrupts], page.next);
      else await refresh();
    },
    close() {
      clearTimeout(first);
      clearInterval(timer);
      leaving.abort();
    },
  };
}

/** True once the time of an interrupt is over, also before the server has marked it as expired. */
export function isOver({ status, interrupt }: InboxItem, now: number): boolean {
  return status === 'expired' || isExpired(interrupt, now);
}

interface ListPage {
  readonly interrupts: readonly InboxItem[];
  readonly next?: string;
}

/** The items of an earlier list that come after the new first page. */
function itemsAfter(
  first: readonly InboxItem[],
  earlier: readonly InboxItem[],
  order: InboxFilter['order'],
): readonly InboxItem[] {
  const end = first.at(-1);
  if (end === undefined) return [];
  const known = new Set(first.map(keyOf));
  return earlier.filter((item) => !known.has(keyOf(item)) && comesAfter(item, end, order));
}

function keyOf({ threadId, interrupt }: InboxItem): string {
  return `${threadId}/${interrupt.id}`;
}

function comesAfter(item: InboxItem, end: InboxItem, order: InboxFilter['order']): boolean {
  const age = Date.parse(String(item['raisedAt'])) - Date.parse(String(end['raisedAt']));
  if (order === 'newest') return age < 0;
  const due = order === 'expiring' ? compareExpiry(item, end) : 0;
  return due > 0 || (due === 0 && age >= 0);
}

/** As the server orders: expired ones at the end. */
function compareExpiry(one: InboxItem, other: InboxItem): number {
  const over = Number(one['status'] === 'expired') - Number(other['status'] === 'expired');
  if (over !== 0) return over;
  const [first, second] = [one, other].map(({ interrupt }) => expiryOf(interrupt) ?? Number.MAX_VALUE);
  return (first ?? 0) - (second ?? 0);
}

function isPage(frame: unknown): frame is ListPage {
  return isRecord(frame) && Array.isArray(frame['interrupts']);
}
