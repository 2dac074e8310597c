import type { Access } from '../ledger/index.ts';
import { readLog } from '../ledger/index.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import { fromLogItem } from './event-log.ts';
import type { ThreadFeed } from './thread-feed.ts';

const PAGE = 500;

/** A caller who may read a thread follows it, and so does one who began the run. */
export type FollowAccess = Access<'read' | 'run'>;

/** An event and its place in the thread's log. */
export interface PlacedEvent {
  readonly event: AgentStreamEvent;
  readonly place?: number;
}

/** Whether a run ends with this event. */
export function endsRun(event: AgentStreamEvent): boolean {
  return event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR;
}

/** What happens on a thread from a place of its log on, in pieces, until the signal fires, or what should follow is gone. */
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
 * One run, to its end. `done` tells that nothing more will come from it: a run that could not even write its end is told as
 * an error, never as a success.
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
  // What was written before it was over, and not yet read: a slow reader may have much of it left.
  for (;;) {
    const items = await readLog(access, { log: 'events', after, limit: PAGE });
    const last = items.at(-1);
    // What comes after a gap is of another run.
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
