import { EventEncoder } from '@ag-ui/encoder';
import { afterEach, describe, expect, it } from 'vitest';
import { approvalResponse, createContentRegistry, inputResponse } from '../content/index.ts';
import type { RequestContent, UserInputRequestContent } from '../content/index.ts';
import type { DialectName } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import { answer, approve, cancel, createClient, HoldpointError } from './index.ts';
import type { RunUpdate } from './index.ts';
import { APPROVAL, call, codeOf, EMAIL, interrupted, runOf, text } from './testing-support/events.ts';
import type { Handler, Served } from './testing-support/serve.ts';
import { inDialect, serve } from './testing-support/serve.ts';

let served: Served;
const start = async (handler: Handler) => {
  served = await serve(handler);
  return createClient({ url: served.url });
};
const bodies = () => served.exchanges.map(({ body }) => body);
afterEach(() => served.close());

describe('run', () => {
  it('reads a run that the official encoder wrote', async () => {
    const encoder = new EventEncoder();
    const client = await start(async ({ body, write, end }) => {
      for (const event of runOf(body, text('Hel', 'lo'), { result: { ok: true } })) {
        await write(encoder.encodeSSE(event));
      }
      end();
    });
    const run = client.run({ threadId: 't', messages: 'Hi' });
    const said: string[] = [];
    for await (const { contents } of run) {
      for (const part of contents) if (part.type === 'text') said.push(part.text);
    }
    expect(said).toEqual(['Hel', 'lo']);
    const finished = await run.finished;
    expect(finished).toMatchObject({ outcome: 'success', interrupts: [], result: { ok: true } });
    expect(finished.messages.map(({ role, content }) => ({ role, content }))).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ]);
  });

  it('starts without a listener and is not a promise', async () => {
    const client = await start(({ body, send, end }) => send(runOf(body, [])).then(end));
    const run = client.run({});
    expect('then' in run).toBe(false);
    await run.finished;
    expect(served.exchanges).toHaveLength(1);
  });

  it('ends with interrupts and resumes with answers, with the same thread, a new run id and all messages', async () => {
    const client = await start(async ({ body, send, end }, index) => {
      if (index === 0)
        await send(runOf(body, call('c1', 'sendEmail', { to: 'a@b.com' }), interrupted(APPROVAL)));
      else if (index === 1) await send(runOf(body, [], interrupted(EMAIL)));
      else await send(runOf(body, text('Done.')));
      end();
    });
    const first = client.run({ messages: 'Send it' });
    const asked = await first.finished;
    expect(asked).toMatchObject({ outcome: 'interrupt', interrupts: [APPROVAL] });
    const second = client.resume(first, [approve(asked.interrupts[0]!)]);
    const third = client.resume(second, [answer((await second.finished).interrupts[0]!, 'a@b.com')]);
    expect((await third.finished).outcome).toBe('success');
    const [one, two, three] = bodies();
    expect(new Set([one!.threadId, two!.threadId, three!.threadId])).toEqual(new Set([first.threadId]));
    expect(new Set([one!.runId, two!.runId, three!.runId]).size).toBe(3);
    expect(two!.resume).toEqual([{ interruptId: 'q1', status: 'resolved', payload: { approved: true } }]);
    expect(three!.resume).toEqual([{ interruptId: 'q2', status: 'resolved', payload: 'a@b.com' }]);
    expect(two!.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(one).toMatchObject({
      protocolVersion: '1.0',
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
    });
  });

  it('yields updates for calls, results, state, activity and requests, each with its event', async () => {
    const client = await start(({ body, send, end }) =>
      send(
        runOf(
          body,
          [
            ...call('c1', 'weather', { city: 'Seattle' }),
            { type: EventType.TOOL_CALL_RESULT, messageId: 'r1', toolCallId: 'c1', content: '"sun"' },
            { type: EventType.STATE_SNAPSHOT, snapshot: { n: 1 } },
            { type: EventType.STATE_DELTA, delta: [{ op: 'replace', path: '/n', value: 2 }] },
            {
              type: EventType.ACTIVITY_SNAPSHOT,
              messageId: 'a1',
              activityType: 'PLAN',
              content: { steps: 1 },
            },
          ],
          interrupted(APPROVAL),
        ),
      ).then(end),
    );
    const updates: RunUpdate[] = [];
    const run = client.run({ threadId: 't' });
    for await (const update of run) updates.push(update);
    const parts = updates.flatMap(({ contents }) => contents);
    expect(parts.map(({ type }) => type)).toEqual([
      'functionCall',
      'functionResult',
      'functionApprovalRequest',
    ]);
    expect(parts[0]).toMatchObject({ name: 'weather', arguments: { city: 'Seattle' } });
    expect(updates.findLast((update) => 'state' in update)!.state).toEqual({ n: 2 });
    expect(updates.find(({ activity }) => activity !== undefined)!.activity).toMatchObject({
      content: { steps: 1 },
    });
    const last = updates.at(-1)!;
    expect(last).toMatchObject({ conversationId: 't', responseId: run.runId });
    expect(last.event.type).toBe('RUN_FINISHED');
    expect(parts[2]!.rawRepresentation).toBe((await run.finished).interrupts[0]);
  });

  it('applies state changes to the given state and sends the result with the next run', async () => {
    const delta = [{ op: 'add' as const, path: '/items/-', value: 'milk' }];
    const client = await start(async ({ body, send, end }) => {
      await send(runOf(body, [{ type: EventType.STATE_DELTA, delta }]));
      end();
    });
    const first = client.run({ messages: 'milk', state: { items: [] } });
    expect((await first.finished).state).toEqual({ items: ['milk'] });
    const { threadId } = first;
    expect((await client.run({ threadId, messages: 'more' }).finished).state).toEqual({
      items: ['milk', 'milk'],
    });
    expect(bodies().map(({ state }) => state)).toEqual([{ items: [] }, { items: ['milk'] }]);
  });

  it('finds the tool call of an interrupt in an earlier run', async () => {
    const interrupt = { id: 'q', reason: 'tool_call', toolCallId: 'c1' };
    const client = await start(async ({ body, send, end }, index) => {
      await send(
        index === 0 ? runOf(body, call('c1', 'pay', { cents: 5 })) : runOf(body, [], interrupted(interrupt)),
      );
      end();
    });
    const first = client.run({ messages: 'Pay' });
    await first.finished;
    const second = client.run({ threadId: first.threadId, messages: 'Now' });
    const requests: unknown[] = [];
    for await (const { contents } of second) requests.push(...contents);
    expect(requests).toMatchObject([
      { type: 'functionApprovalRequest', functionCall: { arguments: { cents: 5 } } },
    ]);
  });

  it('takes answers from response parts in messages, and prefers an explicit resume', async () => {
    const client = await start(async ({ body, send, end }, index) => {
      await send(index % 2 === 0 ? runOf(body, [], interrupted(APPROVAL, EMAIL)) : runOf(body, []));
      end();
    });
    const requestsOf = async (threadId: string) => {
      const requests: RequestContent[] = [];
      for await (const { contents } of client.run({ threadId, messages: 'Go' })) {
        for (const part of contents) if ('responseSchema' in part) requests.push(part);
      }
      return requests;
    };
    const respond = ([first, second]: RequestContent[]) => [
      { type: 'text' as const, text: 'Here:' },
      first?.type === 'functionApprovalRequest' ? approvalResponse(first, { approved: true }) : undefined!,
      second?.type === 'userInputRequest' ? inputResponse(second, 'a@b.com') : undefined!,
    ];
    const contents = respond(await requestsOf('a'));
    await client.run({ threadId: 'a', messages: [{ role: 'user', contents }] }).finished;
    expect(bodies()[1]!.resume).toEqual([
      { interruptId: 'q1', status: 'resolved', payload: { approved: true } },
      { interruptId: 'q2', status: 'resolved', payload: 'a@b.com' },
    ]);
    expect(bodies()[1]!.messages.at(-1)).toMatchObject({ role: 'user', content: 'Here:' });
    const again = respond(await requestsOf('b'));
    const resume = [cancel(APPROVAL), cancel(EMAIL)];
    await client.run({ threadId: 'b', messages: [{ role: 'user', contents: again }], resume }).finished;
    expect(bodies()[3]!.resume).toEqual(resume);
  });

  it('reads custom content with the registry of the application', async () => {
    const registry = createContentRegistry({
      mapContent: (content) =>
        content.type === 'text' ? { ...content, text: content.text.toUpperCase() } : content,
    });
    served = await serve(({ body, send, end }) => send(runOf(body, text('a'))).then(end));
    const said: unknown[] = [];
    for await (const { contents } of createClient({ url: served.url, registry }).run({}))
      said.push(...contents);
    expect(said).toMatchObject([{ type: 'text', text: 'A' }]);
  });

  it('expands chunk events', async () => {
    const client = await start(({ body, send, end }) =>
      send(
        runOf(body, [
          { type: EventType.TEXT_MESSAGE_CHUNK, messageId: 'm', delta: 'a' },
          { type: EventType.TEXT_MESSAGE_CHUNK, delta: 'b' },
        ]),
      ).then(end),
    );
    const { messages } = await client.run({}).finished;
    expect(messages).toMatchObject([{ id: 'm', role: 'assistant', content: 'ab' }]);
  });

  it('reads chunks of the draft protocol', async () => {
    const client = await start(async ({ write, end }) => {
      await write('data: {"content":"Hel"}\n\ndata: {"content":"lo"}\n\ndata: [DONE]\n\n');
      end();
    });
    expect((await client.run({}).finished).messages).toMatchObject([{ role: 'assistant', content: 'Hello' }]);
  });

  it('calls the headers function for each request', async () => {
    served = await serve(({ body, send, end }) => send(runOf(body, [])).then(end));
    let token = 0;
    const client = createClient({
      url: served.url,
      headers: () => Promise.resolve({ authorization: `Bearer ${(token += 1)}` }),
    });
    await client.run({}).finished;
    await client.run({}).finished;
    expect(served.exchanges.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
    expect(served.exchanges[0]!.headers.accept).toBe('text/event-stream');
  });

  it('rejects with the code of a RUN_ERROR, keeps the open interrupts, and throws in the loop too', async () => {
    const client = await start(async ({ body, send, end }, index) => {
      if (index === 0) await send(runOf(body, [], interrupted(APPROVAL)));
      else await send([{ type: 'RUN_ERROR', message: 'Ann said no.', code: 'INTERRUPT_CONFLICT' }]);
      end();
    });
    const first = client.run({ threadId: 't', messages: 'Go' });
    await first.finished;
    const run = client.resume(first, [approve(APPROVAL)]);
    const seen: string[] = [];
    const loop = async () => {
      for await (const { contents } of run) seen.push(...contents.map(({ type }) => type));
    };
    expect(await codeOf(loop())).toBe('INTERRUPT_CONFLICT');
    expect(seen).toEqual(['error']);
    expect(await codeOf(run.finished)).toBe('INTERRUPT_CONFLICT');
    expect(client.thread('t').getSnapshot()).toMatchObject({ status: 'failed', interrupts: [APPROVAL] });
  });

  it('shows the thread that comes before an announced RUN_ERROR, and rejects with its code', async () => {
    const client = await start(async ({ body, send, end }, index) => {
      if (index === 0) await send(runOf(body, [], interrupted(APPROVAL)));
      else
        await send([
          ...runOf(body, text('Paid by Ann.'), { metadata: { errorFollows: true } }),
          { type: 'RUN_ERROR', message: 'Ann said no.', code: 'INTERRUPT_CONFLICT' },
        ]);
      end();
    });
    const first = client.run({ threadId: 't', messages: 'Go' });
    await first.finished;
    expect(await codeOf(client.resume(first, [approve(APPROVAL)]).finished)).toBe('INTERRUPT_CONFLICT');
    const { status, interrupts, messages } = client.thread('t').getSnapshot();
    expect([status, interrupts, messages.at(-1)?.content]).toEqual(['failed', [], 'Paid by Ann.']);
  });

  it('keeps an unknown error code in the details', async () => {
    const client = await start(({ send, end }) =>
      send([{ type: 'RUN_ERROR', message: 'Slow down.', code: 'overloaded' }]).then(end),
    );
    const error: unknown = await client.run({}).finished.catch((failure: unknown) => failure);
    expect(HoldpointError.is(error, 'INTERNAL') && error.details).toEqual({ code: 'overloaded' });
  });

  it.each([
    [409, { error: { code: 'RUN_CONFLICT', message: 'Busy.' } }, 'RUN_CONFLICT'],
    [
      422,
      { error: { code: 'ANSWER_INVALID', message: 'No.', issues: [{ pointer: '', message: 'm' }] } },
      'ANSWER_INVALID',
    ],
    [401, { detail: 'who are you' }, 'UNAUTHENTICATED'],
    [422, { detail: [] }, 'INPUT_INVALID'],
    [500, 'oops', 'INTERNAL'],
  ])('maps an error response with status %i to its code', async (status, body, code) => {
    const client = await start(({ json }) => json(status, body));
    expect(await codeOf(client.run({}).finished)).toBe(code);
  });

  it('rejects a second run on a busy thread, so that a double click sends once', async () => {
    const client = await start(async ({ body, send, end }, index) => {
      await send(index === 0 ? runOf(body, [], interrupted(APPROVAL)) : runOf(body, [], interrupted(EMAIL)));
      end();
    });
    const first = client.run({ threadId: 't', messages: 'Go' });
    await first.finished;
    const one = client.resume(first, [approve(APPROVAL)]);
    const two = client.resume(first, [approve(APPROVAL)]);
    expect(await codeOf(two.finished)).toBe('RUN_CONFLICT');
    await one.finished;
    expect(await codeOf(client.resume(first, [approve(APPROVAL)]).finished)).toBe('INTERRUPT_UNKNOWN');
    expect(served.exchanges).toHaveLength(2);
  });
});

describe.each<DialectName>(['1.0', 'draft', 'snake', 'command'])('in the dialect %s', (dialect) => {
  it('reads an interrupt and writes its answer in the same dialect', async () => {
    served = await serve(async ({ send, end }, index) => {
      const ids = { threadId: 't', runId: index === 0 ? client.thread('t').getSnapshot().runId! : 'r2' };
      await send(inDialect(runOf(ids, text('…'), index === 0 ? interrupted(APPROVAL) : {}), dialect));
      end();
    });
    const client = createClient({ url: served.url, dialect });
    const first = client.run({ threadId: 't', messages: 'Go' });
    const { outcome, interrupts } = await first.finished;
    expect(outcome).toBe('interrupt');
    expect(interrupts[0]).toMatchObject({ id: 'q1', reason: 'tool_call' });
    await client.resume(first, [approve(interrupts[0]!)]).finished;
    const { body } = served.exchanges[1]!;
    const answered = { interruptId: 'q1', payload: { approved: true } };
    expect(
      {
        '1.0': body.resume,
        draft: body.resume,
        snake: body.resume,
        command: body.forwardedProps as unknown,
      }[dialect],
    ).toEqual(
      {
        '1.0': [{ ...answered, status: 'resolved' }],
        draft: answered,
        snake: [{ interrupt_id: 'q1', status: 'resolved', payload: { approved: true } }],
        command: { command: { resume: { approved: true }, interruptEvent: { interruptId: 'q1' } } },
      }[dialect],
    );
  });
});

it('answers an interrupt without an id, which the draft allows, by an entry or by a part', async () => {
  served = await serve(({ body, send, end }) =>
    send([
      ...runOf(body, []).slice(0, 1),
      { type: 'RUN_FINISHED', threadId: body.threadId, runId: body.runId, outcome: 'INTERRUPT' },
    ]).then(end),
  );
  const client = createClient({ url: served.url, dialect: 'draft' });
  const first = client.run({ threadId: 't' });
  const second = client.resume(first, [answer((await first.finished).interrupts[0]!, 'one')]);
  const requests: RequestContent[] = [];
  for await (const { contents } of second) {
    for (const part of contents) if (part.type === 'userInputRequest') requests.push(part);
  }
  const [request] = requests;
  await client.resume(second, [inputResponse(request as UserInputRequestContent, { two: 2 })]).finished;
  expect(bodies().map(({ resume }) => resume)).toEqual([
    undefined,
    { payload: 'one' },
    { payload: { two: 2 } },
  ]);
});

describe('thread snapshots', () => {
  it('returns the same snapshot until a change, and calls the listeners', async () => {
    const client = await start(({ body, send, end }) =>
      send(runOf(body, text('a', 'b'), interrupted(EMAIL))).then(end),
    );
    const thread = client.thread('t');
    const before = thread.getSnapshot();
    expect(before).toMatchObject({ status: 'idle', messages: [], interrupts: [] });
    expect(thread.getSnapshot()).toBe(before);
    const seen = new Set<string>();
    const leave = thread.subscribe(() => seen.add(thread.getSnapshot().status));
    const run = client.run({ threadId: 't', messages: 'Hi' });
    await run.finished;
    expect([...seen]).toEqual(['running', 'interrupted']);
    const after = thread.getSnapshot();
    expect(thread.getSnapshot()).toBe(after);
    expect(after).toMatchObject({ runId: run.runId, interrupts: [EMAIL] });
    expect(after.messages.map(({ content }) => content)).toEqual(['Hi', 'ab']);
    expect(before.messages).toEqual([]);
    leave();
    expect(client.thread('t')).toBe(thread);
  });
});
