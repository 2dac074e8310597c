import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '../engine/index.ts';
import type {
  AgentStreamEvent,
  DialectName,
  Interrupt,
  Message,
  ResumeEntry,
  RunAgentInput,
} from '../protocol/index.ts';
import {
  AGUI_BINARY_MEDIA_TYPE,
  createApplier,
  createEventReader,
  decodeBinaryEvent,
  dialectNamed,
} from '../protocol/index.ts';
import { defineAgent } from '../runs/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { Host } from './create-host.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { createRegistry } from './registry/create-registry.ts';
import { demoAgent } from './testing-support/demo-agent.ts';
import {
  answer,
  approve,
  cancel,
  createHostClient,
  eventually,
  summarize,
} from './testing-support/host-client.ts';

/** The sent e-mails. */
const mails: string[] = [];
const twice = defineAgent({
  id: 'assistant',
  tools: [
    defineTool({
      name: 'mail',
      description: 'Sends one.',
      input: { type: 'object' },
      approval: true,
      run: (input) => mails.push(String((input as { which: unknown }).which)),
    }),
  ],
  model: scriptedModel(({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool');
    const which = ['first', 'second'][results.length];
    return which === undefined ? 'Sent.' : { calls: [{ id: which, name: 'mail', input: { which } }] };
  }),
});

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
});

function setUp(options: Partial<HostOptions> = {}) {
  const outside = { done: [] as string[] };
  const host = createHost({
    logger: false,
    agents: [demoAgent(outside)],
    store: memoryStore(),
    sweepMs: 0,
    ...options,
  });
  hosts.push(host);
  return { host, outside, plain: createHostClient(host.fetch) };
}

type Wire = Record<string, unknown>;
const BASE = { threadId: 't', runId: 'x', protocolVersion: '1.0', messages: [], tools: [], context: [] };
let counter = 0;

/** A client of one dialect; `how` says whether it sends the header or is recognised. */
function speaker(host: Host, dialect: DialectName, how: 'header' | 'telltale') {
  const raw = async (body: unknown, path = ''): Promise<Wire[]> => {
    const response = await host.fetch(
      new Request(`http://localhost/agents/assistant${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(how === 'header' ? { 'ag-ui-dialect': dialect } : {}),
        },
        body: JSON.stringify(body),
      }),
    );
    const text = await response.text();
    if (response.status !== 200) throw new Error(text);
    return text
      .split('\n\n')
      .filter((frame) => frame.includes('data: '))
      .map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Wire);
  };
  const run = async (ask: { say?: string; resume?: ResumeEntry[]; thread?: string; path?: string }) => {
    counter += 1;
    const input: RunAgentInput = {
      threadId: ask.thread ?? 't',
      runId: `r${counter}`,
      protocolVersion: '1.0',
      messages: ask.say === undefined ? [] : [{ id: `m${counter}`, role: 'user', content: ask.say }],
      tools: [],
      context: [],
      ...(ask.resume === undefined ? {} : { resume: ask.resume }),
    };
    // The command form has no cancellation: the client cancels in the 1.0 form and gets its own dialect back.
    const isCancelled = input.resume?.some(({ status }) => status === 'cancelled') === true;
    const said = dialectNamed(isCancelled && dialect === 'command' ? '1.0' : dialect);
    const wire = await raw(said.encodeInput(input), ask.path);
    const reader = createEventReader();
    const events: AgentStreamEvent[] = wire.flatMap((one) => reader.read(one));
    return {
      wire,
      ...summarize(
        events.map((event) => ({ event })),
        input.messages,
      ),
    };
  };
  return { raw, run };
}

const FORMS: readonly (readonly [DialectName, 'header' | 'telltale'])[] = [
  ['1.0', 'header'],
  ['draft', 'header'],
  ['snake', 'header'],
  ['snake', 'telltale'],
  ['command', 'header'],
];

describe.each(FORMS)('a client in the dialect %s, recognised by its %s', (dialect, how) => {
  it('approves, rejects and edits', async () => {
    const { host, outside } = setUp();
    const { run } = speaker(host, dialect, how);
    const ask = async (thread: string): Promise<Interrupt | undefined> =>
      (await run({ say: 'email', thread })).interrupts[0];
    await run({ thread: 'a', resume: [approve(await ask('a'))] });
    const no = await run({
      thread: 'b',
      resume: [answer(await ask('b'), { approved: false, reason: 'late' })],
    });
    expect(no.messages.at(-1)?.content).toBe('Result: Tool call invocation rejected. late');
    const edit = { editedArgs: { to: 'x', body: 'y' } };
    await run({ thread: 'c', resume: [approve(await ask('c'), edit)] });
    expect(outside.done).toEqual(['a@b.c: hello', 'x: y']);
  });

  it('a client of each dialect gets one interrupt after the other, and finds it again by connect', async () => {
    const { host, outside } = setUp();
    const { run } = speaker(host, dialect, how);
    await run({ say: 'onboard' });
    const shown = await run({ path: '/connect' });
    expect(shown.outcome).toBe('interrupt');
    const next = await run({ resume: [answer(shown.interrupts[0], 'Ana')] });
    const done = await run({ resume: [answer(next.interrupts[0], 'pro')] });
    expect(done.messages.at(-1)?.content).toBe('Result: Ana is pro');
    expect(outside.done).toEqual(['created Ana']);
  });

  it('a client of each dialect gets the error of an invalid answer and keeps its interrupt', async () => {
    const { host, outside } = setUp();
    const { run } = speaker(host, dialect, how);
    const { interrupts } = await run({ say: 'choose' });
    const wrong = await run({ resume: [answer(interrupts[0], 'green')] });
    expect(wrong.error?.code).toBe('ANSWER_INVALID');
    const blocked = await run({ say: 'hello' });
    expect(blocked.error?.code).toBe('INTERRUPTS_PENDING');
    const told = await run({ resume: [answer(interrupts[0], 'red')] });
    expect(told.messages.at(-1)?.content).toBe('Result: red');
    expect(outside.done).toEqual([]);
  });

  it('cancels an interrupt', async () => {
    const { host } = setUp();
    const { run } = speaker(host, dialect, how);
    const { interrupts } = await run({ say: 'choose' });
    const told = await run({ resume: [cancel(interrupts[0])] });
    expect(told.error).toBeUndefined();
    expect((await run({ path: '/connect' })).messages.map(({ content }) => content)).toContain(
      'Cancelled by anonymous.',
    );
  });

  it('a client of each dialect gets INTERRUPT_EXPIRED, keeps its interrupt, and can cancel it or ask again', async () => {
    let late = 0;
    const store = memoryStore({ clock: { now: () => Date.now() + late } });
    const { host, outside, plain } = setUp({ store, interrupts: { ttlMs: 60_000 } });
    const { run } = speaker(host, dialect, how);
    const ask = async (thread: string) => (await run({ say: 'email', thread })).interrupts;
    const [first, second] = [await ask('a'), await ask('b')];
    late += 120_000;
    await host.sweep();
    const refused = await run({ thread: 'a', resume: [approve(first[0])] });
    expect(refused.error?.code).toBe('INTERRUPT_EXPIRED');
    // The thread comes before the error, with the interrupt, which can be cancelled.
    expect(refused.interrupts.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    const shown = await run({ thread: 'a', path: '/connect' });
    expect(shown.interrupts.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect((await run({ thread: 'a', resume: [cancel(first[0])] })).error).toBeUndefined();
    await plain.post(`/threads/b/interrupts/${second[0]?.id}/ask-again`);
    const again = await run({ thread: 'b', path: '/connect' });
    expect(again.interrupts[0]?.id).not.toBe(second[0]?.id);
    expect((await run({ thread: 'b', resume: [approve(again.interrupts[0])] })).outcome).toBe('success');
    expect(outside.done).toHaveLength(1);
  });

  it('sees the result of an interrupt that its rule answered on expiry', async () => {
    let late = 0;
    const store = memoryStore({ clock: { now: () => Date.now() + late } });
    const { host, outside, plain } = setUp({ store, interrupts: { ttlMs: 60_000, onExpire: 'deny' } });
    const { run } = speaker(host, dialect, how);
    await run({ say: 'email' });
    late += 120_000;
    await host.sweep();
    late += 1;
    await host.sweep();
    await eventually(async () => (await plain.get('/threads/t')).body.status === 'idle');
    const told = await run({ path: '/connect' });
    expect([told.outcome, told.messages.at(-1)?.content]).toEqual([
      'success',
      'Result: Tool call invocation rejected. Nobody answered in time.',
    ]);
    expect(outside.done).toEqual([]);
  });
});

describe('several interrupts', () => {
  it.each(['1.0', 'snake'] as const)('several interrupts are answered together in %s', async (dialect) => {
    const { host, outside } = setUp();
    const { run } = speaker(host, dialect, 'header');
    const { interrupts } = await run({ say: 'both' });
    expect(interrupts).toHaveLength(2);
    const told = await run({ resume: [approve(interrupts[0]), answer(interrupts[1], 'blue')] });
    expect([told.outcome, outside.done]).toEqual(['success', ['a@b.c: hello']]);
  });

  it('several interrupts are shown one at a time in command, and a map by id answers all of them', async () => {
    const { host, outside } = setUp();
    const { raw, run } = speaker(host, 'command', 'header');
    const first = await run({ say: 'both', thread: 'a' });
    expect(first.interrupts).toHaveLength(1);
    expect(first.wire.filter(({ type }) => type === 'CUSTOM')).toHaveLength(1);
    const second = await run({ thread: 'a', resume: [approve(first.interrupts[0])] });
    expect(second.interrupts.map(({ reason }) => reason)).toEqual(['input_required']);
    const done = await run({ thread: 'a', resume: [answer(second.interrupts[0], 'blue')] });
    expect([done.outcome, outside.done]).toEqual(['success', ['a@b.c: hello']]);
    await run({ say: 'both', thread: 'b' });
    const { interrupts } = await speaker(host, '1.0', 'header').run({ thread: 'b', path: '/connect' });
    const [email, choice] = interrupts.map(({ id }) => id);
    const resume = { [email ?? '']: { approved: true }, [choice ?? '']: 'red' };
    const end = await raw({ ...BASE, threadId: 'b', forwardedProps: { command: { resume } } });
    expect(end.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(outside.done).toHaveLength(2);
  });

  it('several interrupts are shown one at a time in the draft, without a model call in between', async () => {
    const { host, outside, plain } = setUp();
    const { run } = speaker(host, 'draft', 'header');
    const first = await run({ say: 'both' });
    expect(first.wire.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: 'interrupt',
      interrupt: {
        reason: 'tool_call',
        payload: { functionName: 'email', functionArguments: { to: 'a@b.c', body: 'hello' } },
      },
    });
    const second = await run({ resume: [approve(first.interrupts[0])] });
    expect(second.interrupts[0]?.id).not.toBe(first.interrupts[0]?.id);
    expect(second.wire.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(outside.done).toEqual([]);
    expect((await plain.get('/interrupts')).body.interrupts).toHaveLength(1);
    const told = await run({ resume: [cancel(second.interrupts[0])] });
    expect(told.wire.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: 'success' });
    expect(outside.done).toEqual(['a@b.c: hello']);
  });
});

describe('the draft dialect', () => {
  const base = { threadId: 't', messages: [], tools: [], context: [] };

  it('the draft dialect is recognised by an answer that is an object, and used for the response', async () => {
    const { host, outside } = setUp();
    const { raw } = speaker(host, '1.0', 'telltale');
    const { interrupts } = await speaker(host, '1.0', 'telltale').run({ say: 'email' });
    const wire = await raw({
      ...base,
      runId: 'x',
      resume: { interruptId: interrupts[0]?.id, payload: { approved: true } },
    });
    expect(wire.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: 'success' });
    expect(outside.done).toHaveLength(1);
  });

  it('a draft answer is rejected if it names another thread', async () => {
    const { host, outside, plain } = setUp();
    const { run } = speaker(host, 'draft', 'header');
    const { interrupts } = await run({ say: 'email' });
    const told = await plain.run({
      headers: { 'ag-ui-dialect': 'draft' },
      resume: { threadId: 'other', interruptId: interrupts[0]?.id, payload: { approved: true } },
    });
    expect(told.error?.code).toBe('INPUT_INVALID');
    expect(outside.done).toEqual([]);
  });
});

describe('the other dialects', () => {
  it('snake uses snake names and shows an approval before the end', async () => {
    const { host } = setUp();
    const { wire } = await speaker(host, 'snake', 'telltale').run({ say: 'email' });
    expect(wire.map(({ type }) => type).slice(-2)).toEqual(['approval_requested', 'run_finished']);
    expect(wire[0]).toMatchObject({ type: 'run_started', thread_id: 't' });
  });

  it('command sends on_interrupt and the outcome, with the id in its value', async () => {
    const { host } = setUp();
    const { wire, interrupts } = await speaker(host, 'command', 'header').run({ say: 'email' });
    const id = interrupts[0]?.id;
    expect(wire.filter(({ type }) => type === 'CUSTOM')).toMatchObject([
      {
        name: 'on_interrupt',
        value: { functionName: 'email', interruptId: id },
        metadata: { interruptId: id },
      },
    ]);
  });

  it('command sends no outcome to a client without a protocolVersion, and reads the JSON text of an answer', async () => {
    const { host, outside } = setUp();
    const { raw } = speaker(host, 'command', 'header');
    const { protocolVersion: _none, ...old } = BASE;
    const messages = [{ id: 'm', role: 'user', content: 'both' }];
    const first = await raw({ ...old, runId: 'one', messages });
    expect(first.at(-1)).toEqual({ type: 'RUN_FINISHED', threadId: 't', runId: 'one' });
    const answerTo = (shown: readonly Wire[], resume: string) => ({
      ...old,
      forwardedProps: {
        command: { resume, interruptEvent: shown.find(({ type }) => type === 'CUSTOM')?.['value'] },
      },
    });
    const second = await raw({ ...answerTo(first, '{"approved":true}'), runId: 'two' });
    expect(second.at(-1)).toEqual({ type: 'RUN_FINISHED', threadId: 't', runId: 'two' });
    // The schema accepts this text, which is no JSON.
    const end = await raw({ ...answerTo(second, 'blue'), runId: 'three' });
    expect(end.map(({ type }) => type)).not.toContain('RUN_ERROR');
    expect(outside.done).toEqual(['a@b.c: hello']);
  });

  it('command reads a map by id as JSON text', async () => {
    const { outside, plain } = setUp();
    const { interrupts } = await plain.run({ say: 'both' });
    const [email, choice] = interrupts.map(({ id }) => id);
    const resume = JSON.stringify({ [email ?? '']: { approved: true }, [choice ?? '']: 'red' });
    const told = await plain.run({ rest: { forwardedProps: { command: { resume } } } });
    expect([told.outcome, outside.done]).toEqual(['success', ['a@b.c: hello']]);
  });

  it('command is recognised by its answer alone', async () => {
    const { outside, plain } = setUp();
    const { interrupts } = await plain.run({ say: 'email' });
    const resume = { [interrupts[0]?.id ?? '']: { approved: true } };
    await plain.run({ rest: { forwardedProps: { command: { resume } } } });
    expect(outside.done).toHaveLength(1);
  });

  it('a host can have each dialect as its default, with another one per request', async () => {
    const { host, plain } = setUp({ dialect: 'snake' });
    const { wire } = await speaker(host, '1.0', 'telltale').run({ say: 'hello' });
    expect(wire[0]?.['type']).toBe('run_started');
    const told = await plain.run({ say: 'hello', thread: 'u', headers: { 'ag-ui-dialect': '1.0' } });
    expect(told.types[0]).toBe('RUN_STARTED');
  });

  it('let a reader that reconnects with the id of an approval continue after it', async () => {
    const { host } = setUp();
    const response = await host.fetch(
      new Request('http://localhost/agents/assistant', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'ag-ui-dialect': 'snake' },
        body: JSON.stringify({
          thread_id: 't',
          run_id: 'r',
          messages: [{ id: 'm', role: 'user', content: 'email' }],
          tools: [],
          context: [],
        }),
      }),
    );
    const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '');
    const ids = frames.flatMap((frame) => /^id: (\d+)/.exec(frame)?.[1] ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(frames.at(-2)).toMatch(/^data: .*approval_requested/);
    expect(frames.at(-1)).toMatch(/^id: \d+\ndata: .*run_finished/);
  });
});

describe('an answer', () => {
  /** A thread with an agent that sends two e-mails in sequence; `post` answers in a dialect. */
  const start = async (dialect: DialectName, runId?: string) => {
    mails.splice(0);
    const { host, plain } = setUp({ agents: [twice] });
    const { raw } = speaker(host, dialect, 'header');
    const messages = [{ id: 'm', role: 'user', content: 'two mails' }];
    const asked = await raw({ ...BASE, runId: runId ?? 'asks', messages });
    const post = async (more: object): Promise<string> => {
      counter += 1;
      return JSON.stringify(await raw({ ...BASE, runId: `r${counter}`, ...more }));
    };
    const open = async () => (await plain.run({ path: '/connect' })).interrupts[0]?.id ?? '';
    return { asked, post, open, raw };
  };

  it.each([
    ['draft', { resume: { payload: { approved: true } } }],
    ['snake', { resume: { payload: { approved: true } } }],
    ['1.0', { resume: [{ interruptId: '', status: 'resolved', payload: { approved: true } }] }],
    ['command', { forwardedProps: { command: { resume: { approved: true } } } }],
    ['command', { forwardedProps: { command: { resume: { approved: true }, interruptEvent: {} } } }],
    ['command', { forwardedProps: { command: { resume: { approved: true } } }, parentRunId: 'other' }],
  ] as const)('in %s as %j names no interrupt and is rejected every time', async (form, body) => {
    const { post, open } = await start(form);
    const id = await open();
    expect(await post(body)).toContain('INTERRUPT_UNKNOWN');
    expect(await post({ ...body, messages: [{ id: 'm', role: 'user', content: 'two mails' }] })).toContain(
      'INTERRUPT_UNKNOWN',
    );
    expect([await open(), mails]).toEqual([id, []]);
    expect(
      await post({ resume: [{ interruptId: id, status: 'resolved', payload: { approved: true } }] }),
    ).not.toContain('RUN_ERROR');
    expect(mails).toEqual(['first']);
  });

  /** The proofs that a client of the command form may send, from the events it has seen. */
  const PROOFS: readonly (readonly [string, (shown: readonly Wire[]) => object])[] = [
    ['a map by id', (shown) => commandOf({ [idIn(shown)]: { approved: true } })],
    ['interruptEvent with the value', (shown) => commandOf({ approved: true }, eventIn(shown)['value'])],
    [
      'interruptEvent with the JSON of the value',
      (shown) => commandOf({ approved: true }, JSON.stringify(eventIn(shown)['value'])),
    ],
    ['interruptEvent with the event', (shown) => commandOf({ approved: true }, eventIn(shown))],
    ['parentRunId', (shown) => ({ ...commandOf({ approved: true }), parentRunId: shown.at(-1)?.['runId'] })],
    ['the transcript', (shown) => ({ ...commandOf({ approved: true }), messages: transcriptOf(shown) })],
  ];
  const commandOf = (resume: unknown, interruptEvent?: unknown) => ({
    forwardedProps: { command: { resume, ...(interruptEvent === undefined ? {} : { interruptEvent }) } },
  });
  const eventIn = (shown: readonly Wire[]): Wire => shown.find(({ type }) => type === 'CUSTOM') ?? {};
  const idIn = (shown: readonly Wire[]) => String((eventIn(shown)['value'] as Wire)['interruptId']);
  /** The messages that a client of 0.0.35 to 0.0.53 makes of a stream, without metadata. */
  const transcriptOf = (shown: readonly Wire[]): readonly Message[] => {
    const applier = createApplier({ messages: [{ id: 'm', role: 'user', content: 'two mails' }] });
    for (const { metadata: _stripped, ...event } of shown)
      applier.apply(event as unknown as AgentStreamEvent);
    return applier.messages;
  };

  it.each(PROOFS)(
    'in command proves its interrupt by %s, and answers nothing else when sent twice',
    async (_by, prove) => {
      const { asked, post, raw, open } = await start('command');
      const first = prove(asked);
      const next = await raw({ ...BASE, runId: 'second', ...first });
      expect(mails).toEqual(['first']);
      const again = await post(first);
      expect(again).toContain(await open());
      expect(mails).toEqual(['first']);
      expect(await post(prove(next))).not.toContain('RUN_ERROR');
      expect(mails).toEqual(['first', 'second']);
      expect(await post(first)).not.toContain('RUN_ERROR');
      expect(mails).toEqual(['first', 'second']);
    },
  );

  it.each([
    ['the answer', (id: string) => ({ [id]: '{"approved":false,"approved":true}' })],
    ['an answer of the map', (id: string) => `{"${id}":{"approved":false,"approved":true}}`],
    ['an id', (id: string) => `{"${id}":{"approved":false},"${id}":{"approved":true}}`],
  ])('a JSON text in command is INPUT_INVALID if %s is in it twice', async (_what, resume) => {
    const { asked, post } = await start('command');
    await expect(post(commandOf(resume(idIn(asked))))).rejects.toThrow('INPUT_INVALID');
    expect(mails).toEqual([]);
  });

  it('an answer in command is INTERRUPT_UNKNOWN if two runs had its parentRunId', async () => {
    const { post } = await start('command', 'same');
    const body = { ...commandOf({ approved: true }), parentRunId: 'same', runId: 'same' };
    await post(body);
    expect(mails).toEqual(['first']);
    expect(await post(body)).toContain('INTERRUPT_UNKNOWN');
    expect(mails).toEqual(['first']);
  });

  it('an answer in command is for the interrupt that its run showed, although another of the batch waits now', async () => {
    const { host, outside } = setUp();
    const { raw } = speaker(host, 'command', 'header');
    const messages = [{ id: 'm', role: 'user', content: 'both' }];
    await raw({ ...BASE, runId: 'asks', messages });
    const body = { ...BASE, ...commandOf({ approved: true }), parentRunId: 'asks' };
    const one = await raw({ ...body, runId: 'one' });
    expect(await raw({ ...body, runId: 'one' })).toEqual(one);
    expect(one.at(-1)).toMatchObject({ outcome: { type: 'interrupt' } });
    expect(outside.done).toEqual([]);
  });

  it('an answer in command brings back the announcing message, which the thread does not store', async () => {
    const { asked, post, raw } = await start('command');
    const transcript = transcriptOf(asked);
    expect(transcript.at(-1)).toMatchObject({ role: 'assistant', content: 'May mail go ahead?' });
    await post({ ...commandOf({ approved: true }), messages: transcript });
    const shown = await raw({
      ...BASE,
      threadId: 'new',
      messages: [...transcript.slice(-1), { id: 'n', role: 'user', content: 'hi' }],
    });
    const snapshot = shown.find(({ type }) => type === 'MESSAGES_SNAPSHOT');
    expect(JSON.stringify(snapshot)).not.toContain('May mail go ahead?');
  });
});

/** The frames for a client that reconnects, until its run ends. */
async function reattach(host: Host, headers: Record<string, string>, path = ''): Promise<Wire[]> {
  const response = await host.fetch(new Request(`http://localhost/threads/t/events${path}`, { headers }));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!/run_finished"/i.test(text)) text += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  return text
    .split('\n\n')
    .filter((frame) => frame.includes('data: '))
    .map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Wire);
}

const INTERRUPTED: Readonly<Record<DialectName, object>> = {
  '1.0': { type: 'RUN_FINISHED', outcome: { type: 'interrupt' } },
  draft: { type: 'RUN_FINISHED', outcome: 'interrupt', interrupt: { reason: 'tool_call' } },
  snake: { type: 'run_finished', outcome: { type: 'interrupt' } },
  command: { type: 'RUN_FINISHED', outcome: { type: 'interrupt' } },
};
const NONE = { profiles: {}, tools: [] };
const NAMES = ['1.0', 'draft', 'snake', 'command'] as const;

describe.each(NAMES)('a client that reconnects in the dialect %s', (dialect) => {
  it('a client that reconnects gets the thread and the events from a position on, in its dialect', async () => {
    const { host } = setUp();
    const { run } = speaker(host, dialect, 'header');
    const told = await run({ say: 'email' });
    const headers = { 'ag-ui-dialect': dialect };
    const asIs = await reattach(host, headers);
    expect(asIs.at(-1)).toMatchObject(INTERRUPTED[dialect]);
    const replayed = await reattach(host, { ...headers, 'last-event-id': '0' });
    // The time of writing is that of each stream.
    const withoutTime = (events: readonly object[]) =>
      events.map((one) => ({ ...one, timestamp: undefined }));
    expect(withoutTime(replayed)).toEqual(withoutTime(told.wire));
    const reader = createEventReader();
    const seen = summarize(
      replayed.flatMap((one) => reader.read(one)).map((event) => ({ event })),
      [],
    );
    expect(seen.interrupts.map(({ reason }) => reason)).toEqual(['tool_call']);
  });

  it('a client that sets no dialect gets the dialect of the agent, in runs and when it reconnects', async () => {
    const outside = { done: [] };
    const agent = demoAgent(outside);
    const { tools } = agent;
    const model = scriptedModel([{ calls: [{ name: 'email', input: { to: 'a', body: 'b' } }] }]);
    const ours = defineAgent({ id: 'assistant', model, tools, dialect });
    const foreign = { dialect, run: (...given: Parameters<typeof agent.run>) => agent.run(...given) };
    const registry = createRegistry({ ...NONE, agents: [{ agent, alias: 'second', dialect }] });
    for (const agents of [[ours], { assistant: foreign }, registry]) {
      const other = dialect === '1.0' ? 'snake' : '1.0';
      const { host } = setUp({ agents, dialect: other });
      const wire = await speaker(host, '1.0', 'telltale').raw({
        threadId: 't',
        runId: 'r',
        protocolVersion: '1.0',
        messages: [{ id: 'm', role: 'user', content: 'email' }],
        tools: [],
        context: [],
      });
      expect(wire.at(-1)).toMatchObject(INTERRUPTED[dialect]);
      expect((await reattach(host, {})).at(-1)).toMatchObject(INTERRUPTED[dialect]);
      expect((await reattach(host, { 'ag-ui-dialect': other })).at(-1)).toMatchObject(INTERRUPTED[other]);
    }
  });
});

describe('an unknown dialect', () => {
  it('an unknown dialect is rejected by createHost and by each request', async () => {
    const agent = { ...demoAgent({ done: [] }), dialect: 'latin' as DialectName };
    expect(() => setUp({ agents: { agent } })).toThrow('The AG-UI dialect latin is unknown');
    expect(() => createRegistry({ ...NONE, agents: [{ agent }] })).not.toThrow();
    expect(() => createRegistry({ ...NONE, agents: [{ agent, dialect: 'latin' as DialectName }] })).toThrow(
      'agents',
    );
    const { host } = setUp();
    const headers = { 'ag-ui-dialect': 'latin' };
    const refused = await host.fetch(new Request('http://localhost/threads/t/events', { headers }));
    expect(refused.status).toBe(400);
  });
});

it('a client that reconnects gets events in the form that it accepts', async () => {
  const { host, plain } = setUp();
  await plain.run({ say: 'hello' });
  const get = (accept: string) =>
    host.fetch(
      new Request('http://localhost/threads/t/events', { headers: { accept, 'last-event-id': '0' } }),
    );
  const binary = await get(AGUI_BINARY_MEDIA_TYPE);
  expect(binary.headers.get('content-type')).toBe(AGUI_BINARY_MEDIA_TYPE);
  const reader = (binary.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  const { value } = await reader.read();
  expect(decodeBinaryEvent((value ?? new Uint8Array()).subarray(4))).toMatchObject({ type: 'RUN_STARTED' });
  await reader.cancel();
  expect((await get('text/html')).status).toBe(406);
});
