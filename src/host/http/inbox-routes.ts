import type { Context, Hono } from 'hono';
import { defined, HoldpointError, isRecord, unref } from '../../core/index.ts';
import type {
  Access,
  InterruptAccess,
  InterruptRecord,
  InterruptState,
  InterruptOrder,
  InterruptQuery,
  ListedInterrupt,
  Staged,
} from '../../ledger/index.ts';
import {
  askAgain,
  listInterrupts,
  readHistory,
  readInterrupt,
  stageAnswer,
  takeBackAnswer,
  withdrawInterrupt,
} from '../../ledger/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { answerRules, renameForeign } from '../../runs/index.ts';
import type { HostEnv } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { checkedId } from '../host-parts.ts';
import { readContext } from './inbox-context.ts';
import { liveInbox, toItem, toPage } from './live-inbox.ts';
import { pageOf, readJson } from './read-json.ts';
import { threadIdOf } from './thread-routes.ts';

/** Milliseconds; the longest expiry that a request may set. */
const CENTURY = 100 * 366 * 24 * 3_600_000;

/** The inbox across threads: list, one interrupt, its history, answers, ask again, and a live stream. */
export function addInboxRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  const { gate, newId, options } = parts;

  app.get('/interrupts', async (context) => {
    const principal = context.get('principal');
    const access = await gate.checkScope(principal, 'read');
    const page = await listInterrupts(access, queryOf(context.req.query()));
    return context.json(await toPage(gate, page, principal));
  });

  app.get('/interrupts/events', async (context) => {
    const access = await gate.checkScope(context.get('principal'), 'read');
    return liveInbox(parts, { request: context.req.raw, access }, queryOf(context.req.query()));
  });

  app.get('/threads/:thread/interrupts/:interrupt', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'read');
    const principal = context.get('principal');
    const { key, agent, owner, threadDeleted } = record;
    const [item, maySeeThread, words] = await Promise.all([
      toItem(gate, record, principal),
      threadDeleted === undefined &&
        gate.isAllowed(principal, { action: 'read', thread: key.thread, agent, owner }),
      readContext(access, record),
    ]);
    return context.json({ ...item, maySeeThread, ...words });
  });

  app.get('/threads/:thread/interrupts/:interrupt/history', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'read');
    const [entries, ids] = await Promise.all([readHistory(access), idsUpTo(access, record)]);
    return context.json({ history: entries.filter(({ interruptId }) => ids.has(interruptId)) });
  });

  app.post('/threads/:thread/interrupts/:interrupt/answer', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'answer');
    const body = await readJson(context, { bytes: 256 * 1024, json: options.limits?.json });
    const entry = entryOf(record.interrupt.id, body);
    const undoMs = undoMsOf(body);
    assertGoesOn(parts, record, entry);
    const staged = await stageAnswer(access, {
      entry,
      via: 'inbox',
      undoMs,
      vault: await parts.openVault(),
      rules: answerRules(parts.files.readerOf(access)),
    }).catch((error: unknown) => {
      if (HoldpointError.is(error, 'INTERRUPT_CONFLICT')) parts.metrics?.claimLost();
      throw error;
    });
    return context.json(await goOn(parts, record, staged));
  });

  app.delete('/threads/:thread/interrupts/:interrupt/answer', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'answer');
    await takeBackAnswer(access, record.interrupt.id);
    return context.body(null, 204);
  });

  app.post('/threads/:thread/interrupts/:interrupt/withdraw', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'withdraw');
    const body = await readJson(context, { bytes: 4096, json: undefined, optional: true });
    const reason = isRecord(body) ? body['reason'] : undefined;
    if (reason !== undefined && typeof reason !== 'string')
      throw new HoldpointError('INPUT_INVALID', 'reason must be a string.');
    const interruptId = record.interrupt.id;
    const staged = await withdrawInterrupt(access, { interruptId, reason, via: 'withdrawal' });
    return context.json(await goOn(parts, record, staged));
  });

  app.post('/threads/:thread/interrupts/:interrupt/ask-again', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'answer');
    const interruptId = record.interrupt.id;
    const body = await readJson(context, { bytes: 4096, json: undefined, optional: true });
    const expiresInMs = isRecord(body) ? body['expiresInMs'] : undefined;
    if (
      expiresInMs !== undefined &&
      !(typeof expiresInMs === 'number' && expiresInMs > 0 && expiresInMs <= CENTURY)
    ) {
      throw new HoldpointError('INPUT_INVALID', 'expiresInMs is a number of milliseconds.');
    }
    const timeLeft = expiresInMs ?? options.interrupts?.ttlMs;
    const interrupt = await askAgain(access, {
      interruptId,
      newId,
      renameForeign: (turn, newId) => renameForeign(turn, interruptId, newId),
      ...defined({ expiresInMs: timeLeft }),
    });
    parts.notify(access.key, (raised) => raised.interrupt.id === interrupt.id);
    return context.json({ interrupt }, 201);
  });
}

/** The ids of an interrupt and of those that it was asked again for. */
async function idsUpTo(access: Access<'read'>, record: InterruptRecord): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let { interrupt }: InterruptRecord = record;
  for (;;) {
    ids.add(interrupt.id);
    const earlierId = interrupt.metadata?.['supersedes'];
    if (typeof earlierId !== 'string') return ids;
    const earlier = await readInterrupt(access, earlierId);
    // The metadata of a foreign agent can name any interrupt; the earlier record names only the one that replaced it.
    if (earlier?.supersededBy !== interrupt.id) return ids;
    ({ interrupt } = earlier);
  }
}

/**
 * Continues a thread whose batch is complete, after the undo time of its answers. A sweep would continue it too, here or in
 * another process.
 */
async function goOn(parts: HostParts, { key, agent }: ListedInterrupt, { state, open, waitMs = 0 }: Staged) {
  const isComplete = state === 'complete';
  const goesOn = isComplete && (await parts.canGoOn(key, agent));
  if (isComplete && waitMs === 0) parts.ready(key);
  else if (isComplete) unref(setTimeout(() => parts.ready(key), waitMs + 20));
  return { state: goesOn ? 'continued' : 'staged', open };
}

/** The interrupt of a request. Throws as `checkInterrupt` does. */
async function interruptOf<A extends 'read' | 'answer' | 'withdraw'>(
  { gate }: HostParts,
  context: Context<HostEnv>,
  action: A,
): Promise<InterruptAccess<A>> {
  const interruptId = checkedId(context.req.param('interrupt') ?? '', 'interrupt id');
  return gate.checkInterrupt(context.get('principal'), action, { thread: threadIdOf(context), interruptId });
}

/** The answer in the body of a request. Throws `INPUT_INVALID`. */
export function entryOf(interruptId: string, body: unknown): ResumeEntry {
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
    ...defined({ payload }),
    ...(isRecord(metadata) ? { metadata: { ...metadata } } : {}),
  };
}

const LONGEST_UNDO_MS = 60_000;

/** Milliseconds for which the author of an answer can take it back before the run continues. Throws `INPUT_INVALID`. */
export function undoMsOf(body: unknown): number {
  const undoMs = isRecord(body) ? (body['undoMs'] ?? 0) : 0;
  if (typeof undoMs === 'number' && undoMs >= 0 && undoMs <= LONGEST_UNDO_MS) return Math.round(undoMs);
  throw new HoldpointError('INPUT_INVALID', `undoMs is a number of milliseconds up to ${LONGEST_UNDO_MS}.`);
}

/**
 * Rejects an answer that no host can deliver; the interrupt stays listed. A cancellation needs no agent, and the
 * ledger handles closed interrupts. Throws `AGENT_UNKNOWN`.
 */
export function assertGoesOn(
  { agents, options }: HostParts,
  { agent, state }: InterruptRecord,
  { status }: ResumeEntry,
): void {
  const isOpen = OPEN.includes(state) || state === 'answered';
  if (!isOpen || status === 'cancelled' || options.agentsElsewhere === true) return;
  if (agents.resolve(agent) !== undefined) return;
  throw new HoldpointError(
    'AGENT_UNKNOWN',
    `There is no agent ${agent} on this host to continue with the answer; the interrupt can be cancelled.`,
  );
}

const STATUSES: readonly InterruptState[] = [
  'pending',
  'answered',
  'claimed',
  'resolved',
  'cancelled',
  'expired',
];

const ORDERS: readonly InterruptOrder[] = ['oldest', 'newest', 'expiring', 'answered'];

/** The states in which an interrupt can still be answered or changed. */
export const OPEN: readonly InterruptState[] = ['pending', 'expired'];

/** The filter of a list request. Throws `INPUT_INVALID`. */
export function queryOf(query: Readonly<Record<string, string>>): InterruptQuery {
  const { status, agent, reason, thread, tool, askedBy, answeredBy, text } = query;
  const named: readonly string[] = status?.split(',') ?? OPEN;
  const statuses = STATUSES.filter((one) => named.includes(one));
  const wrong = named.find((one) => one !== 'all' && !STATUSES.some((known) => known === one));
  if (wrong !== undefined) {
    throw new HoldpointError('INPUT_INVALID', `Unknown status ${wrong}. Use ${STATUSES.join(', ')}.`);
  }
  const order = ORDERS.find((one) => one === query['order']);
  if (order === undefined && query['order'] !== undefined) {
    throw new HoldpointError('INPUT_INVALID', `The orders are ${ORDERS.join(', ')}.`);
  }
  const expiringBefore = timeOf(query, 'expiringBefore');
  const raisedBefore = timeOf(query, 'raisedBefore');
  return {
    ...(named.includes('all') ? {} : { status: statuses }),
    ...defined({ agent, reason, thread, tool, askedBy, answeredBy }),
    ...(text === undefined || text === '' ? {} : { text }),
    ...defined({ expiringBefore, raisedBefore, order }),
    ...pageOf(query),
  };
}

/** A time of the query, in milliseconds since the epoch. Throws `INPUT_INVALID`. */
function timeOf(query: Readonly<Record<string, string>>, name: string): number | undefined {
  const given = query[name];
  const time = given === undefined ? undefined : Date.parse(given);
  if (time === undefined || !Number.isNaN(time)) return time;
  throw new HoldpointError('INPUT_INVALID', `${name} is a time, such as 2026-01-31T12:00:00Z.`);
}
