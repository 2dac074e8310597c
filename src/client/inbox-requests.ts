import type { UnknownRecord } from '../core/basics/index.ts';
import { defined, HoldpointError, isRecord } from '../core/basics/index.ts';
import { parseJson } from '../core/json/index.ts';
import type { Inbox, InboxAnswer, InboxFilter, InboxItem, InboxPage } from './inbox.ts';
import type { Session } from './session.ts';
import { eventStreamOf } from './connection.ts';
import { delayBefore, wait } from './stream/back-off.ts';
import { createFrameOrder } from './stream/frame-order.ts';
import { readFrames } from './stream/read-frames.ts';

/** Codes of temporary failures that are worth a retry. */
const PASSING: ReadonlySet<string> = new Set(['RUN_LOST', 'INTERNAL', 'UNAVAILABLE']);

type InboxSession = Pick<Session, 'connection' | 'backOff' | 'stallTimeout'>;

/** The inbox over HTTP (DESIGN §7). */
export function createInboxRequests(session: InboxSession): Inbox {
  const ask = async <Answer>(path: string, more: { body?: unknown; signal?: AbortSignal } = {}) => {
    const response = await session.connection.send({
      url: `${baseOf(session)}${path}`,
      method: 'body' in more ? 'POST' : 'GET',
      accept: 'application/json',
      ...more,
    });
    const value: unknown = parseJson(await response.text());
    if (!isRecord(value))
      throw new HoldpointError(
        'INPUT_INVALID',
        `The server sent no JSON object for ${path}. Check that it is a Holdpoint host.`,
      );
    // A Holdpoint host answers in the shapes of its routes.
    return value as Answer;
  };
  return {
    list: (filter = {}, signal) => ask<InboxPage>(`/interrupts${queryOf(filter)}`, defined({ signal })),
    get: (threadId, interruptId) => ask<InboxItem>(pathOf(threadId, interruptId)),
    history: async (threadId, interruptId) =>
      (await ask<{ history: UnknownRecord[] }>(`${pathOf(threadId, interruptId)}/history`)).history,
    answer: (threadId, { interruptId, ...entry }, { undoMs } = {}) =>
      ask<InboxAnswer>(`${pathOf(threadId, interruptId)}/answer`, {
        body: { ...entry, ...defined({ undoMs }) },
      }),
    async takeBack(threadId, interruptId) {
      const url = `${baseOf(session)}${pathOf(threadId, interruptId)}/answer`;
      await session.connection.send({ url, method: 'DELETE', accept: 'application/json' });
    },
    askAgain: (threadId, interruptId) =>
      ask<UnknownRecord>(`${pathOf(threadId, interruptId)}/ask-again`, { body: {} }),
    watch: (signal = new AbortController().signal, filter = {}) => watchInbox(session, signal, filter),
  };
}

/** The query of a filter with its question mark; empty for an empty filter. */
function queryOf(filter: InboxFilter): string {
  const members = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`;
}

async function* watchInbox(
  session: InboxSession,
  signal: AbortSignal,
  filter: InboxFilter,
): AsyncGenerator<UnknownRecord> {
  const order = createFrameOrder();
  const url = `${baseOf(session)}/interrupts/events${queryOf(filter)}`;
  const stallLimit = () => session.stallTimeout;
  for (let failures = 0; ; failures += 1) {
    try {
      const headers = defined({ 'last-event-id': order.lastId });
      const response = await session.connection.send({ url, method: 'GET', signal, headers });
      for await (const frames of readFrames(eventStreamOf(response), { signal, stallLimit })) {
        for (const frame of frames) {
          const value = order.accept(frame) ? parseJson(frame.data) : undefined;
          if (!isRecord(value)) continue;
          failures = 0;
          yield value;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      const isPassing = HoldpointError.is(error) && PASSING.has(error.code);
      if (!isPassing) throw error;
    }
    await wait(delayBefore(Math.min(failures, 30), session.backOff), signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

function baseOf({ connection }: InboxSession): string {
  if (connection.base !== undefined) return connection.base;
  const sentence = `The inbox of ${connection.runUrl} has no known URL. Set the option "base" of createClient.`;
  throw new HoldpointError('INPUT_INVALID', sentence);
}

function pathOf(threadId: string, interruptId: string): string {
  return `/threads/${encodeURIComponent(threadId)}/interrupts/${encodeURIComponent(interruptId)}`;
}
