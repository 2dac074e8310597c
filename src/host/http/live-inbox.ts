import type { UnknownRecord } from '../../core/index.ts';
import { defined } from '../../core/index.ts';
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
import type { SharedInbox } from './shared-inbox.ts';
import { hostStream } from './stream-response.ts';

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
    inbox = parts.inboxes.join(access, query, async () =>
      toPage(parts.gate, await listInterrupts(access, query), access.principal),
    );
    yield* inbox.pages(signal);
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
