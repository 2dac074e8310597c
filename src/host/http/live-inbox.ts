import { linkSignals } from '../../core/index.ts';
import type { Principal } from '../../ledger/index.ts';
import type { ListQuery } from '../../store/index.ts';
import type { HostParts } from '../host-parts.ts';
import { streamFailure } from '../host-parts.ts';
import { resourceOf, toItem } from './inbox-item.ts';
import { listAllowed } from './list-allowed.ts';
import { streamResponse } from './stream-response.ts';

/** Milliseconds between two looks for whoever watches. */
const LOOK_MS = 100;

/** What waits, and again whenever that changes: each frame is the whole first page. */
export function liveInbox(parts: HostParts, principal: Principal, query: ListQuery): Response {
  const { feed, closing, options } = parts;
  const closed = parts.streams.open('endless');
  const stop = new AbortController();
  const { signal, unlink } = linkSignals(stop.signal, closing);
  const pieces = async function* (): AsyncGenerator<string, void, undefined> {
    let wake: () => void = () => undefined;
    let changed = true;
    const go = () => {
      changed = true;
      wake();
    };
    const unwatch = feed.watchScope(query.scope ?? '', go);
    signal.addEventListener('abort', go, { once: true });
    let last = '';
    try {
      while (!signal.aborted) {
        changed = false;
        const { rows, next } = await listAllowed(parts, principal, { query, resourceOf });
        const text = JSON.stringify({
          interrupts: rows.map(toItem),
          ...(next === undefined ? {} : { next }),
        });
        if (text !== last) {
          last = text;
          yield `event: interrupts\ndata: ${text}\n\n`;
        }
        if (signal.aborted) continue;
        // Whatever is at work in the scope wakes everybody who watches: they look again a few times a second, not each time.
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
  return streamResponse(pieces(), {
    keepAliveMs: options.keepAliveMs ?? 15_000,
    onCancel: () => stop.abort(),
    onError: streamFailure(parts),
    onEnd() {
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
