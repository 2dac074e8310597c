import { canonicalJson, pause } from '../../core/index.ts';
import type { InterruptQuery, Principal, ScopeAccess } from '../../ledger/index.ts';
import type { ThreadFeed } from '../../runs/index.ts';
import { readWhenStored } from '../../runs/index.ts';

/** Minimum milliseconds between two pages of an inbox. */
const LOOK_MS = 100;

const encoder = new TextEncoder();

/** An encoded page. */
type EncodedPage = Uint8Array<ArrayBuffer>;

/** The first page of an inbox, read and encoded once for all watchers with the same principal and query. */
export interface SharedInbox {
  /** Yields the current page, then the newest one after each change. A slow reader skips pages, and delays no other. */
  pages(signal: AbortSignal): AsyncGenerator<EncodedPage, void, undefined>;
  /** A watcher may still read. Reads the page again, at most twice in the interval of these checks. */
  checked(): void;
}

/** The inboxes that are being watched. */
export interface SharedInboxes {
  /** The inbox of a principal and a query, to be read at once. `read` gives its page. It ends with its last reader. */
  join(access: ScopeAccess<'read'>, query: InterruptQuery, read: () => Promise<object>): SharedInbox;
}

interface InboxesOptions {
  readonly feed: Pick<ThreadFeed, 'watchScope'>;
  /** Milliseconds between two checks of a watcher. */
  readonly accessCheckMs: number;
}

export function createSharedInboxes(options: InboxesOptions): SharedInboxes {
  const watched = new Map<string, SharedInbox>();
  return {
    join(access, query, read) {
      const name = nameOf(access.principal, query);
      const known = name === undefined ? undefined : watched.get(name);
      if (known !== undefined) return known;
      const onStop = () => {
        if (name !== undefined && watched.get(name) === inbox) watched.delete(name);
      };
      const inbox = shareInbox(options, { access, read, onStop });
      if (name !== undefined) watched.set(name, inbox);
      return inbox;
    },
  };
}

/**
 * A name that equal watchers share. Members that an application adds to a principal count, because its rules may look at them; with a
 * member that cannot be compared, the inbox is not shared: undefined.
 */
function nameOf(principal: Principal, query: InterruptQuery): string | undefined {
  const { id, scope, roles = [], ...others } = principal;
  const isComparable = Object.values(others).every((value: unknown) =>
    ['string', 'number', 'boolean', 'undefined'].includes(typeof value),
  );
  return isComparable ? canonicalJson([id, scope, roles, others, query]) : undefined;
}

function shareInbox(
  { feed, accessCheckMs }: InboxesOptions,
  given: {
    readonly access: ScopeAccess<'read'>;
    readonly read: () => Promise<object>;
    /** Called when the last watcher has left, and when the page could not be read. */
    readonly onStop: () => void;
  },
): SharedInbox {
  const { access, onStop } = given;
  const watchers = new Set<() => void>();
  const stop = new AbortController();
  let page: EncodedPage | undefined;
  let failure: { readonly error: unknown } | undefined;
  /** How often the page was read, and whether it is being read. */
  let reads = 0;
  let isReading = false;
  let readAt = 0;
  let changed = false;
  let wake: () => void = () => undefined;
  const look = () => {
    changed = true;
    wake();
  };
  const read = async (last: string): Promise<string> => {
    changed = false;
    isReading = true;
    readAt = performance.now();
    const value = await readWhenStored(given.read, stop.signal);
    isReading = value !== undefined;
    if (value === undefined) return last;
    const text = JSON.stringify(value);
    if (text !== last) page = encoder.encode(`event: interrupts\ndata: ${text}\n\n`);
    isReading = false;
    reads += 1;
    for (const watcher of watchers) watcher();
    return text;
  };
  /** Reads the page after each change, until the last watcher has left. */
  const follow = async (): Promise<void> => {
    for (let text = ''; !stop.signal.aborted;) {
      text = await read(text);
      // Every change in the scope wakes all inboxes, so they wait before they read again.
      await pause(LOOK_MS, stop.signal).catch(() => undefined);
      if (changed || stop.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const start = () => {
    const unwatch = feed.watchScope(access, look);
    follow()
      .catch((error: unknown) => {
        failure = { error };
        // The next watcher begins anew.
        onStop();
        for (const watcher of watchers) watcher();
      })
      .finally(unwatch);
  };
  return {
    async *pages(signal) {
      let resume: () => void = () => undefined;
      const go = () => resume();
      watchers.add(go);
      signal.addEventListener('abort', go, { once: true });
      if (watchers.size === 1) start();
      // A page that was read before the last change is not shown first.
      const first = reads + (isReading ? 1 : 0) + (changed ? 1 : 0);
      let shown: EncodedPage | undefined;
      try {
        while (!signal.aborted) {
          if (failure !== undefined) throw failure.error;
          if (page === undefined || page === shown || reads < first) {
            await new Promise<void>((resolve) => {
              resume = resolve;
            });
            continue;
          }
          shown = page;
          yield page;
        }
      } finally {
        watchers.delete(go);
        signal.removeEventListener('abort', go);
        if (watchers.size === 0) {
          onStop();
          stop.abort();
          look();
        }
      }
    },
    checked() {
      if (performance.now() - readAt >= accessCheckMs / 2) look();
    },
  };
}
