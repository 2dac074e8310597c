import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { ClientOptions, HoldpointError } from './index.ts';
import { createClient } from './index.ts';
import { codeOf, interrupted, runOf, text } from './testing-support/events.ts';
import type { Exchange, Handler, Served } from './testing-support/serve.ts';
import { frame, serve } from './testing-support/serve.ts';

let served: Served;
const start = async (handler: Handler, options: Partial<ClientOptions> = {}) => {
  served = await serve(handler);
  return createClient({ url: served.url, retry: { baseDelayMs: 1, maxDelayMs: 2 }, ...options });
};
afterEach(() => served.close());

const isEvents = ({ path }: Exchange) => path.endsWith('/events');
const requests = () => served.exchanges.map(({ method, path }) => `${method} ${path}`);
const lastIds = () => served.exchanges.filter(isEvents).map(({ headers }) => headers['last-event-id']);

describe('a server that truncates its stream', () => {
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
  ])('rejects with an error when the stream ends %s', async (_where, cut) => {
    const client = await start(({ body, write, end }) => write(cut(runOf(body, text('é', 'ü')))).then(end));
    expect(await codeOf(client.run({ threadId: 't' }).finished)).toBe('RUN_LOST');
    expect(client.thread('t').getSnapshot().status).toBe('failed');
    expect(served.exchanges).toHaveLength(1);
  });

  it('rejects with an error when the connection breaks', async () => {
    const client = await start(async ({ body, send, cut }) => {
      await send(runOf(body, text('a')).slice(0, 3));
      cut();
    });
    expect(await codeOf(client.run({}).finished)).toBe('RUN_LOST');
  });

  it('accepts a last frame without a blank line after it', async () => {
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

describe('a stream that breaks and can be resumed', () => {
  it('resumes after the last id without a repeat or a gap, as long as new events arrive', async () => {
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
      { retry: { attempts: 1, baseDelayMs: 0 } },
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

  it('yields every event once, for every cut and every number of repeated frames', async () => {
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
            // One new frame at least, so that the client makes progress.
            const least = frames.slice(from, from + back + 1).join('').length * (twice ? 2 : 1) + 4;
            exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
            exchange.response.write(whole.subarray(0, Math.max(bytes, least)), () => exchange.cut());
          },
          { retry: { baseDelayMs: 0, attempts: 8 } },
        );
        const seen: string[] = [];
        const run = client.run({ threadId: 't' });
        for await (const { event } of run) {
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

  it('gives up after the allowed attempts without a new event', async () => {
    const client = await start(
      async (exchange) => {
        if (isEvents(exchange)) return exchange.json(503, {});
        await exchange.send(runOf(exchange.body, []).slice(0, 1), 1);
        exchange.cut();
      },
      { retry: { attempts: 4, baseDelayMs: 0 } },
    );
    const error = await client.run({}).finished.catch((failure: unknown) => failure as HoldpointError);
    expect(error).toMatchObject({ code: 'RUN_LOST', cause: { code: 'INTERNAL' } });
    expect(served.exchanges.filter(isEvents)).toHaveLength(4);
  });

  it('does not retry when the server refuses to resume', async () => {
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

  it('does not retry when the server answers with HTML', async () => {
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

  it('does not retry without a base URL', async () => {
    served = await serve(async ({ body, send, cut }) => {
      await send(runOf(body, []).slice(0, 1), 1);
      cut();
    });
    expect(await codeOf(createClient({ url: `${served.origin}/run` }).run({}).finished)).toBe('RUN_LOST');
    expect(served.exchanges).toHaveLength(1);
  });
});

describe('a server that duplicates frames', () => {
  it('yields a repeated numbered frame once, and yields all different frames of one id', async () => {
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

  it('rejects a repeated start without an id as a protocol error', async () => {
    const client = await start(async ({ body, send }) => {
      const [started, opened] = runOf(body, text('a'));
      await send([started, opened, opened]);
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });

  it('reads the end of a run once', async () => {
    const client = await start(async ({ body, send, end }) => {
      const events = runOf(body, text('a'));
      await send([...events, events.at(-1), ...events]);
      end();
    });
    expect((await client.run({}).finished).messages).toHaveLength(1);
  });
});

describe('a server that reorders frames', () => {
  it('rejects numbered frames in the wrong order', async () => {
    const client = await start(async ({ body, write }) => {
      const [started, opened, first, second] = runOf(body, text('a', 'b'));
      await write([frame(started, 1), frame(opened, 2), frame(second, 4), frame(first, 3)].join(''));
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
    expect(served.exchanges).toHaveLength(1);
  });

  it('rejects events in an order that the protocol forbids', async () => {
    const client = await start(async ({ body, send }) => {
      const [started, opened, content] = runOf(body, text('a'));
      await send([started, content, opened]);
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });
});

describe('a server that stalls', () => {
  it('rejects with RUN_LOST after the stall limit unless the stream can be resumed', async () => {
    const client = await start(({ body, send }) => send(runOf(body, []).slice(0, 1)), { stallTimeoutMs: 20 });
    expect(await codeOf(client.run({}).finished)).toBe('RUN_LOST');
    await served.close();
    let events: AgentStreamEvent[] = [];
    const other = await start(
      async (exchange) => {
        if (!isEvents(exchange)) events = runOf(exchange.body, text('a'));
        await (isEvents(exchange) ? exchange.send(events.slice(2), 3) : exchange.send(events.slice(0, 2), 1));
      },
      { stallTimeoutMs: 20 },
    );
    expect((await other.run({}).finished).messages).toMatchObject([{ content: 'a' }]);
  });

  it('closes the connection of a stalled stream when the signal aborts', async () => {
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

describe('a server that sends wrong ids', () => {
  it('rejects the end of another run and names both ids', async () => {
    const client = await start(async ({ body, send }) => {
      const [started] = runOf(body, []);
      await send([started, { type: 'RUN_FINISHED', threadId: body.threadId, runId: 'other' }]);
    });
    const error = await client.run({ threadId: 't' }).finished.catch((failure: unknown) => failure as Error);
    expect(error).toMatchObject({ code: 'INPUT_INVALID' });
    expect((error as Error).message).toContain('other');
  });

  it('rejects a start on another thread and yields nothing of it', async () => {
    const client = await start(({ body, send }) =>
      send(runOf({ ...body, threadId: 'of somebody else' }, text('secret'))),
    );
    const error = await client.run({ threadId: 't' }).finished.catch((failure: unknown) => failure as Error);
    expect((error as Error).message).toMatch(/of somebody else.* t\./);
    expect(client.thread('t').getSnapshot().messages).toEqual([]);
  });

  it('takes over the run id when the server follows another run of the thread', async () => {
    const client = await start(({ body, send }) => send(runOf({ ...body, runId: 'the winner' }, [])));
    const run = client.run({});
    await run.finished;
    expect(run.runId).toBe('the winner');
  });
});

describe('a server that sends something other than an event stream', () => {
  it.each([
    ['text/html', '<html></html>'],
    ['application/json', '{"ok":true}'],
  ])('rejects a response of type %s', async (type, content) => {
    const client = await start(({ response }) => {
      response.writeHead(200, { 'content-type': type });
      response.end(content);
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });

  it('rejects an empty stream', async () => {
    const client = await start(({ response }) => {
      response.writeHead(204);
      response.end();
    });
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });

  it('rejects frames that are not JSON or not events', async () => {
    const client = await start(({ write }, index) =>
      write(index === 0 ? 'data: hello\n\n' : 'data: {"type":7}\n\n'),
    );
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
    expect(await codeOf(client.run({}).finished)).toBe('INPUT_INVALID');
  });

  it('rejects with RUN_LOST when the server cannot be reached', async () => {
    const client = await start(() => undefined);
    await served.close();
    expect(await codeOf(client.run({}).finished)).toBe('RUN_LOST');
    served = await serve(() => undefined);
  });
});

describe('a server that answers 503', () => {
  const closing = { error: { code: 'UNAVAILABLE', message: 'The host is closing.' } };
  const refuse = ({ response }: Exchange, body: object, headers: Record<string, string> = {}) => {
    response.writeHead(503, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

  it('gets the same request again if it is a host that is closing', async () => {
    const client = await start(async (exchange, index) => {
      if (index < 2) return refuse(exchange, closing, { 'retry-after': '1' });
      await exchange.send(runOf(exchange.body, text('a')), 1);
      exchange.end();
    });
    expect((await client.run({ threadId: 't', messages: 'Go' }).finished).outcome).toBe('success');
    const bodies = served.exchanges.map(({ body }) => body);
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
  });

  it('gets no more requests than the attempts of the option retry', async () => {
    const retry = { attempts: 2, baseDelayMs: 1, maxDelayMs: 2 };
    const client = await start((exchange) => refuse(exchange, closing), { retry });
    expect(await codeOf(client.run({}).finished)).toBe('UNAVAILABLE');
    expect(served.exchanges).toHaveLength(3);
    expect(await codeOf(client.inbox.list())).toBe('UNAVAILABLE');
    expect(served.exchanges).toHaveLength(6);
  });

  it('gets no further request after an abort', async () => {
    const leaving = new AbortController();
    const client = await start(
      (exchange) => {
        refuse(exchange, closing);
        leaving.abort(new Error('gone'));
      },
      { retry: { baseDelayMs: 60_000, maxDelayMs: 60_000 } },
    );
    await expect(client.run({ signal: leaving.signal }).finished).rejects.toThrow('gone');
    expect(served.exchanges).toHaveLength(1);
  });

  it.each([
    [
      'a store that failed: the request may have done something',
      'STORE_FAILED',
      { error: { code: 'STORE_FAILED', message: 'Down.' } },
    ],
    ['a proxy without a Holdpoint error', 'INTERNAL', { message: 'no upstream' }],
  ])('gets no second request for %s', async (_what, code, body) => {
    const client = await start((exchange) => refuse(exchange, body));
    expect(await codeOf(client.run({}).finished)).toBe(code);
    expect(served.exchanges).toHaveLength(1);
  });
});
