import type { UnknownRecord } from '../../core/index.ts';
import { defined, pause } from '../../core/index.ts';
import type {
  Gate,
  InterruptPage,
  InterruptQuery,
  ListedInterrupt,
  Principal,
  ScopeAccess,
} from '../../ledger/index.ts';
import { listInterrupts } from '../../ledger/index.ts';
import { readWhenStored } from '../../runs/index.ts';
import type { HostParts } from '../host-parts.ts';
import { hostStream } from './stream-response.ts';

/** Minimum milliseconds between two pages for a watcher. */
const LOOK_MS = 100;

/** Sends the first page of open interrupts, and again after every change. */
export function liveInbox(
  parts: HostParts,
  { request, access }: { readonly request: Request; readonly access: ScopeAccess<'read'> },
  query: InterruptQuery,
): Response {
  const { feed, closing, streams } = parts;
  let lookAgain: () => void = () => undefined;
  // Permissions may change without an event, so each check also reads the page again.
  const onAllowed = () => lookAgain();
  const stream = { request, access, stopping: closing, onAllowed, onEnd: streams.open() };
  return hostStream(parts, stream, async function* (signal) {
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
        const readPage = async () =>
          toPage(parts.gate, await listInterrupts(access, query), access.principal);
        const page = await readWhenStored(readPage, signal);
        if (page === undefined) return;
        const text = JSON.stringify(page);
        if (text !== last) {
          last = text;
          yield `event: interrupts\ndata: ${text}\n\n`;
        }
        if (signal.aborted) continue;
        // Every change in the scope wakes all watchers, so they wait before they read again.
        await pause(LOOK_MS, signal).catch(() => undefined);
        if (changed || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      unwatch();
      signal.removeEventListener('abort', go);
    }
  });
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
