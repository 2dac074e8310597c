import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { ClientOptions } from './index.ts';
import type { HoldpointError } from './index.ts';
import { createClient } from './index.ts';
import { codeOf, interrupted, runOf, text } from './testing-support/events.ts';
import type { Exchange, Handler, Served } from './testing-support/serve.ts';
import { frame, serve } from './testing-support/serve.ts';

let served: Served;
const start = async (handler: Handler, options: Partial<ClientOptions> = {}) => {
  served = await serve(handler);
  return createClient({ url: served.url, retry: { baseDelay: 1, maxDelay: 2 }, ...options });
};
afterEach(() => served.close());

const isEvents = ({ path }: Exchange) => path.endsWith('/events');
const requests = () => served.exchanges.map(({ method, path }) => `${method} ${path}`);
const lastIds = () => served.exchanges.filter(isEvents).map(({ headers }) => headers['last-event-id']);

describe('a server that truncates', () => {
  it.each<readonly [string, (events: readonly AgentStreamEvent[]) => string]>([
    ['before anything', () => ''],
    [
      'before the end',
      (events) =>
        events
          .slice(0, -1)
          .map((event) => frame(event))
          .join(''),
    ],
    [
      'in the middle of a frame',
      (events) =>
        events
          .map((event) => frame(event))
          .join('')
          .slice(0, -30),
    ],
  ])('%s is an error, never a success', async (_where, cut) => {
    const client = await start(({ body, write, end }) => write(cut(runOf(body, text('é', 'ü')))).then(end));
    expect(await codeOf(client.run({ threadId: 't' }).finished)).toBe('RUN_LOST');
    expect(client.thread('t').getSnapshot().status).toBe('failed');
    expect(served.exchanges).toHaveLength(1);
  });

  it('by breaking the connection is an error too', async () => {
    const client = await start(async ({ body, send, cut }) => {
      await send(runOf(body, text('a')).slice(0, 3));
      cut();
    });
    expect(await codeOf(client.run({}).finished)).toBe('RUN_LOST');
  });

  it('is forgiven the blank line behind the last frame', async () => {
    const client = await start(({ body, write, end }) =>
      write(
        runOf(body, text('a'))
          .map((event) => frame(event))
          .join('')
          .trimEnd(),
      ).then(end),
    );
    expect((await client.run({}).finished).outcome).toBe('success');
  });
});

describe('a stream that breaks and can be taken up', () => {
  it('goes on behind the last id, without a repeat or a gap, as often as it gets on', async () => {
    let events: AgentStreamEvent[] = [];
    const client = await start(
      async (exchange) => {
        if (!isEvents(exchange)) {
          events = runOf(
            exchange.body,
            text('a', 'b', 'c'),
            interrupted({ id: 'q', reason: 'confirmation' }),
          );
          await exchange.send(events.slice(0, 3), 10);
          exchange.cut();
        } else if (exchange.headers['last-event-id'] === '12') {
          await exchange.send(events.slice(3, 5), 13);
          exchange.end();
        } else {
          await exchange.send(events.slice(5), 15);
        }
      },
      { retry: { attempts: 1, baseDelay: 0 } },
    );
    const said: string[] = [];
    const run = client.run({ threadId: 'a/b' });
    for await (const { contents } of run) {
      for (const part of contents) if (part.type === 'text') said.push(part.text);
    }
    expect(said).toEqual(['a', 'b', 'c']);
    expect(await run.finished).toMatchObject({ outcome: 'interrupt', messages: [{ content: 'abc' }] });
    expect(requests()).toEqual([
      'POST /agents/assistant',
      'GET /threads/a%2Fb/events',
      'GET /threads/a%2Fb/events',
    ]);
    expect(lastIds()).toEqual(['12', '14']);
  });

  it('shows every event once, wherever it is cut and however far back the server begins again', async () => {
    const cuts = fc.array(fc.record({ bytes: fc.nat(400), back: fc.nat(5), twice: fc.boolean() }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(cuts, async (connections) => {
        let frames: string[] = [];
        let next = 0;
        const client = await start(
          async (exchange) => {
            if (!isEvents(exchange)) {
              frames = runOf(exchange.body, text('é', 'b', 'c', 'd')).map((event, index) =>
                frame(event, index + 1),
              );
            }
            const { bytes, back, twice } = connections[next] ?? { bytes: Infinity, back: 0, twice: false };
            next += 1;
            const from = Math.max(0, Number(exchange.headers['last-event-id'] ?? 0) - back);
            const whole = Buffer.from(
              frames
                .slice(from)
                .map((one) => (twice ? one + one : one))
                .join(''),
            );
            // Enough for one new frame, so that the client gets on.
            const least = frames.slice(from, from + back + 1).join('').length * (twice ? 2 : 1) + 4;
            exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
            exchange.response.write(whole.subarray(0, Math.max(bytes, least)), () => exchange.cut());
          },
          { retry: { baseDelay: 0, attempts: 8 } },
        );
        const seen: string[] = [];
        const run = client.run({ threadId: 't' });
        for await (const { rawRepresentation: event } of run) {
          seen.push(event.type === EventType.TEXT_MESSAGE_CONTENT ? event.delta : event.type);
        }
        await served.close();
        expect(seen).toEqual([
          'RUN_STARTED',
          'TEXT_MESSAGE_START',
          'é',
          'b',
          'c',
          'd',
          'TEXT_MESSAGE_END',
          'RUN_FINISHED',
        ]);
      }),
      { numRuns: runs(15) },
    );
    served = await serve(() => undefined);
  });

  it('is given up after as many attempts as are allowed without a new event', async () => {
    const client = await start(
      async (exchange) => {
        if (isEvents(exchange)) return exchange.json(503, {});
        await exchange.send(runOf(exchange.body, []).slice(0, 1), 1);
        exchange.cut();
      },
      { retry: { attempts: 4, baseDelay: 0 } },
    );
    const error = await client.run({}).finished.catch((failure: unknown) => failure as HoldpointError);
    expect(error).toMatchObject({ code: 'RUN_LOST', cause: { code: 'INTERNAL' } });
    expect(served.exchanges.filter(isEvents)).toHaveLength(4);
  });

  it('does not insist where the server says no', async () => {
    const client = await start(async (exchange) => {
      if (isEvents(exchange))
        return exchange.json(404, { error: { code: 'THREAD_UNKNOWN', message: 'No.' } });
      await exchange.send(runOf(exchange.body, []).slice(0, 1), 1);
      exchange.cut();
    });
    const error = await client.run({}).finished.catch((failure: unknown) => failure as HoldpointError);
    expect(error).toMatchObject({ code: 'RUN_LOST', cause: { code: 'THREAD_UNKNOWN' } });
    expect(served.exchanges.filter(isEvents)).toHaveLength(1);
  });

  it('is not asked for again by a page that answers everything with HTML', async () => {
    const client = await start(async (exchange) => {
      if (isEvents(exchange)) {
        exchange.response.writeHead(200, { 'content-type': 'text/html' });
        exchange.response.end('<html></html>');
        return;
      }
      await exchange.send(runOf(exchange.body, []).slice(0, 1), 1);
      exchange.cut();
    });
    expect(await codeOf(client.run({}).finished)).toBe('RUN_LOST');
    expect(served.exchanges.filter(isEvents)).toHaveLength(1);
  });

  it('is not taken up where the URL does not tell where the threads are', async () => {
    served = await serve(async ({ body, send, cut }) => {
      await send(runOf(body, []).slice(0, 1), 1);
      cut();
    });
    expect(await codeOf(createClient({ url: `${served.origin}/run` }).run({}).finished)).toBe('RUN_LOST');
    expect(served.exchanges).toHaveLength(1);
  });
});

describe('a server that duplicates', () => {
  it('a numbered frame shows it once; frames that share an id and differ are all shown', async () => {
    const client = await start(async ({ body, write }) => {
      const [started, opened, first, second, ...rest] = runOf(body, text('a', 'b'));
      const frames = [
        frame(started, 1),
        frame(opened, 2),
        frame(first, 3),
        frame(second, 3),
        frame(first, 3),
      ];
      await write([...frames, ...frames, ...rest.map((event, index) => frame(event, 4 + index))].join(''));
    });
    expect((await client.run({}).finished).messages).toMatchObject([{ content: 'ab' }]);
  });

  it('an unnumbered start is a protocol error, not a second message', async () => {
    const client = await start(async ({ body, send }) => {
      const [started, opened] = runOf(body, text('a'));
      await send([started, opened, opened]);
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });

  it('the end of a run is read once', async () => {
    const client = await start(async ({ body, send, end }) => {
      const events = runOf(body, text('a'));
      await send([...events, events.at(-1), ...events]);
      end();
    });
    expect((await client.run({}).finished).messages).toHaveLength(1);
  });
});

describe('a server that reorders', () => {
  it('numbered frames is found out', async () => {
    const client = await start(async ({ body, write }) => {
      const [started, opened, first, second] = runOf(body, text('a', 'b'));
      await write([frame(started, 1), frame(opened, 2), frame(second, 4), frame(first, 3)].join(''));
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
    expect(served.exchanges).toHaveLength(1);
  });

  it('events so that they make no sense is found out', async () => {
    const client = await start(async ({ body, send }) => {
      const [started, opened, content] = runOf(body, text('a'));
      await send([started, content, opened]);
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });
});

describe('a server that stalls', () => {
  it('is lost after the limit, unless its stream can be taken up', async () => {
    const client = await start(({ body, send }) => send(runOf(body, []).slice(0, 1)), { stallTimeout: 20 });
    expect(await codeOf(client.run({}).finished)).toBe('RUN_LOST');
    await served.close();
    let events: AgentStreamEvent[] = [];
    const other = await start(
      async (exchange) => {
        if (!isEvents(exchange)) events = runOf(exchange.body, text('a'));
        await (isEvents(exchange) ? exchange.send(events.slice(2), 3) : exchange.send(events.slice(0, 2), 1));
      },
      { stallTimeout: 20 },
    );
    expect((await other.run({}).finished).messages).toMatchObject([{ content: 'a' }]);
  });

  it('can be left by the signal, and the connection is closed', async () => {
    const leaving = new AbortController();
    let closed = () => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const client = await start(async ({ body, send, response }) => {
      response.on('close', closed);
      await send(runOf(body, []).slice(0, 1), 1);
      leaving.abort(new Error('enough'));
    });
    const run = client.run({ threadId: 't', signal: leaving.signal });
    await expect(run.finished).rejects.toThrow('enough');
    await closing;
    expect(client.thread('t').getSnapshot().status).toBe('idle');
    expect(served.exchanges).toHaveLength(1);
  });
});

describe('a server that lies about ids', () => {
  it('by ending another run is found out, and both ids are named', async () => {
    const client = await start(async ({ body, send }) => {
      const [started] = runOf(body, []);
      await send([started, { type: 'RUN_FINISHED', threadId: body.threadId, runId: 'other' }]);
    });
    const error = await client.run({ threadId: 't' }).finished.catch((failure: unknown) => failure as Error);
    expect(error).toMatchObject({ code: 'INPUT_INVALID' });
    expect((error as Error).message).toContain('other');
  });

  it('by starting on another thread is found out, and nothing of it is shown', async () => {
    const client = await start(({ body, send }) =>
      send(runOf({ ...body, threadId: 'of somebody else' }, text('secret'))),
    );
    const error = await client.run({ threadId: 't' }).finished.catch((failure: unknown) => failure as Error);
    expect((error as Error).message).toMatch(/of somebody else.* t\./);
    expect(client.thread('t').getSnapshot().messages).toEqual([]);
  });

  it('may follow another run of the thread, whose id is then the run’s', async () => {
    const client = await start(({ body, send }) => send(runOf({ ...body, runId: 'the winner' }, [])));
    const run = client.run({});
    await run.finished;
    expect(run.runId).toBe('the winner');
  });
});

describe('a server that answers something else', () => {
  it.each([
    ['text/html', '<html></html>'],
    ['application/json', '{"ok":true}'],
  ])('with %s is refused', async (type, content) => {
    const client = await start(({ response }) => {
      response.writeHead(200, { 'content-type': type });
      response.end(content);
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });

  it('with nothing is no success', async () => {
    const client = await start(({ response }) => {
      response.writeHead(204);
      response.end();
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });

  it('with frames that are no JSON, or no events, is refused', async () => {
    const client = await start(({ write }, index) =>
      write(index === 0 ? 'data: hello\n\n' : 'data: {"type":7}\n\n'),
    );
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });

  it('and one that is not there is RUN_LOST', async () => {
    const client = await start(() => undefined);
    await served.close();
    expect(await codeOf(client.run({}).finished)).toBe('RUN_LOST');
    served = await serve(() => undefined);
  });
});
