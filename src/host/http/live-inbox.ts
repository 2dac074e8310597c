import type { UnknownRecord } from '../../core/index.ts';
import { canonicalJson, defined, pause } from '../../core/index.ts';
import type {
  Gate,
  InterruptPage,
  InterruptQuery,
  ListedInterrupt,
  Principal,
  ScopeAccess,
} from '../../ledger/index.ts';
import { listInterrupts } from '../../ledger/index.ts';
import type { HostParts } from '../host-parts.ts';
import { ACCESS_CHECK_MS, hostStream } from './stream-response.ts';

/** Minimum milliseconds between two pages of an inbox. */
const LOOK_MS = 100;

const encoder = new TextEncoder();

/** Sends the first page of open interrupts, and again after every change. */
export function liveInbox(
  parts: HostParts,
  { request, access }: { readonly request: Request; readonly access: ScopeAccess<'read'> },
  query: InterruptQuery,
): Response {
  let inbox: SharedInbox | undefined;
  const stream = {
    request,
    access,
    stopping: parts.closing,
    // Permissions may change without an event, so a check also reads the page again.
    onAllowed: () => inbox?.checked(),
    onEnd: parts.streams.open(access.principal),
  };
  return hostStream(parts, stream, async function* (signal) {
    inbox = parts.inboxes.join(parts, access, query);
    yield* inbox.pages(signal);
  });
}

/** An encoded page. */
type EncodedPage = Uint8Array<ArrayBuffer>;

/** The first page of an inbox, read and encoded once for all watchers with the same principal and query. */
interface SharedInbox {
  /** Yields the current page, then the newest one after each change. A slow reader skips pages, and delays no other. */
  pages(signal: AbortSignal): AsyncGenerator<EncodedPage, void, undefined>;
  /** A watcher may still read. Reads the page again, at most twice in the interval of these checks. */
  checked(): void;
}

/** The inboxes that are being watched. */
export interface SharedInboxes {
  /** The inbox of a principal and a query, to be read at once. It ends with its last reader. */
  join(parts: HostParts, access: ScopeAccess<'read'>, query: InterruptQuery): SharedInbox;
}

export function createSharedInboxes(): SharedInboxes {
  const watched = new Map<string, SharedInbox>();
  return {
    join(parts, access, query) {
      // The whole principal, because `authorize` may look at members that an application adds.
      const name = canonicalJson([access.principal, query]);
      const known = watched.get(name);
      if (known !== undefined) return known;
      const onStop = () => {
        if (watched.get(name) === inbox) watched.delete(name);
      };
      const inbox = shareInbox(parts, { access, query, onStop });
      watched.set(name, inbox);
      return inbox;
    },
  };
}

function shareInbox(
  { feed, gate, options }: HostParts,
  {
    access,
    query,
    onStop,
  }: {
    readonly access: ScopeAccess<'read'>;
    readonly query: InterruptQuery;
    /** Called when the last watcher has left, and when the page could not be read. */
    readonly onStop: () => void;
  },
): SharedInbox {
  const { accessCheckMs = ACCESS_CHECK_MS } = options;
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
    const text = JSON.stringify(await toPage(gate, await listInterrupts(access, query), access.principal));
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

/** An interrupt as the inbox shows it to a principal: `askedByYou` and `answer.you` are true for their own request and answer. */
export async function toItem(gate: Gate, record: ListedInterrupt, viewer: Principal): Promise<object> {
  const { key, interrupt, state, agent, askedBy, raisedAt, answer, endedAt, approvers, runId } = record;
  const { threadDeleted, supersededBy } = record;
  const time = (at: number) => new Date(at).toISOString();
  const { mayAnswer, mayWithdraw, barredAsAsker } = await gate.rightsTo(viewer, record);
  return {
    threadId: key.thread,
    interrupt,
    status: state,
    agent,
    runId,
    askedBy,
    ...(askedBy === viewer.id ? { askedByYou: true } : {}),
    raisedAt: time(raisedAt),
    ...defined({ approvers }),
    mayAnswer,
    mayWithdraw,
    ...(barredAsAsker ? { barredAsAsker } : {}),
    ...defined({
      answer: answer && {
        status: answer.status,
        by: answer.by,
        at: time(answer.at),
        via: answer.via,
        ...defined({
          payload: answer.payload,
          you: answer.by === viewer.id ? true : undefined,
          withdrawn: answer.withdrawn,
          reason: answer.withdrawn === true ? reasonIn(answer.metadata) : undefined,
          grantedAt: answer.grantedAt === undefined ? undefined : time(answer.grantedAt),
        }),
      },
      endedAt: endedAt === undefined ? undefined : time(endedAt),
      supersededBy,
      failed: record.failed,
      uncertain: record.uncertain,
      threadDeleted: threadDeleted && {
        by: threadDeleted.by,
        at: time(threadDeleted.at),
        ...defined({ you: threadDeleted.by === viewer.id ? true : undefined }),
      },
    }),
  };
}

function reasonIn(metadata: UnknownRecord = {}): string | undefined {
  return typeof metadata['reason'] === 'string' ? metadata['reason'] : undefined;
}

/** A page of the inbox. */
export async function toPage(gate: Gate, page: InterruptPage, viewer: Principal): Promise<object> {
  const interrupts = await Promise.all(page.interrupts.map((record) => toItem(gate, record, viewer)));
  return { interrupts, ...defined({ next: page.next }) };
}
