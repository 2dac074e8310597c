import { defined, linkSignals } from '../../core/index.ts';
import type { InterruptRecord, InterruptPage, InterruptQuery, ScopeAccess } from '../../ledger/index.ts';
import { listInterrupts } from '../../ledger/index.ts';
import type { HostParts } from '../host-parts.ts';
import { streamFailure } from '../host-parts.ts';
import { recheckAccess, streamResponse } from './stream-response.ts';

/** Minimum milliseconds between two pages for a watcher. */
const LOOK_MS = 100;

/** Sends the first page of open interrupts, and again after every change. */
export function liveInbox(
  parts: HostParts,
  access: ScopeAccess<'read'>,
  { query, viewer }: { readonly query: InterruptQuery; readonly viewer: string },
): Response {
  const { feed, closing, options } = parts;
  const closed = parts.streams.open('endless');
  const stop = new AbortController();
  const { signal, unlink } = linkSignals(stop.signal, closing);
  let lookAgain: () => void = () => undefined;
  const pieces = async function* (): AsyncGenerator<string, void, undefined> {
    let wake: () => void = () => undefined;
    let changed = true;
    const go = () => {
      changed = true;
      wake();
    };
    lookAgain = go;
    const unwatch = feed.watchScope(access, go);
    signal.addEventListener('abort', go, { once: true });
    let last = '';
    try {
      while (!signal.aborted) {
        changed = false;
        const text = JSON.stringify(toPage(await listInterrupts(access, query), viewer));
        if (text !== last) {
          last = text;
          yield `event: interrupts\ndata: ${text}\n\n`;
        }
        if (signal.aborted) continue;
        // Every change in the scope wakes all watchers, so they wait before they read again.
        await pause(LOOK_MS, signal);
        if (changed || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      unwatch();
      signal.removeEventListener('abort', go);
    }
  };
  // Permissions may change without an event, so each check also reads the page again.
  const stopAsking = recheckAccess(parts.options, access, {
    refused: () => stop.abort(),
    allowed: () => lookAgain(),
  });
  return streamResponse(pieces(), {
    keepAliveMs: options.keepAliveMs ?? 15_000,
    onCancel: () => stop.abort(),
    onError: streamFailure(parts),
    onEnd() {
      stopAsking();
      unlink();
      closed();
    },
  });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}

/** An interrupt as the inbox shows it to a principal: `answer.you` is true for their own answer. */
export function toItem(threadId: string, record: InterruptRecord, viewer: string): object {
  const { interrupt, state, agent, askedBy, raisedAt, answer, endedAt, approvers, runId } = record;
  const time = (at: number) => new Date(at).toISOString();
  return {
    threadId,
    interrupt,
    status: state,
    agent,
    runId,
    askedBy,
    raisedAt: time(raisedAt),
    ...defined({ approvers }),
    ...(answer === undefined
      ? {}
      : {
          answer: {
            status: answer.status,
            ...defined({ payload: answer.payload }),
            by: answer.by,
            ...(answer.by === viewer ? { you: true } : {}),
            at: time(answer.at),
            via: answer.via,
          },
        }),
    ...(endedAt === undefined ? {} : { endedAt: time(endedAt) }),
  };
}

/** A page of the inbox. */
export function toPage({ interrupts: records, next }: InterruptPage, viewer: string): object {
  const interrupts = records.map(({ key, ...record }) => toItem(key.thread, record, viewer));
  return { interrupts, ...defined({ next }) };
}
