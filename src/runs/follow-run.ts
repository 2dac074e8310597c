import { HoldpointError, pause } from '../core/index.ts';
import type { Access, ScopeAccess, ThreadKey } from '../ledger/index.ts';
import { readLog } from '../ledger/index.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { LogItem, Store } from '../store/index.ts';
import { fromLogItem } from './event-log.ts';

const PAGE = 500;

/** The permission to follow a thread: to read it, or to run it. */
export type FollowAccess = Access<'read' | 'run'>;

/** An event and its position in the event log. */
export interface PlacedEvent {
  readonly event: AgentStreamEvent;
  readonly place?: number;
}

/** Whether a run ends with this event. */
export function endsRun(event: AgentStreamEvent): boolean {
  return event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR;
}

/**
 * The events of a thread from a position of its log on, in pieces, until the signal aborts or the next events are
 * gone.
 */
export async function* followThread(
  feed: ThreadFeed,
  access: FollowAccess,
  given: { readonly after: number; readonly signal: AbortSignal },
): AsyncGenerator<readonly PlacedEvent[], void, undefined> {
  let place = given.after;
  for await (const items of feed.follow(access, given)) {
    if (items[0]?.sequence !== place + 1) return;
    place = items.at(-1)?.sequence ?? place;
    const events: PlacedEvent[] = [];
    for (const { item, sequence } of items) {
      const made = fromLogItem(item, access);
      events.push({ event: made instanceof Promise ? await made : made, place: sequence });
    }
    yield events;
  }
}

/**
 * The events of one run, to its end. `done`: no more events will come. A run that could not write its end is
 * reported as an error, never as a success.
 */
export async function* followRun(
  feed: ThreadFeed,
  access: FollowAccess,
  given: { readonly after: number; readonly signal: AbortSignal; readonly done?: Promise<void> | undefined },
): AsyncGenerator<readonly PlacedEvent[], void, undefined> {
  const stop = new AbortController();
  void given.done?.then(() => stop.abort());
  const signal = AbortSignal.any([given.signal, stop.signal]);
  let after = given.after;
  for await (const events of followThread(feed, access, { after, signal })) {
    const end = events.findIndex(({ event }) => endsRun(event));
    if (end !== -1) {
      yield events.slice(0, end + 1);
      return;
    }
    after = events.at(-1)?.place ?? after;
    yield events;
  }
  if (given.signal.aborted) return;
  // Events that were written before the end and not yet read.
  for (;;) {
    const place = after;
    const read = () => readLog(access, { log: 'events', after: place, limit: PAGE });
    const items = await readWhenStored(read, given.signal);
    if (items === undefined) return;
    const last = items.at(-1);
    // Events after a gap belong to another run.
    if (last === undefined || items[0]?.sequence !== after + 1) break;
    const rest: PlacedEvent[] = [];
    for (const { item, sequence } of items) {
      const event = await fromLogItem(item, access);
      rest.push({ event, place: sequence });
      if (!endsRun(event)) continue;
      yield rest;
      return;
    }
    yield rest;
    if (given.signal.aborted) return;
    after = last.sequence;
  }
  const lost: AgentStreamEvent = {
    type: EventType.RUN_ERROR,
    message:
      'The end of the run cannot be told: it was lost, or its events are gone. Connect to see the thread as it is.',
    code: 'RUN_LOST',
  };
  yield [{ event: lost }];
}

/** Milliseconds between two looks at a thread without a change: its process may have died. */
const LOOK_MS = 1000;

/**
 * Reads for a live stream. While the store fails, a stream waits and reads again instead of breaking off; undefined when the signal
 * aborts meanwhile.
 */
export async function readWhenStored<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await read();
    } catch (error) {
      if (!HoldpointError.is(error, 'STORE_FAILED')) throw error;
    }
    await pause(LOOK_MS, signal).catch(() => undefined);
  }
  return undefined;
}

/** Yields at once, and again after every change of a thread, also by other processes. A thread without a change also gets a look. */
export async function* threadChanges(
  store: Store,
  { scope, thread }: ThreadKey,
  signal?: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  let wake: () => void = () => undefined;
  const unwatch = store.watch((change) => {
    if (change.scope === scope && change.thread === thread) wake();
  });
  const onAbort = () => wake();
  signal?.addEventListener('abort', onAbort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      if (signal?.aborted === true) return;
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, LOOK_MS);
      });
      yield;
      await changed;
      clearTimeout(timer);
    }
  } finally {
    clearTimeout(timer);
    unwatch();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Follows threads across processes. */
export interface ThreadFeed {
  /**
   * The events of a thread after a place of its log, and those that follow, in pieces, until `signal` fires. A slow
   * reader delays no other: it reads on from the store when it can.
   */
  follow(
    access: Access<'read' | 'run'>,
    given: { readonly after: number; readonly signal: AbortSignal },
  ): AsyncIterable<readonly LogItem[]>;
  /** Calls `wake` after every change of a scope. Returns the function to stop. */
  watchScope(access: ScopeAccess<'read'>, wake: () => void): () => void;
  close(): void;
}

export function createFeed(store: Store): ThreadFeed {
  /** By scope, then by thread; the key undefined is for the whole scope. */
  const wakers = new Map<string, Map<string | undefined, Set<() => void>>>();
  const stop = store.watch(({ scope, thread }) => {
    const ofScope = wakers.get(scope);
    for (const waker of ofScope?.get(thread) ?? []) waker();
    for (const waker of ofScope?.get(undefined) ?? []) waker();
  });
  const listen = ({ scope, thread }: { scope: string; thread?: string }, waker: () => void) => {
    const ofScope = wakers.get(scope) ?? new Map<string | undefined, Set<() => void>>();
    wakers.set(scope, ofScope);
    const set = ofScope.get(thread) ?? new Set();
    ofScope.set(thread, set);
    set.add(waker);
    return () => {
      set.delete(waker);
      if (set.size === 0 && ofScope.get(thread) === set) ofScope.delete(thread);
      if (ofScope.size === 0 && wakers.get(scope) === ofScope) wakers.delete(scope);
    };
  };
  return {
    async *follow(access, { after, signal }) {
      let place = after;
      let changed = true;
      let resume: () => void = () => undefined;
      const go = () => {
        changed = true;
        resume();
      };
      const unlisten = listen(access.key, go);
      signal.addEventListener('abort', go, { once: true });
      try {
        while (!signal.aborted) {
          changed = false;
          const read = () => readLog(access, { log: 'events', after: place, limit: PAGE });
          const items = await readWhenStored(read, signal);
          if (items === undefined) return;
          const last = items.at(-1);
          if (last !== undefined) {
            place = last.sequence;
            yield items;
          }
          if (changed || items.length === PAGE) continue;
          await new Promise<void>((resolve) => {
            resume = resolve;
            if (signal.aborted) resolve();
          });
        }
      } finally {
        unlisten();
        signal.removeEventListener('abort', go);
      }
    },
    watchScope: ({ principal }, waker) => listen({ scope: principal.scope }, waker),
    close() {
      stop();
      for (const ofScope of wakers.values())
        for (const set of ofScope.values()) for (const waker of set) waker();
    },
  };
}
