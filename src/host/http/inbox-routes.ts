import type { Context, Hono } from 'hono';
import { checkAnswer } from '../../content/questions/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import { renameQuestion } from '../../engine/index.ts';
import type { InterruptRecord, Principal, ThreadKey } from '../../ledger/index.ts';
import { askAgain, assertMayAnswer, readHistory, readThread, stageAnswer } from '../../ledger/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import type { ListQuery, Row } from '../../store/index.ts';
import type { Resource } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { assertAllowed, checkedId } from '../host-parts.ts';
import { renameForeign } from '../runs/foreign-turn.ts';
import { canStandIn } from '../runs/stand-in.ts';
import type { HostEnv } from './host-env.ts';
import { listAllowed } from './list-allowed.ts';
import { pageOf } from './page-of.ts';
import { readJson } from './read-json.ts';
import { streamResponse } from './stream-response.ts';
import { threadKeyOf, threadOf } from './thread-routes.ts';

const STATUSES = ['pending', 'answered', 'claimed', 'resolved', 'cancelled', 'expired'];
/** Milliseconds; nobody waits longer. */
const CENTURY = 100 * 366 * 24 * 3_600_000;
/** Milliseconds between two looks for whoever watches. */
const LOOK_MS = 100;
const OPEN = ['pending', 'expired'];

/** The inbox, across threads: what waits, one question, its history, an answer, asking again, and all of it live. */
export function addInboxRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  const { store, newId, options } = parts;

  app.get('/interrupts', async (context) => {
    const principal = context.get('principal');
    await assertAllowed(parts, principal, { action: 'read' });
    const query = queryOf(principal.scope, context.req.query());
    const { rows, next } = await listAllowed(parts, principal, { query, resourceOf });
    return context.json({ interrupts: rows.map(toItem), ...(next === undefined ? {} : { next }) });
  });

  app.get('/interrupts/events', async (context) => {
    const principal = context.get('principal');
    await assertAllowed(parts, principal, { action: 'read' });
    return liveInbox(parts, principal, queryOf(principal.scope, context.req.query()));
  });

  app.get('/threads/:thread/interrupts/:interrupt', async (context) => {
    return context.json(toItem(await questionOf(parts, context, 'read')));
  });

  app.get('/threads/:thread/interrupts/:interrupt/history', async (context) => {
    const { id, scope, thread } = (await questionOf(parts, context, 'read')).key;
    const entries = await readHistory(store, { scope, thread });
    const history = entries.filter(({ interruptId }) => interruptId === id);
    return context.json({ history });
  });

  app.post('/threads/:thread/interrupts/:interrupt/answer', async (context) => {
    const row = await questionOf(parts, context, 'answer');
    const key = threadKeyOf(context);
    const principal = context.get('principal');
    const record = recordOf(row);
    const body = await readJson(context.req.raw, { bytes: 256 * 1024, json: options.limits?.json });
    const entry = entryOf(row.key.id, body);
    assertGoesOn(parts, record, entry);
    const staged = await stageAnswer(store, {
      key,
      entry,
      principal,
      via: 'inbox',
      vault: await parts.openVault(),
      rules: (asked, entry) => checkAnswer(asked.interrupt, entry),
      mayAnswer: options.interrupts?.mayAnswer,
    }).catch((error: unknown) => {
      if (HoldpointError.is(error, 'INTERRUPT_CONFLICT')) parts.metrics.claimLost();
      throw error;
    });
    const goesOn = staged.state === 'complete' && (await canGoOn(parts, key, record));
    if (staged.state === 'complete') parts.ready(key);
    return context.json({ state: goesOn ? 'continued' : 'staged', open: staged.open });
  });

  app.post('/threads/:thread/interrupts/:interrupt/ask-again', async (context) => {
    const row = await questionOf(parts, context, 'answer');
    const key = threadKeyOf(context);
    const body =
      context.req.header('content-type') === undefined
        ? {}
        : await readJson(context.req.raw, { bytes: 4096, json: undefined });
    const expiresIn = isRecord(body) ? body['expiresIn'] : undefined;
    if (
      expiresIn !== undefined &&
      !(typeof expiresIn === 'number' && expiresIn > 0 && expiresIn <= CENTURY)
    ) {
      throw new HoldpointError('INPUT_INVALID', 'expiresIn is a number of milliseconds.');
    }
    const principal = context.get('principal');
    const { mayAnswer, ttlMs } = options.interrupts ?? {};
    await assertMayAnswer({ record: recordOf(row), principal, mayAnswer, key });
    const timeLeft = expiresIn ?? ttlMs;
    const interrupt = await askAgain(store, {
      key,
      interruptId: row.key.id,
      principal,
      newId,
      renamed: (turn, asked) =>
        renameForeign(turn, row.key.id, asked.id) ?? renameQuestion(turn, row.key.id, asked),
      ...(timeLeft === undefined ? {} : { expiresIn: timeLeft }),
    });
    parts.tell(key, (record) => record.interrupt.id === interrupt.id);
    return context.json({ interrupt }, 201);
  });
}

/**
 * The question a request is about. Throws `FORBIDDEN`, or `INTERRUPT_UNKNOWN`: another tenant's question is as unknown as one
 * that never was.
 */
async function questionOf(
  parts: HostParts,
  context: Context<HostEnv>,
  action: 'read' | 'answer',
): Promise<Row> {
  const key = threadKeyOf(context);
  const id = checkedId(context.req.param('interrupt') ?? '', 'question id');
  const [row] = await parts.store.get('interrupts', [{ ...key, id }]);
  if (row === undefined) {
    // Whether it is there is not told to whoever may not look.
    await threadOf(parts, context, action);
    throw new HoldpointError('INTERRUPT_UNKNOWN', `The thread has no question ${id}.`);
  }
  await assertAllowed(parts, context.get('principal'), { action, ...resourceOf(row) });
  return row;
}

/** A question as the application is asked about it. */
function resourceOf(row: Row): Resource {
  const interrupt = recordOf(row);
  return { thread: row.key.thread, agent: interrupt.agent, interrupt };
}

/**
 * An answer that nobody here could hand over is not taken: the question stays listed. A cancellation needs nobody, and one that
 * is over is for the ledger to say. Throws `AGENT_UNKNOWN`.
 */
function assertGoesOn(
  { agents, options }: HostParts,
  { agent, state }: InterruptRecord,
  { status }: ResumeEntry,
): void {
  const isOpen = OPEN.includes(state) || state === 'answered';
  if (!isOpen || status === 'cancelled' || options.agentsElsewhere === true) return;
  if (agents.resolve(agent) !== undefined) return;
  throw new HoldpointError(
    'AGENT_UNKNOWN',
    `There is no agent ${agent} here to go on with the answer; the question can be cancelled.`,
  );
}

/** Whether somebody goes on with a batch that is complete: a cancellation may be the last of answers that nobody here can take. */
async function canGoOn(
  { agents, options, store }: HostParts,
  key: ThreadKey,
  { agent }: InterruptRecord,
): Promise<boolean> {
  if (options.agentsElsewhere === true || agents.resolve(agent) !== undefined) return true;
  const thread = await readThread(store, key);
  return thread?.batch === undefined || canStandIn(store, key, thread);
}

function recordOf(row: Row): InterruptRecord {
  return row.doc as unknown as InterruptRecord;
}

/** A question as the inbox shows it. */
function toItem(row: Row) {
  const { interrupt, state, agent, askedBy, raisedAt, answer, endedAt, approvers, runId } = recordOf(row);
  const time = (at: number) => new Date(at).toISOString();
  return {
    threadId: row.key.thread,
    interrupt,
    status: state,
    agent,
    runId,
    askedBy,
    raisedAt: time(raisedAt),
    ...(approvers === undefined ? {} : { approvers }),
    ...(answer === undefined
      ? {}
      : {
          answer: {
            status: answer.status,
            ...(answer.payload === undefined ? {} : { payload: answer.payload }),
            by: answer.by,
            at: time(answer.at),
            via: answer.via,
          },
        }),
    ...(endedAt === undefined ? {} : { endedAt: time(endedAt) }),
  };
}

/** Throws `INPUT_INVALID`. */
function queryOf(scope: string, query: Readonly<Record<string, string>>): ListQuery {
  const { status, agent, reason, thread, expiringBefore } = query;
  const statuses = status === undefined ? OPEN : status.split(',');
  const wrong = statuses.find((one) => one !== 'all' && !STATUSES.includes(one));
  if (wrong !== undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `There is no status ${wrong}; there are ${STATUSES.join(', ')}.`,
    );
  }
  const before = expiringBefore === undefined ? undefined : Date.parse(expiringBefore);
  if (before !== undefined && Number.isNaN(before)) {
    throw new HoldpointError('INPUT_INVALID', 'expiringBefore is a time, such as 2026-01-31T12:00:00Z.');
  }
  return {
    table: 'interrupts',
    scope,
    ...(statuses.includes('all') ? {} : { status: statuses }),
    ...(agent === undefined ? {} : { agent }),
    ...(reason === undefined ? {} : { reason }),
    ...(thread === undefined ? {} : { thread }),
    ...(before === undefined ? {} : { dueBefore: before, order: 'due' as const }),
    ...pageOf(query),
  };
}

function entryOf(interruptId: string, body: unknown): ResumeEntry {
  const status = isRecord(body) ? body['status'] : undefined;
  if (!isRecord(body) || (status !== 'resolved' && status !== 'cancelled')) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'An answer is {"status": "resolved", "payload": …} or {"status": "cancelled"}.',
    );
  }
  const { payload, metadata } = body;
  return {
    interruptId,
    status,
    ...(payload === undefined ? {} : { payload }),
    ...(isRecord(metadata) ? { metadata: { ...metadata } } : {}),
  };
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

/** What waits, and again whenever that changes: each frame is the whole first page. */
function liveInbox(parts: HostParts, principal: Principal, query: ListQuery): Response {
  const { feed, closing, options } = parts;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, closing]);
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
    onEnd: parts.streams.open('endless'),
  });
}
