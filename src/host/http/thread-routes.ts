import type { Context, Hono } from 'hono';
import { HoldpointError, linkSignals } from '../../core/index.ts';
import { SSE_KEEP_ALIVE } from '../../protocol/index.ts';
import type { Principal, ThreadKey, ThreadRecord } from '../../ledger/index.ts';
import { readThread } from '../../ledger/index.ts';
import type { HostParts } from '../host-parts.ts';
import { agentNamed, assertAllowed, checkedId, streamFailure } from '../host-parts.ts';
import { followThread } from '../runs/follow-run.ts';
import type { Joined } from '../runs/join-thread.ts';
import { joinThread } from '../runs/join-thread.ts';
import { asIsEvents, readThreadAsIs } from '../runs/thread-as-is.ts';
import type { EventEncoder } from './event-encoder.ts';
import { createEventEncoder, dialectFor } from './event-encoder.ts';
import type { HostEnv } from './host-env.ts';
import { listAllowed } from './list-allowed.ts';
import { negotiateForm } from './negotiate.ts';
import { pageOf } from './page-of.ts';
import { readJson } from './read-json.ts';
import { streamResponse } from './stream-response.ts';
import { removeThread } from '../threads/remove-thread.ts';

/** The statuses of a thread; a deleted thread has none of them, and is not listed. */
const THREAD_STATUSES = ['active', 'ready', 'failed', 'waiting', 'idle'];

/** These routes read nothing of a body; its content type keeps forms of other pages out. */
const NO_BODY = { bytes: 4096, json: undefined, optional: true };

/** What is idle to others is quiet in the store once its events are gone. Throws `INPUT_INVALID`. */
function statusesOf(status: string | undefined): readonly string[] {
  const statuses = status?.split(',') ?? THREAD_STATUSES;
  const wrong = statuses.find((one) => !THREAD_STATUSES.includes(one));
  if (wrong !== undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `There is no status ${wrong}; there are ${THREAD_STATUSES.join(', ')}.`,
    );
  }
  return statuses.flatMap((one) => (one === 'idle' ? ['idle', 'quiet'] : [one]));
}

/** Sessions: `GET /threads`, `GET|DELETE /threads/:t`, their live events, going on, and stopping a run. */
export function addThreadRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  const { store, runs } = parts;

  app.get('/threads', async (context) => {
    const principal = context.get('principal');
    await assertAllowed(parts, principal, { action: 'read' });
    const { agent, status } = context.req.query();
    const { rows, next } = await listAllowed(parts, principal, {
      query: {
        table: 'threads',
        scope: principal.scope,
        ...(agent === undefined ? {} : { agent }),
        status: statusesOf(status),
        ...pageOf(context.req.query()),
      },
      resourceOf: ({ key, doc }) => ({
        thread: key.thread,
        agent: (doc as unknown as ThreadRecord).agent,
      }),
    });
    const threads = rows.map((row) => ({
      threadId: row.key.thread,
      createdAt: new Date(row.createdAt).toISOString(),
      ...summary(row.doc as unknown as ThreadRecord),
    }));
    return context.json({ threads, ...(next === undefined ? {} : { next }) });
  });

  app.get('/threads/:thread', async (context) => {
    const key = await threadOf(parts, context, 'read');
    const { thread, messages, state, open } = await readThreadAsIs(store, key);
    if (thread === undefined) throw unknown(key);
    const interrupts = open.map(({ interrupt }) => interrupt);
    return context.json({ threadId: key.thread, ...summary(thread), messages, state, interrupts });
  });

  app.delete('/threads/:thread', async (context) => {
    const key = await threadOf(parts, context, 'delete');
    await removeThread(store, key, parts.files);
    return context.body(null, 204);
  });

  app.get('/threads/:thread/events', async (context) => {
    const key = await threadOf(parts, context, 'read');
    const last = context.req.header('last-event-id') ?? context.req.query('after');
    const after = last === undefined ? undefined : Number(last);
    if (after !== undefined && (!Number.isSafeInteger(after) || after < 0)) {
      throw new HoldpointError('INPUT_INVALID', 'Last-Event-ID is not a place that this thread gave.');
    }
    const thread = await readThread(store, key);
    const agent = thread === undefined ? undefined : parts.agents.resolve(thread.agent);
    const dialect = dialectFor(context.req.raw, agent, parts.options);
    const encoder = createEventEncoder(negotiateForm(context.req.header('accept') ?? null), dialect);
    return live(parts, key, { after, encoder });
  });

  app.post('/threads/:thread/continue', async (context) => {
    const key = await threadOf(parts, context, 'run');
    await readJson(context.req.raw, NO_BODY);
    const thread = await readThread(store, key);
    if (thread === undefined || thread.pruned !== undefined) throw unknown(key);
    const agent = agentNamed(parts, thread.agent);
    const principal = context.get('principal');
    const input = {
      threadId: key.thread,
      runId: parts.newId(),
      messages: [],
      tools: [],
      context: [],
      state: {},
    };
    const started = await runs.start({ key, agent, principal, input, continues: 'on-request' });
    const runId = started.type === 'started' ? started.run.runId : undefined;
    return context.json(
      { state: started.type, ...(runId === undefined ? {} : { runId }) },
      runId === undefined ? 200 : 202,
    );
  });

  app.post('/threads/:thread/runs/:run/cancel', async (context) => {
    const key = await threadOf(parts, context, 'cancel');
    await readJson(context.req.raw, NO_BODY);
    await runs.cancel(key, checkedId(context.req.param('run'), 'run id'), context.get('principal'));
    return context.json({ state: 'cancelling' }, 202);
  });
}

/** The thread a request is about, in the scope of whoever asks. Throws `FORBIDDEN`. */
export async function threadOf(
  parts: HostParts,
  context: Context<HostEnv>,
  action: 'read' | 'run' | 'delete' | 'cancel' | 'answer' | 'upload',
): Promise<ThreadKey> {
  const key = threadKeyOf(context);
  const { thread } = key;
  const agent =
    parts.options.authorize === undefined ? undefined : (await readThread(parts.store, key))?.agent;
  await assertAllowed(parts, context.get('principal'), {
    action,
    thread,
    ...(agent === undefined ? {} : { agent }),
  });
  return key;
}

/** Where the thread of a request is, whoever may see it. Throws `INPUT_INVALID`. */
export function threadKeyOf(context: Context<HostEnv>): ThreadKey {
  const principal: Principal = context.get('principal');
  return { scope: principal.scope, thread: checkedId(context.req.param('thread') ?? '', 'thread id') };
}

function summary({ agent, active, batch, failed, title }: ThreadRecord) {
  const status =
    active !== undefined
      ? 'active'
      : failed !== undefined
        ? 'failed'
        : batch !== undefined
          ? 'waiting'
          : 'idle';
  return {
    agent,
    status,
    ...(title === undefined ? {} : { title }),
    ...(active === undefined ? {} : { runId: active.runId }),
    ...(failed === undefined ? {} : { error: failed }),
  };
}

/** What happens on a thread, from a place on; without one, the thread as it is first. */
function live(
  parts: HostParts,
  key: ThreadKey,
  { after, encoder }: { readonly after: number | undefined; readonly encoder: EventEncoder },
): Response {
  const { store, options, closing, newId } = parts;
  const isText = encoder.contentType === undefined;
  const closed = parts.streams.open('endless');
  const stop = new AbortController();
  const { signal, unlink } = linkSignals(stop.signal, closing);
  const pieces = async function* (): AsyncGenerator<string | Uint8Array<ArrayBuffer>, void, undefined> {
    // No place is as good as one that is gone.
    let from = after ?? -1;
    while (!signal.aborted) {
      let isShown: Joined['isShown'] = () => false;
      if (!(await isKept(store, key, from))) {
        const joined = await joinThread(store, key);
        ({ from, isShown } = joined);
        const asIs = asIsEvents({ threadId: key.thread, runId: newId() }, joined.asIs);
        const last = asIs.length - 1;
        yield* encoder.encode(
          asIs.map((event, index) => (index === last ? { event, place: from } : { event })),
        );
      } else if (isText) {
        // There may be nothing to tell for long; that it is listened to is known at once.
        yield SSE_KEEP_ALIVE;
      }
      for await (const events of followThread(parts, key, { after: from, signal })) {
        yield* encoder.encode(events.filter(({ event, place = 0 }) => !isShown(event, place)));
        from = events.at(-1)?.place ?? from;
      }
      // A reader that was so slow that events are gone which it never had begins anew.
    }
  };
  return streamResponse(pieces(), {
    contentType: encoder.contentType,
    keepAliveMs: isText ? (options.keepAliveMs ?? 15_000) : 0,
    onCancel: () => stop.abort(),
    onError: streamFailure(parts),
    onEnd() {
      unlink();
      closed();
    },
  });
}

/** Whether all that followed a place can still be told. */
async function isKept(store: HostParts['store'], key: ThreadKey, place: number): Promise<boolean> {
  const thread = await readThread(store, key);
  return place >= (thread?.eventsTrimmed ?? 0) && place <= (thread?.logs.events ?? 0);
}

function unknown({ thread }: ThreadKey): HoldpointError {
  return new HoldpointError('THREAD_UNKNOWN', `There is no thread ${thread}.`);
}
