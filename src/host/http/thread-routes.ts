import type { Context, Hono } from 'hono';
import { defined, HoldpointError, isRecord } from '../../core/index.ts';
import type { Access, Action, ThreadRecord } from '../../ledger/index.ts';
import { listAllowed, pruneThread, readThread, renameThread, unknownThread } from '../../ledger/index.ts';
import { SSE_KEEP_ALIVE } from '../../protocol/index.ts';
import type { Joined } from '../../runs/index.ts';
import { asIsEvents, followThread, joinThread, readThreadAsIs } from '../../runs/index.ts';
import type { ThreadFiles } from '../files/thread-files.ts';
import type { HostEnv } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { agentNamed, checkedId } from '../host-parts.ts';
import { pageOf, readJson } from './read-json.ts';
import type { EventEncoder } from './stream-response.ts';
import { createEventEncoder, dialectFor, hostStream, negotiateForm } from './stream-response.ts';

/** The statuses of listed threads; deleted threads are not listed. */
const THREAD_STATUSES = ['active', 'ready', 'failed', 'waiting', 'idle'];

/** The longest title of a thread, and the longest text to search titles for, in characters. */
const LONGEST_TITLE = 200;
const LONGEST_SEARCH = 200;

/** These routes ignore the body; requiring a JSON content type keeps out forms of other pages. */
const NO_BODY = { bytes: 4096, json: undefined, optional: true };

/** The stored statuses of a filter: an idle thread without events is `quiet` in the store. Throws `INPUT_INVALID`. */
function statusesOf(status: string | undefined): readonly string[] {
  const statuses = status?.split(',') ?? THREAD_STATUSES;
  const wrong = statuses.find((one) => !THREAD_STATUSES.includes(one));
  if (wrong !== undefined) {
    throw new HoldpointError('INPUT_INVALID', `Unknown status ${wrong}. Use ${THREAD_STATUSES.join(', ')}.`);
  }
  return statuses.flatMap((one) => (one === 'idle' ? ['idle', 'quiet'] : [one]));
}

/** Sessions: `GET /threads`, `GET|PATCH|DELETE /threads/:t`, their live events, going on, and stopping a run. */
export function addThreadRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  const { runs } = parts;

  app.get('/threads', async (context) => {
    const access = await parts.gate.checkScope(context.get('principal'), 'read');
    const { agent, status, text, order } = context.req.query();
    if (order !== undefined && order !== 'created' && order !== 'newest')
      throw new HoldpointError('INPUT_INVALID', 'order is created (the oldest first) or newest.');
    const { rows, next } = await listAllowed(access, {
      table: 'threads',
      ...defined({ agent }),
      ...defined({ text: text?.slice(0, LONGEST_SEARCH) }),
      ...defined({ order }),
      status: statusesOf(status),
      ...pageOf(context.req.query()),
    });
    const threads = rows.map((row) => ({
      threadId: row.key.thread,
      createdAt: new Date(row.createdAt).toISOString(),
      ...summary(row.doc as unknown as ThreadRecord),
    }));
    return context.json({ threads, ...defined({ next }) });
  });

  app.get('/threads/:thread', async (context) => {
    const access = await threadOf(parts, context, 'read');
    const { thread, messages, state, open } = await readThreadAsIs(access);
    if (thread === undefined) throw unknownThread(access.key.thread);
    const interrupts = open.map(({ interrupt }) => interrupt);
    return context.json({ threadId: access.key.thread, ...summary(thread), messages, state, interrupts });
  });

  app.patch('/threads/:thread', async (context) => {
    const access = await threadOf(parts, context, 'run');
    const body = await readJson(context, { bytes: 4096, json: undefined });
    const title = isRecord(body) && typeof body['title'] === 'string' ? body['title'].trim() : '';
    if (title === '' || title.length > LONGEST_TITLE)
      throw new HoldpointError('INPUT_INVALID', `title is a text of 1 to ${LONGEST_TITLE} characters.`);
    await renameThread(access, title);
    return context.json({ threadId: access.key.thread, title });
  });

  app.delete('/threads/:thread', async (context) => {
    await removeThread(await threadOf(parts, context, 'delete'), parts.files);
    return context.body(null, 204);
  });

  app.post('/threads/:thread/erase', async (context) => {
    const access = await threadOf(parts, context, 'delete');
    await readJson(context, NO_BODY);
    await eraseOwnThread(access, parts.files);
    return context.body(null, 204);
  });

  app.get('/threads/:thread/events', async (context) => {
    const place = { thread: threadIdOf(context) };
    const { access, thread } = await parts.gate.openThread(context.get('principal'), 'read', place);
    const last = context.req.header('last-event-id') ?? context.req.query('after');
    const after = last === undefined ? undefined : Number(last);
    if (after !== undefined && (!Number.isSafeInteger(after) || after < 0)) {
      throw new HoldpointError('INPUT_INVALID', 'Last-Event-ID must be a whole number, 0 or more.');
    }
    const agent = thread === undefined ? undefined : parts.agents.resolve(thread.agent);
    const dialect = dialectFor(context.req.raw, agent, parts.options);
    const encoder = createEventEncoder(negotiateForm(context.req.header('accept') ?? null), dialect);
    return live(parts, access, { request: context.req.raw, after, encoder, thread });
  });

  app.post('/threads/:thread/continue', async (context) => {
    const access = await threadOf(parts, context, 'run');
    await readJson(context, NO_BODY);
    const thread = await readThread(access);
    if (thread === undefined || thread.pruned !== undefined) throw unknownThread(access.key.thread);
    const agent = agentNamed(parts, thread.agent);
    const input = {
      threadId: access.key.thread,
      runId: parts.newId(),
      messages: [],
      tools: [],
      context: [],
      state: {},
    };
    const started = await runs.start({ access, agent, input, continues: 'on-request' });
    const runId = started.type === 'started' ? started.runId : undefined;
    return context.json({ state: started.type, ...defined({ runId }) }, runId === undefined ? 200 : 202);
  });

  app.post('/threads/:thread/runs/:run/cancel', async (context) => {
    const access = await threadOf(parts, context, 'cancel');
    await readJson(context, NO_BODY);
    await runs.cancel(access, checkedId(context.req.param('run'), 'run id'));
    return context.json({ state: 'cancelling' }, 202);
  });
}

/** The permission for the thread of a request, in the scope of the caller. Throws `FORBIDDEN` or `THREAD_UNKNOWN`. */
export function threadOf<A extends Exclude<Action, 'answer' | 'withdraw'>>(
  { gate }: HostParts,
  context: Context<HostEnv>,
  action: A,
): Promise<Access<A>> {
  return gate.checkThread(context.get('principal'), action, { thread: threadIdOf(context) });
}

/** Throws `INPUT_INVALID`. */
export function threadIdOf(context: Context<HostEnv>): string {
  return checkedId(context.req.param('thread') ?? '', 'thread id');
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
    ...defined({ title }),
    ...defined({ runId: active?.runId }),
    ...defined({ error: failed }),
  };
}

/** The events of a thread from a position on; without a position, the current thread first. */
function live(
  parts: HostParts,
  access: Access<'read'>,
  given: {
    readonly request: Request;
    readonly after: number | undefined;
    readonly encoder: EventEncoder;
    readonly thread: ThreadRecord | undefined;
  },
): Response {
  const { request, after, encoder } = given;
  const { closing, newId, streams } = parts;
  const { contentType } = encoder;
  const stream = { request, access, stopping: closing, contentType, onEnd: streams.open(access.principal) };
  return hostStream(parts, stream, async function* (signal) {
    // A missing position is treated like one whose events are gone.
    let from = after ?? -1;
    for (let { thread } = given; ; thread = await readThread(access)) {
      let isShown: Joined['isShown'] = () => false;
      if (!isKept(thread, from)) {
        const joined = await joinThread(access);
        ({ from, isShown } = joined);
        const asIs = asIsEvents({ threadId: access.key.thread, runId: newId() }, joined.asIs);
        const last = asIs.length - 1;
        yield* encoder.encode(
          asIs.map((event, index) => (index === last ? { event, place: from } : { event })),
        );
      } else if (contentType === undefined) {
        // Tells the client at once that the stream is open, because events may take long.
        yield SSE_KEEP_ALIVE;
      }
      for await (const events of followThread(parts.feed, access, { after: from, signal })) {
        yield* encoder.encode(events.filter(({ event, place = 0 }) => !isShown(event, place)));
        from = events.at(-1)?.place ?? from;
      }
      if (signal.aborted) return;
      // Starts again with the current thread for a reader that was too slow for the kept events.
    }
  });
}

/** Whether all events after a position are still kept. */
function isKept(thread: ThreadRecord | undefined, place: number): boolean {
  return place >= (thread?.eventsTrimmed ?? 0) && place <= (thread?.logs.events ?? 0);
}

/**
 * Erases a thread of the caller, its files and the values of its history. Throws `THREAD_UNKNOWN`, `FORBIDDEN` for a
 * thread of another owner, or `RUN_CONFLICT`.
 */
async function eraseOwnThread(access: Access<'delete'>, files: ThreadFiles): Promise<void> {
  const { key, principal } = access;
  const thread = await readThread(access);
  if (thread === undefined) throw unknownThread(key.thread);
  if ((thread.owner ?? thread.principal?.id) !== principal.id)
    throw new HoldpointError('FORBIDDEN', `Only its owner may erase the thread ${key.thread}.`);
  let isBusy = false;
  await pruneThread(access, {
    mayGo(_thread, isAtWork) {
      isBusy = isAtWork;
      return !isAtWork;
    },
    erasure: { by: principal.id },
    alsoRemove: () => files.remove(access),
  });
  if (isBusy) throw atWork(key.thread);
}

function atWork(thread: string): HoldpointError {
  return new HoldpointError('RUN_CONFLICT', `A run is at work on the thread ${thread}: stop it first.`);
}

/** Deletes a thread and its files on request; its decided interrupts and its history stay. Throws `THREAD_UNKNOWN` or `RUN_CONFLICT`. */
export async function removeThread(access: Access<'delete'>, files: ThreadFiles): Promise<void> {
  const { key } = access;
  const thread = await readThread(access);
  if (thread === undefined || thread.pruned === true) throw unknownThread(key.thread);
  const removed = await pruneThread(access, {
    mayGo: (_thread, isBusy) => !isBusy,
    alsoRemove: () => files.remove(access),
    keepsDecisions: true,
  });
  if (!removed) throw atWork(key.thread);
}
