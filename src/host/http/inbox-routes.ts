import type { Context, Hono } from 'hono';
import { checkBeyondSchema } from '../../content/interrupts/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import type { InterruptAccess } from '../../ledger/index.ts';
import { askAgain, listQuestions, readHistory, stageAnswer, takeBackAnswer } from '../../ledger/index.ts';
import type { HostParts } from '../host-parts.ts';
import { checkedId } from '../host-parts.ts';
import { renameForeign } from '../runs/foreign-turn.ts';
import type { HostEnv } from './host-env.ts';
import { assertGoesOn, entryOf, undoMsOf } from './inbox-answer.ts';
import { readContext } from './inbox-context.ts';
import { toItem, toPage } from './inbox-item.ts';
import { queryOf } from './inbox-query.ts';
import { liveInbox } from './live-inbox.ts';
import { readJson } from './read-json.ts';
import { threadIdOf } from './thread-routes.ts';

/** Milliseconds; nobody waits longer. */
const CENTURY = 100 * 366 * 24 * 3_600_000;

/** The inbox, across threads: what waits, one question, its history, an answer, asking again, and all of it live. */
export function addInboxRoutes(app: Hono<HostEnv>, parts: HostParts): void {
  const { gate, newId, options } = parts;

  app.get('/interrupts', async (context) => {
    const principal = context.get('principal');
    const access = await gate.checkScope(principal, 'read');
    return context.json(toPage(await listQuestions(access, queryOf(context.req.query())), principal.id));
  });

  app.get('/interrupts/events', async (context) => {
    const access = await gate.checkScope(context.get('principal'), 'read');
    const viewer = context.get('principal').id;
    return liveInbox(parts, access, { query: queryOf(context.req.query()), viewer });
  });

  app.get('/threads/:thread/interrupts/:interrupt', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'read');
    const { thread } = access.key;
    const answering = { action: 'answer' as const, thread, agent: record.agent, interrupt: record };
    const principal = context.get('principal');
    const mayAnswer = await gate.isAllowed(principal, answering);
    return context.json({
      ...toItem(thread, record, principal.id),
      mayAnswer,
      ...(await readContext(access, record)),
    });
  });

  app.get('/threads/:thread/interrupts/:interrupt/history', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'read');
    const entries = await readHistory(access);
    const history = entries.filter(({ interruptId }) => interruptId === record.interrupt.id);
    return context.json({ history });
  });

  app.post('/threads/:thread/interrupts/:interrupt/answer', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'answer');
    const body = await readJson(context.req.raw, { bytes: 256 * 1024, json: options.limits?.json });
    const entry = entryOf(record.interrupt.id, body);
    const undoMs = undoMsOf(body);
    assertGoesOn(parts, record, entry);
    const staged = await stageAnswer(access, {
      entry,
      via: 'inbox',
      undoMs,
      vault: await parts.openVault(),
      rules: (asked, entry) => checkBeyondSchema(asked.interrupt, entry),
    }).catch((error: unknown) => {
      if (HoldpointError.is(error, 'INTERRUPT_CONFLICT')) parts.metrics.claimLost();
      throw error;
    });
    const goesOn = staged.state === 'complete' && (await parts.canGoOn(access.key));
    if (staged.state === 'complete') {
      if (undoMs === 0) parts.ready(access.key);
      else {
        // A sweep takes it as well, here or in another process.
        const timer = setTimeout(() => parts.ready(access.key), undoMs + 20);
        (timer as { unref?: () => void }).unref?.();
      }
    }
    return context.json({ state: goesOn ? 'continued' : 'staged', open: staged.open });
  });

  app.delete('/threads/:thread/interrupts/:interrupt/answer', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'answer');
    await takeBackAnswer(access, record.interrupt.id);
    return context.body(null, 204);
  });

  app.post('/threads/:thread/interrupts/:interrupt/ask-again', async (context) => {
    const { access, record } = await interruptOf(parts, context, 'answer');
    const interruptId = record.interrupt.id;
    const body = await readJson(context.req.raw, { bytes: 4096, json: undefined, optional: true });
    const expiresIn = isRecord(body) ? body['expiresIn'] : undefined;
    if (
      expiresIn !== undefined &&
      !(typeof expiresIn === 'number' && expiresIn > 0 && expiresIn <= CENTURY)
    ) {
      throw new HoldpointError('INPUT_INVALID', 'expiresIn is a number of milliseconds.');
    }
    const timeLeft = expiresIn ?? options.interrupts?.ttlMs;
    const interrupt = await askAgain(access, {
      interruptId,
      newId,
      renameForeign: (turn, newId) => renameForeign(turn, interruptId, newId),
      ...(timeLeft === undefined ? {} : { expiresIn: timeLeft }),
    });
    parts.tell(access.key, (raised) => raised.interrupt.id === interrupt.id);
    return context.json({ interrupt }, 201);
  });
}

/** The interrupt that a request is about. Throws as `checkInterrupt` does. */
async function interruptOf<A extends 'read' | 'answer'>(
  { gate }: HostParts,
  context: Context<HostEnv>,
  action: A,
): Promise<InterruptAccess<A>> {
  const interruptId = checkedId(context.req.param('interrupt') ?? '', 'interrupt id');
  return gate.checkInterrupt(context.get('principal'), action, { thread: threadIdOf(context), interruptId });
}
