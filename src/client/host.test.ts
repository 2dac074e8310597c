import { afterEach, describe, expect, it } from 'vitest';
import { EventType } from '../protocol/index.ts';
import { approve, createClient } from './index.ts';
import { APPROVAL, codeOf, EMAIL, interrupted, runOf, text } from './testing-support/events.ts';
import type { Exchange, Served } from './testing-support/serve.ts';
import { frame, serve } from './testing-support/serve.ts';

let served: Served;
afterEach(() => served.close());
const requests = () => served.exchanges.map(({ method, path }) => `${method} ${path}`);
const isRun = ({ path }: Exchange) => path === '/agents/assistant';

describe('stop', () => {
  it('cancels a run on the host and reports the outcome that the host sends', async () => {
    let running: Exchange | undefined;
    served = await serve(async (exchange) => {
      if (isRun(exchange)) {
        running = exchange;
        await exchange.send(runOf(exchange.body, []).slice(0, 1), 1);
        return;
      }
      exchange.json(202, {});
      await running!.send(runOf(running!.body, [], { outcome: { type: 'cancelled' } }).slice(1), 2);
    });
    const client = createClient({ url: served.url });
    const run = client.run({ threadId: 't', messages: 'Go' });
    for await (const _update of run) break;
    await client.stop(run);
    expect((await run.finished).outcome).toBe('cancelled');
    expect(requests()[1]).toBe(`POST /threads/t/runs/${run.runId}/cancel`);
    await client.stop(run);
    expect(served.exchanges).toHaveLength(2);
  });

  it('cancels a run in the client when the server has no cancel route', async () => {
    served = await serve(async (exchange) => {
      if (!isRun(exchange)) return exchange.json(404, {});
      await exchange.send(runOf(exchange.body, text('a')).slice(0, 3));
    });
    const client = createClient({ url: served.url });
    const run = client.run({ threadId: 't', messages: 'Go' });
    for await (const { contents } of run) if (contents.length > 0) break;
    await client.stop(run);
    expect(await run.finished).toMatchObject({
      outcome: 'cancelled',
      messages: [{ content: 'Go' }, { content: 'a' }],
    });
    expect(client.thread('t').getSnapshot().status).toBe('idle');
  });
});

describe('watch', () => {
  it('yields the runs of others, resumes after a break, and applies an event of an own run once', async () => {
    const runs = [
      ...runOf({ threadId: 't', runId: 'r1' }, text('a')),
      ...runOf({ threadId: 't', runId: 'r2' }, [], interrupted(EMAIL)),
    ];
    served = await serve(async (exchange) => {
      const from = Number(exchange.headers['last-event-id'] ?? 0);
      await exchange.send(runs.slice(from, from + 3), from + 1);
      if (from + 3 < runs.length) exchange.cut();
    });
    const client = createClient({ url: served.url, retry: { baseDelayMs: 0 } });
    const types: string[] = [];
    for await (const { event, contents } of client.watch('t')) {
      types.push(event.type);
      if (contents.some(({ type }) => type === 'userInputRequest')) break;
    }
    expect(types).toEqual(runs.map(({ type }) => type));
    expect(client.thread('t').getSnapshot()).toMatchObject({
      status: 'interrupted',
      messages: [{ content: 'a' }],
      interrupts: [EMAIL],
    });
    expect(served.exchanges.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '3', '6']);
  });

  it('resumes a thread at its last id, and accepts a repeated snapshot', async () => {
    const shown = [[EMAIL, APPROVAL], [EMAIL]];
    served = await serve(async (exchange) => {
      if (!exchange.path.endsWith('/connect'))
        return exchange.send(runOf({ threadId: 't', runId: 'r' }, []), 8);
      const [started, finished] = runOf(exchange.body, [], interrupted(...shown.shift()!));
      await exchange.write(frame(started, 7) + frame(finished, 7));
      exchange.end();
    });
    const client = createClient({ url: served.url });
    expect((await client.connect('t').finished).interrupts).toHaveLength(2);
    await client.connect('t').finished;
    expect(client.thread('t').getSnapshot().interrupts).toEqual([EMAIL]);
    for await (const { event } of client.watch('t')) if (event.type === 'RUN_FINISHED') break;
    expect(served.exchanges.at(-1)!.headers['last-event-id']).toBe('7');
    expect(client.thread('t').getSnapshot().interrupts).toEqual([]);
  });

  it('applies an event once when the watch and an own run both bring it', async () => {
    let watched = (_exchange: Exchange) => {};
    const watching = new Promise<Exchange>((resolve) => {
      watched = resolve;
    });
    served = await serve(async (exchange) => {
      if (!isRun(exchange)) {
        await exchange.write(': hello\n\n');
        watched(exchange);
        return;
      }
      const watcher = await watching;
      const events = runOf(exchange.body, text('a', 'b'));
      await watcher.send(events.slice(0, 3), 1);
      await exchange.send(events, 1);
      await watcher.send(events.slice(3), 4);
    });
    const client = createClient({ url: served.url });
    const leaving = new AbortController();
    const seen: string[] = [];
    const done = (async () => {
      for await (const { event } of client.watch('t', { signal: leaving.signal })) {
        seen.push(event.type);
        if (event.type === 'RUN_FINISHED') leaving.abort();
      }
    })();
    await watching;
    const { messages } = await client.run({ threadId: 't', messages: 'Hi' }).finished;
    await done;
    expect(messages.map(({ content }) => content)).toEqual(['Hi', 'ab']);
    expect(seen).toHaveLength(6);
  });

  it('loads the whole thread again when an own run arrives before older events', async () => {
    const asIs = (messages: readonly object[], place: number) => {
      const [started, finished] = runOf({ threadId: 't', runId: `look-${place}` }, []);
      return frame(started) + frame({ type: 'MESSAGES_SNAPSHOT', messages }) + frame(finished, place);
    };
    const earlier = { id: 'm0', role: 'assistant', content: 'Before.' };
    const between = runOf({ threadId: 't', runId: 'theirs' }, text('Theirs.'));
    let ran = (_events: ReturnType<typeof runOf>) => {};
    const own = new Promise<ReturnType<typeof runOf>>((resolve) => {
      ran = resolve;
    });
    served = await serve(async (exchange, index) => {
      if (isRun(exchange)) {
        const events = runOf(exchange.body, [
          { type: EventType.TEXT_MESSAGE_START, messageId: 'm2', role: 'assistant' },
          { type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm2', delta: 'Ours.' },
          { type: EventType.TEXT_MESSAGE_END, messageId: 'm2' },
        ]);
        await exchange.send(events, 11);
        exchange.end();
        return ran(events);
      }
      const events = await own;
      if (index <= 1) {
        await exchange.write(asIs([earlier], 5));
        return exchange.send([...between, ...events], 6);
      }
      const [said] = served.exchanges.find(isRun)!.body.messages;
      const theirs = { id: 'm1', role: 'assistant', content: 'Theirs.' };
      const ours = { id: 'm2', role: 'assistant', content: 'Ours.' };
      await exchange.write(asIs([earlier, theirs, said!, ours], 15));
    });
    const client = createClient({ url: served.url, retry: { baseDelayMs: 0 } });
    const leaving = new AbortController();
    const watched = (async () => {
      for await (const _update of client.watch('t', { signal: leaving.signal }));
    })();
    await client.run({ threadId: 't', messages: 'Hi' }).finished;
    const shown = () => client.thread('t').getSnapshot();
    await expect
      .poll(() => shown().messages.map(({ content }) => content))
      .toEqual(['Before.', 'Theirs.', 'Hi', 'Ours.']);
    expect(shown().status).toBe('idle');
    leaving.abort();
    await watched;
    expect(served.exchanges.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });

  it('rejects with the code of the host, and with INPUT_INVALID without a base', async () => {
    served = await serve(({ json }) => json(403, { error: { code: 'FORBIDDEN', message: 'Not yours.' } }));
    const watch = async (url: string) => {
      for await (const _update of createClient({ url }).watch('t')) break;
    };
    expect(await codeOf(watch(served.url))).toBe('FORBIDDEN');
    expect(await codeOf(watch(`${served.origin}/run`))).toBe('INPUT_INVALID');
  });
});

describe('inbox', () => {
  it('lists, gets, answers and asks again through the routes of the host', async () => {
    const item = { threadId: 'a/b', interrupt: APPROVAL, status: 'pending' };
    served = await serve(({ path, json }) => {
      if (path.startsWith('/interrupts?')) return json(200, { interrupts: [item], next: 'c2' });
      if (path.endsWith('/history')) return json(200, { history: [{ what: 'raised' }] });
      if (path.endsWith('/answer')) return json(200, { state: 'staged' });
      if (path.endsWith('/ask-again')) return json(200, { interrupt: { ...APPROVAL, id: 'q9' } });
      return json(200, item);
    });
    const { inbox } = createClient({ url: `${served.url}/chat/stream` });
    const page = await inbox.list({ status: 'pending', limit: 5 });
    expect(page).toEqual({ interrupts: [item], next: 'c2' });
    expect(await inbox.get('a/b', 'q1')).toEqual(item);
    expect(await inbox.history('a/b', 'q1')).toEqual([{ what: 'raised' }]);
    expect(await inbox.answer('a/b', approve(page.interrupts[0]!))).toEqual({ state: 'staged' });
    await inbox.askAgain('a/b', 'q1');
    expect(requests()).toEqual([
      'GET /interrupts?status=pending&limit=5',
      'GET /threads/a%2Fb/interrupts/q1',
      'GET /threads/a%2Fb/interrupts/q1/history',
      'POST /threads/a%2Fb/interrupts/q1/answer',
      'POST /threads/a%2Fb/interrupts/q1/ask-again',
    ]);
    expect(served.exchanges[3]!.body).toEqual({ status: 'resolved', payload: { approved: true } });
  });

  it('rejects with the code of the host', async () => {
    served = await serve(({ json }) =>
      json(409, { error: { code: 'INTERRUPT_CONFLICT', message: 'Answered.', by: 'ann', at: 5 } }),
    );
    const { inbox } = createClient({ url: served.url });
    await expect(inbox.answer('t', approve(APPROVAL))).rejects.toMatchObject({
      code: 'INTERRUPT_CONFLICT',
      details: { by: 'ann', at: 5 },
    });
  });

  it('yields live changes and resumes after the last id', async () => {
    served = await serve(async (exchange, index) => {
      await exchange.send([{ n: index * 2 }, { n: index * 2 + 1 }], index * 2 + 1);
      exchange.cut();
    });
    const client = createClient({ url: served.url, retry: { baseDelayMs: 0 } });
    const seen: unknown[] = [];
    for await (const { n } of client.inbox.watch()) {
      seen.push(n);
      if (seen.length === 4) break;
    }
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(served.exchanges.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2']);
  });
});
