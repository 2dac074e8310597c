import type { Context, Hono } from 'hono';
import { checkBeyondSchema } from '../../content/questions/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import { renameQuestion } from '../../engine/index.ts';
import { askAgain, readHistory, stageAnswer } from '../../ledger/index.ts';
import type { Row } from '../../store/index.ts';
import type { HostParts } from '../host-parts.ts';
import { assertAllowed, checkedId } from '../host-parts.ts';
import { renameForeign } from '../runs/foreign-turn.ts';
import type { HostEnv } from './host-env.ts';
import { assertGoesOn, canGoOn, entryOf } from './inbox-answer.ts';
import { recordOf, resourceOf, toItem } from './inbox-item.ts';
import { queryOf } from './inbox-query.ts';
import { listAllowed } from './list-allowed.ts';
import { liveInbox } from './live-inbox.ts';
import { readJson } from './read-json.ts';
import { threadKeyOf, threadOf } from './thread-routes.ts';

/** Milliseconds; nobody waits longer. */
const CENTURY = 100 * 366 * 24 * 3_600_000;

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
      rules: (asked, entry) => checkBeyondSchema(asked.interrupt, entry),
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
    const body = await readJson(context.req.raw, { bytes: 4096, json: undefined, optional: true });
    const expiresIn = isRecord(body) ? body['expiresIn'] : undefined;
    if (
      expiresIn !== undefined &&
      !(typeof expiresIn === 'number' && expiresIn > 0 && expiresIn <= CENTURY)
    ) {
      throw new HoldpointError('INPUT_INVALID', 'expiresIn is a number of milliseconds.');
    }
    const principal = context.get('principal');
    const { mayAnswer, ttlMs } = options.interrupts ?? {};
    const timeLeft = expiresIn ?? ttlMs;
    const interrupt = await askAgain(store, {
      key,
      interruptId: row.key.id,
      principal,
      newId,
      renamed: (turn, asked) =>
        renameForeign(turn, row.key.id, asked.id) ?? renameQuestion(turn, row.key.id, asked),
      mayAnswer,
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
