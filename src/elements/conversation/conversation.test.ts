import { afterEach, describe, expect, it } from 'vitest';
import { answer, approve, createClient } from '../../client/index.ts';
import { APPROVAL, EMAIL, interrupted, runOf, text } from '../../client/testing-support/events.ts';
import type { Served } from '../../client/testing-support/serve.ts';
import { serve } from '../../client/testing-support/serve.ts';
import type { Conversation } from './conversation.ts';
import { createConversation } from './create-conversation.ts';
import { stubPage } from '../testing-support/stub-page.ts';

let served: Served;
let conversation: Conversation;
stubPage();
afterEach(async () => {
  conversation.close();
  await served.close();
});

/** A conversation with one open interrupt; the host reports `status` when the client looks it up. */
async function openConversation(status: string, looked = Promise.resolve()): Promise<void> {
  served = await serve(async (exchange) => {
    if (exchange.path.endsWith('/interrupts/q1')) {
      const answer = { by: 'Ann', status: 'resolved', payload: { approved: true } };
      const item = { threadId: 't', status, interrupt: APPROVAL };
      return exchange.json(200, status === 'pending' ? item : { ...item, answer });
    }
    if (exchange.body.resume !== undefined) {
      await exchange.send(runOf(exchange.body, text('Sent.')), 3);
      return exchange.end();
    }
    const isOver = exchange.path.endsWith('/connect') && status !== 'pending';
    if (isOver) await looked;
    const open = isOver ? [EMAIL] : [APPROVAL, EMAIL];
    await exchange.send(runOf({ threadId: 't', runId: 'r1' }, [], interrupted(...open)), 1);
    if (!exchange.path.includes('/events')) exchange.end();
  });
  conversation = createConversation(createClient({ url: served.url }), 't');
  conversation.open();
  await expect.poll(() => states()).toEqual(['open', 'open']);
  await expect.poll(() => conversation.getSnapshot().isReady).toBe(true);
}

/** The same, but the thread is not read again before the given function is called. */
async function openHeldConversation(status: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await openConversation(status, held);
  return release;
}

/** A storage like that of a browser, and what it holds. */
function browserMemory() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  return { kept, storage };
}

const sent = () => served.exchanges.flatMap(({ body }) => body.resume ?? []);
const states = () => conversation.getSnapshot().cards.map(({ status }) => status.state);

describe('a conversation whose interrupt is missing from the inbox list', () => {
  it('keeps an interrupt open when the host still says pending', async () => {
    await openConversation('pending');
    await conversation.seen([{ threadId: 't', interrupt: EMAIL }]);
    expect(states()).toEqual(['open', 'open']);
  });

  it('shows who answered an interrupt that the host says is closed', async () => {
    await openConversation('resolved');
    await conversation.seen([{ threadId: 't', interrupt: EMAIL }]);
    expect(conversation.getSnapshot().cards).toMatchObject([
      { interrupt: APPROVAL, status: { state: 'answered', answered: { by: 'Ann' } } },
      { interrupt: EMAIL, status: { state: 'open' } },
    ]);
  });
});

it('a conversation that the host does not show says so, until it does', async () => {
  let isShown = false;
  served = await serve(async (exchange) => {
    if (!isShown) return exchange.json(404, { error: { code: 'THREAD_UNKNOWN', message: 'No thread t.' } });
    await exchange.send(runOf({ threadId: 't', runId: 'r1' }, text('Hello.')), 1);
  });
  conversation = createConversation(createClient({ url: served.url }), 't');
  conversation.open();
  const state = () => [conversation.getSnapshot().isUnknown, conversation.getSnapshot().isReady];
  await expect.poll(state).toEqual([true, false]);
  isShown = true;
  await expect.poll(state, { timeout: 5000 }).toEqual([false, true]);
});

it('sends two messages that were entered while the thread is loaded one after the other', async () => {
  let show = () => {};
  const shown = new Promise<void>((resolve) => {
    show = resolve;
  });
  served = await serve(async (exchange) => {
    const isRun = exchange.path.endsWith('/agents/assistant');
    if (!isRun) await shown;
    await exchange.send(runOf(isRun ? exchange.body : { threadId: 't', runId: 'r1' }, text('Yes.')), 1);
    if (isRun) exchange.end();
  });
  conversation = createConversation(createClient({ url: served.url }), 't');
  conversation.open();
  const both = [conversation.say('one'), conversation.say('two')];
  expect(conversation.getSnapshot()).toMatchObject({ isLoading: true, isBusy: true });
  show();
  await Promise.all(both);
  expect(conversation.getSnapshot()).toMatchObject({ isLoading: false, isBusy: false, trouble: undefined });
  const messages = served.exchanges.flatMap(({ path, body }) =>
    path.endsWith('/agents/assistant') ? [body.messages.at(-1)?.content] : [],
  );
  expect(messages).toEqual(['one', 'two']);
});

it('sends a message again that came while the host was at work on the thread', async () => {
  let conflicts = 1;
  served = await serve(async (exchange) => {
    const isRun = exchange.path.endsWith('/agents/assistant');
    if (isRun && conflicts > 0) {
      conflicts -= 1;
      return exchange.json(409, { error: { code: 'RUN_CONFLICT', message: 'A run is active.' } });
    }
    await exchange.send(runOf(isRun ? exchange.body : { threadId: 't', runId: 'r1' }, []), 1);
    if (isRun) exchange.end();
  });
  conversation = createConversation(createClient({ url: served.url }), 't');
  conversation.open();
  await conversation.say('one');
  expect(conversation.getSnapshot()).toMatchObject({ trouble: undefined, messages: [{ content: 'one' }] });
  const messages = served.exchanges.flatMap(({ path, body }) =>
    path.endsWith('/agents/assistant') ? [body.messages.map(({ content }) => content)] : [],
  );
  expect(messages).toEqual([['one'], ['one']]);
});

it('an interrupt that this browser kept is not shown before the thread is read', async () => {
  const { kept, storage } = browserMemory();
  let isAnswered = false;
  let read = () => {};
  const held = new Promise<void>((resolve) => {
    read = resolve;
  });
  served = await serve(async (exchange) => {
    if (isAnswered) await held;
    const run = { threadId: 't', runId: 'r1' };
    await exchange.send(isAnswered ? runOf(run, text('Done.')) : runOf(run, [], interrupted(APPROVAL)), 1);
  });
  conversation = createConversation(createClient({ url: served.url, storage }), 't');
  conversation.open();
  await expect.poll(() => states()).toEqual(['open']);
  await expect.poll(() => kept.size).toBe(1);
  conversation.close();
  isAnswered = true;
  const client = createClient({ url: served.url, storage });
  conversation = createConversation(client, 't');
  conversation.open();
  await expect.poll(() => client.thread('t').getSnapshot().interrupts).toHaveLength(1);
  expect(states()).toEqual([]);
  read();
  await expect.poll(() => conversation.getSnapshot().isReady).toBe(true);
  expect(states()).toEqual([]);
});

it('an interrupt that this browser kept is not shown when the host does not show the thread', async () => {
  const { kept, storage } = browserMemory();
  let isHidden = false;
  served = await serve(async (exchange) => {
    if (isHidden) return exchange.json(404, { error: { code: 'THREAD_UNKNOWN', message: 'No thread t.' } });
    await exchange.send(runOf({ threadId: 't', runId: 'r1' }, [], interrupted(APPROVAL)), 1);
  });
  conversation = createConversation(createClient({ url: served.url, storage }), 't');
  conversation.open();
  await expect.poll(() => kept.size).toBe(1);
  conversation.close();
  isHidden = true;
  const client = createClient({ url: served.url, storage });
  conversation = createConversation(client, 't');
  conversation.open();
  await expect.poll(() => conversation.getSnapshot().isUnknown).toBe(true);
  expect(client.thread('t').getSnapshot().interrupts).toHaveLength(1);
  expect([states(), conversation.getSnapshot().interrupts]).toEqual([[], []]);
});

it('reads the records again after the host could not be reached', async () => {
  let isReachable = false;
  const item = {
    threadId: 't',
    status: 'resolved',
    interrupt: APPROVAL,
    answer: { by: 'Ann', status: 'resolved', payload: { approved: true } },
  };
  let lists = 0;
  served = await serve(async (exchange) => {
    const isList = exchange.path.startsWith('/interrupts');
    if (isList) lists += 1;
    // The first list comes before the interrupt; then the host is gone.
    if (isList && lists === 1) return exchange.json(200, { interrupts: [] });
    if (exchange.path.includes('/interrupts') && !isReachable) return exchange.cut();
    if (isList) return exchange.json(200, { interrupts: [item] });
    await exchange.send(runOf({ threadId: 't', runId: 'r1' }, [], interrupted(APPROVAL)), 1);
  });
  conversation = createConversation(createClient({ url: served.url }), 't');
  conversation.open();
  const looks = () => served.exchanges.filter(({ path }) => path.endsWith('/interrupts/q1')).length;
  await expect.poll(looks).toBeGreaterThan(0);
  isReachable = true;
  await expect
    .poll(() => conversation.getSnapshot().records.map(({ answered }) => answered?.by), { timeout: 10_000 })
    .toEqual(['Ann']);
});

it('a card that a person closed does not come back when the thread is read anew', async () => {
  const look = await openHeldConversation('resolved');
  const seen = conversation.seen([{ threadId: 't', interrupt: EMAIL }]);
  await expect.poll(() => states()).toEqual(['answered', 'open']);
  conversation.dismiss(APPROVAL.id);
  expect(states()).toEqual(['open']);
  look();
  await seen;
  // Until its record is read again, which used to bring the card back.
  const looks = () => served.exchanges.filter(({ path }) => path.endsWith('/interrupts/q1')).length;
  await expect.poll(looks).toBeGreaterThan(2);
  await expect.poll(() => conversation.getSnapshot().isBusy).toBe(false);
  expect(conversation.getSnapshot().cards).toMatchObject([{ interrupt: EMAIL, status: { state: 'open' } }]);
});

describe('a staged answer that waits for an interrupt answered elsewhere', () => {
  const entry = answer(EMAIL, 'a@b.com');

  it('sends the staged answer when the inbox reports the other interrupt answered', async () => {
    await openConversation('resolved');
    await conversation.answer(entry);
    expect(states()).toEqual(['open', 'staged']);
    await conversation.seen([{ threadId: 't', interrupt: EMAIL }]);
    expect(sent()).toEqual([entry]);
    expect(conversation.getSnapshot().messages).toMatchObject([{ content: 'Sent.' }]);
  });

  it('sends an answer that is staged while the thread is being looked up', async () => {
    const look = await openHeldConversation('resolved');
    const seen = conversation.seen([{ threadId: 't', interrupt: EMAIL }]);
    await expect.poll(() => conversation.getSnapshot().isBusy).toBe(true);
    const answering = conversation.answer(entry);
    await expect.poll(() => states()).toEqual(['answered', 'staged']);
    look();
    await Promise.all([seen, answering]);
    expect(sent()).toEqual([entry]);
  });
});

describe('an answer that the server did not confirm before the page was left', () => {
  it('an answer that the server did not confirm before the page was left is shown with Retry after a reload, and Retry sends it', async () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
    served = await serve(async (exchange) => {
      const events =
        exchange.body.resume === undefined
          ? runOf({ threadId: 't', runId: 'r1' }, [], interrupted(EMAIL))
          : runOf(exchange.body, text('Sent.'));
      await exchange.send(events, 1);
      if (!exchange.path.includes('/events')) exchange.end();
    });
    const entry = answer(EMAIL, 'a@b.com');
    const before = createClient({ url: served.url, storage });
    await before.connect('t').finished;
    await before.stage({ threadId: 't' }, [entry]);
    conversation = createConversation(createClient({ url: served.url, storage }), 't');
    conversation.open();
    await expect.poll(() => states()).toEqual(['failed']);
    await conversation.retry(EMAIL.id);
    expect(sent()).toEqual([entry]);
    expect(conversation.getSnapshot().messages).toMatchObject([{ content: 'Sent.' }]);
  });
});

describe('an answer that did not reach the host', () => {
  const UNAVAILABLE = { error: { code: 'UNAVAILABLE', message: 'The host restarts.' } };

  /** The host is away for the answer and for so many looks after it. Then it has the interrupt in this state. */
  async function answerUnreached(awayLooks: number, record: object): Promise<void> {
    let looks = 0;
    let isAway = false;
    served = await serve(async (exchange) => {
      isAway ||= exchange.body.resume !== undefined;
      const isRecord = exchange.path.endsWith('/interrupts/q1');
      if (isRecord && isAway) looks += 1;
      if (isAway && looks <= awayLooks) return exchange.json(503, UNAVAILABLE);
      if (isRecord)
        return exchange.json(200, {
          threadId: 't',
          status: 'pending',
          interrupt: APPROVAL,
          ...(isAway ? record : {}),
        });
      await exchange.send(runOf({ threadId: 't', runId: 'r1' }, [], interrupted(APPROVAL)), 1);
      if (!exchange.path.includes('/events')) exchange.end();
    });
    // The client gives up at once.
    conversation = createConversation(createClient({ url: served.url, retry: { attempts: 0 } }), 't');
    conversation.open();
    await expect.poll(() => conversation.getSnapshot().isReady).toBe(true);
    await conversation.answer(approve(APPROVAL));
    expect(states()).toEqual(['failed']);
  }

  it('says that the host can be reached again', async () => {
    await answerUnreached(1, { status: 'pending' });
    const statuses = () => conversation.getSnapshot().cards.map(({ status }) => status);
    await expect.poll(statuses, { timeout: 5000 }).toMatchObject([{ state: 'failed', isReachable: true }]);
  });

  it('shows who decided meanwhile', async () => {
    const payload = { approved: false };
    await answerUnreached(0, { status: 'resolved', answer: { by: 'Bob', status: 'resolved', payload } });
    const statuses = () => conversation.getSnapshot().cards.map(({ status }) => status);
    await expect
      .poll(statuses, { timeout: 5000 })
      .toMatchObject([{ state: 'lost', answered: { by: 'Bob' }, yours: { payload: { approved: true } } }]);
  });
});

describe('a request of the viewer that waits for another person', () => {
  /** The host answers a withdrawal with this status, after so many failures. */
  async function openWaiting(status: 200 | 409, failures = 0): Promise<void> {
    let isOver = false;
    let withdrawals = 0;
    const item = { threadId: 't', interrupt: APPROVAL, approvers: { roles: ['finance'] } };
    served = await serve(async (exchange) => {
      if (exchange.path.endsWith('/withdraw')) {
        withdrawals += 1;
        if (withdrawals <= failures)
          return exchange.json(503, { error: { code: 'UNAVAILABLE', message: 'The host restarts.' } });
        isOver = true;
        return status === 200
          ? exchange.json(200, { state: 'continued', open: [] })
          : exchange.json(409, { error: { code: 'INTERRUPT_CONFLICT', message: 'Too late.' } });
      }
      if (exchange.path.includes('/interrupts/q1')) {
        const answer =
          status === 200
            ? { by: 'Ann', status: 'cancelled', withdrawn: true }
            : { by: 'Bob', status: 'resolved', payload: { approved: true } };
        const rights = { mayAnswer: false, mayWithdraw: !isOver };
        return exchange.json(200, {
          ...item,
          ...rights,
          ...(isOver ? { status: 'cancelled', answer } : { status: 'pending' }),
        });
      }
      const open = isOver ? undefined : interrupted(APPROVAL);
      await exchange.send(runOf({ threadId: 't', runId: 'r1' }, [], open), 1);
      if (!exchange.path.includes('/events')) exchange.end();
    });
    conversation = createConversation(createClient({ url: served.url, retry: { attempts: 0 } }), 't');
    conversation.open();
    await expect.poll(() => states()).toEqual(['open']);
    const record = () => conversation.getSnapshot().records[0];
    await expect.poll(() => record()?.waitingFor).toBe('finance');
    expect(record()?.mayWithdraw).toBe(true);
  }

  it('leaves the screen when it is withdrawn, and its record says so', async () => {
    await openWaiting(200);
    await conversation.withdraw('q1');
    expect(states()).toEqual([]);
    expect(conversation.getSnapshot().records).toMatchObject([
      { answered: { by: 'Ann', withdrawn: true }, mayWithdraw: false },
    ]);
  });

  it('can be withdrawn again after a failure', async () => {
    await openWaiting(200, 1);
    await conversation.withdraw('q1');
    expect(states()).toEqual(['failed']);
    await conversation.retry('q1');
    expect(states()).toEqual([]);
    expect(conversation.getSnapshot().records).toMatchObject([{ answered: { withdrawn: true } }]);
  });

  it('shows who answered when the withdrawal comes too late', async () => {
    await openWaiting(409);
    await conversation.withdraw('q1');
    expect(conversation.getSnapshot().cards).toMatchObject([
      { status: { state: 'lost', answered: { by: 'Bob', payload: { approved: true } } } },
    ]);
  });
});

describe('a conversation whose id a deleted thread had', () => {
  it('has no record of a decided interrupt of the deleted thread', async () => {
    const answer = { by: 'Ann', status: 'resolved', payload: { approved: true } };
    const old = { threadId: 't', status: 'resolved', interrupt: APPROVAL, answer };
    const threadDeleted = { by: 'Ann', at: '2026-01-31T12:00:00.000Z' };
    served = await serve(async (exchange) => {
      if (exchange.path.includes('/interrupts'))
        return exchange.json(200, {
          interrupts: [
            { ...old, threadDeleted },
            { ...old, interrupt: EMAIL },
          ],
        });
      await exchange.send(runOf({ threadId: 't', runId: 'r1' }, []), 1);
      if (!exchange.path.includes('/events')) exchange.end();
    });
    conversation = createConversation(createClient({ url: served.url }), 't');
    conversation.open();
    await expect.poll(() => conversation.getSnapshot().records).toMatchObject([{ interrupt: EMAIL }]);
  });
});

describe('a conversation in front of an AG-UI server that is no host', () => {
  const requests = () => served.exchanges.map(({ method, path }) => `${method} ${path}`);

  /** A server with runs, `status` for every other route, and `/connect` if `shows` is set. */
  async function plainServer({ shows = false, status = 404 } = {}) {
    served = await serve(async (exchange) => {
      if (exchange.path !== '/agents/assistant' && !(shows && exchange.path.endsWith('/connect'))) {
        exchange.response.writeHead(status).end('no such page');
        return;
      }
      const isConnect = exchange.path.endsWith('/connect');
      await exchange.send(
        isConnect
          ? runOf(exchange.body, text('Hello again.'), interrupted(APPROVAL))
          : runOf(exchange.body, text('Hello.')),
      );
      exchange.end();
    });
  }

  it.each([404, 405])('sends a message at once and asks for a missing route with %i once', async (status) => {
    await plainServer({ status });
    const client = createClient({ url: served.url });
    conversation = createConversation(client, 'new', { isNew: true });
    conversation.open();
    await conversation.say('Hi');
    expect(conversation.getSnapshot()).toMatchObject({ isReady: true, isLoading: false, trouble: undefined });
    expect(conversation.getSnapshot().messages.map(({ content }) => content)).toEqual(['Hi', 'Hello.']);
    const before = requests();
    expect(before.filter((one) => one === 'POST /agents/assistant')).toHaveLength(1);
    expect(before.filter((one) => one.endsWith('/events'))).toHaveLength(1);
    conversation.close();
    // The client remembers that the server has no such routes.
    conversation = createConversation(client, 'other', { isNew: true });
    conversation.open();
    await conversation.say('Hi');
    expect(requests().slice(before.length)).toEqual(['POST /agents/assistant']);
  });

  it('shows the last conversation where the server can show it', async () => {
    await plainServer({ shows: true });
    conversation = createConversation(createClient({ url: served.url }), 't');
    conversation.open();
    await expect.poll(() => conversation.getSnapshot().isReady).toBe(true);
    const { messages } = conversation.getSnapshot();
    expect([messages.at(-1)?.content, states()]).toEqual(['Hello again.', ['open']]);
  });

  it('is ready without the route connect, also at an address that names no agent', async () => {
    await plainServer();
    conversation = createConversation(createClient({ url: `${served.origin}/api` }), 't');
    conversation.open();
    await expect.poll(() => conversation.getSnapshot().isReady).toBe(true);
    expect(requests()).toEqual(['POST /api/connect']);
  });
});
