/** "AG-UI Interrupts Implementation Plan" (.NET), line by line as its reader tries it, over HTTP, with its names and values. */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { HttpAgent } from '@ag-ui/client';
import { Validator } from '@cfworker/json-schema';
import express from 'express';
import type { ContentAgentOptions, ContentMessage } from 'holdpoint';
import { contentAgent, defineAgent, defineTool, withApproval } from 'holdpoint';
import type { DraftAnswer, Run } from 'holdpoint/client';
import { answer, approve, cancel, createClient } from 'holdpoint/client';
import type { ChatContent, ContentKind, CustomRequest, CustomResponse } from 'holdpoint/content';
import type { RequestContent } from 'holdpoint/content';
import {
  approvalResponse,
  createContentRegistry,
  fromInterrupt,
  inputResponse,
  isFunctionApprovalRequest,
  isFunctionApprovalResponse,
  isTextContent,
  isUserInputRequest,
  isUserInputResponse,
  toInterrupt,
  toResume,
} from 'holdpoint/content';
import { toExpress } from 'holdpoint/express';
import type { ForeignAgent, HostOptions } from 'holdpoint/host';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import type { DialectName, DraftInterrupt, Interrupt, RunAgentInput } from 'holdpoint/protocol';
import {
  createEventReader,
  createEventWriter,
  decodeInput,
  dialectNamed,
  EventType,
  payloadOf,
  protocolJsonSchema,
  RunFinishedOutcome,
} from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { afterEach, expect, expectTypeOf } from 'vitest';
import { start as startStep04 } from '../../examples/04-tool-based-approval/server.ts';
import { start as startStep09 } from '../../examples/09-interrupts-approval/server.ts';
import { start as startStep10 } from '../../examples/10-interrupts-user-input/server.ts';
import { walkSeed } from './walk.ts';

type Json = Readonly<Record<string, unknown>>;
type RunContents = ContentAgentOptions['run'];

const APPROVAL = {
  id: 'call-abc',
  payload: {
    functionName: 'get_weather',
    functionArguments: {
      location: 'Seattle',
    },
  },
};
const INPUT = {
  id: 'input-456',
  payload: {
    prompt: 'Please provide your email address',
    inputType: 'email',
  },
};
const ANA = 'ana@example.com';

const weatherCall = {
  type: 'functionCall',
  callId: 'call-abc',
  name: 'get_weather',
  arguments: { location: 'Seattle' },
} as const;
const weatherRequest = {
  type: 'functionApprovalRequest',
  id: 'call-abc',
  functionCall: weatherCall,
} as const;
const emailRequest = {
  type: 'userInputRequest',
  id: 'input-456',
  rawRepresentation: INPUT.payload,
} as const;

/** Sample 1: asks before it looks. */
const weather: RunContents = async function* (messages) {
  const decided = messages.at(-1)?.contents.find(isFunctionApprovalResponse);
  if (decided === undefined) yield weatherRequest;
  else yield { type: 'text', text: decided.approved ? 'It is sunny in Seattle.' : 'Then I do not look.' };
};

/** Sample 2: asks for the e-mail address. */
const subscribe: RunContents = async function* (messages) {
  const given = messages.at(-1)?.contents.find(isUserInputResponse);
  if (given === undefined)
    yield { ...emailRequest, responseSchema: { type: 'string', format: 'email' } } as const;
  else if (given.cancelled === true) yield { type: 'text', text: 'Then not.' };
  else yield { type: 'text', text: `Welcome, ${String(given.value)}.` };
};

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Posts an input to an agent, and returns the events of the response. */
async function send(url: string, body: object): Promise<Json[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const frames = [...(await response.text()).matchAll(/^data: (.*)$/gm)];
  return frames.map(([, json = '']) => JSON.parse(json) as Json);
}

/** Serves agents until the test ends; the first one is `agent`. */
async function serveAgents(agents: HostOptions['agents'], options: Partial<HostOptions> = {}) {
  const host = createHost({ logger: false, sweepMs: 0, store: memoryStore(), ...options, agents });
  const { url, close } = await serve(host, { port: 0 });
  closers.push(close);
  const at = `${url}/agents/agent`;
  /** The last event of a run. */
  const post = async (body: object) => (await send(at, body)).at(-1) ?? {};
  /** A route of threads and interrupts. */
  const call = async (path: string, body?: object) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const response = await fetch(
      `${url}${path}`,
      body === undefined ? {} : { ...init, body: JSON.stringify(body) },
    );
    return { status: response.status, body: (await response.json()) as Json };
  };
  const clientIn = (dialect: DialectName) => createClient({ url: at, dialect });
  return { host, url, at, post, call, close, clientIn, client: clientIn('1.0') };
}

/** Serves a content agent in a dialect, the draft unless the test says another. */
const start = (run: RunContents, options: Partial<HostOptions> = {}) =>
  serveAgents({ agent: contentAgent({ id: 'agent', run }) }, { dialect: 'draft', ...options });

/** An agent that is written against the draft: its events as they are, until it has an answer. */
function drafter(...ends: readonly Json[]): ForeignAgent & { readonly inputs: RunAgentInput[] } {
  const inputs: RunAgentInput[] = [];
  return {
    inputs,
    async *run(input) {
      inputs.push(input);
      const { threadId, runId, resume } = input;
      yield { type: 'RUN_STARTED', threadId, runId };
      const end = resume === undefined ? ends : [{ outcome: 'success' }];
      for (const event of end) yield { type: 'RUN_FINISHED', threadId, runId, ...event };
    },
  };
}

/** A model that calls get_weather once for each place, and then repeats the results. */
function weatherAgent(looked: unknown[], places: readonly string[] = ['Seattle']) {
  const getWeather = defineTool({
    name: 'get_weather',
    description: 'The weather at a place.',
    input: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
    run(input) {
      looked.push(input);
      return `It is sunny in ${String((input as Json)['location'])}.`;
    },
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return String(last.content);
    const calls = places.map((location) => ({
      id: `call-${location}`,
      name: 'get_weather',
      input: { location },
    }));
    return { calls };
  });
  return defineAgent({ id: 'agent', model, tools: [getWeather], approval: 'require' });
}

const say = (content: string, ids: Json = {}) => ({
  threadId: 't',
  runId: 'r1',
  messages: [{ id: 'm', role: 'user', content }],
  ...ids,
});
/** A body with an answer and nothing else. */
const resumes = (interruptId: string, payload: unknown, runId = 'r2') => ({
  threadId: 't',
  runId,
  resume: { interruptId, payload },
});

const END = { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' } as const;

/** The `interrupt` of RUN_FINISHED in the draft, through JSON. */
function written(interrupt: Interrupt): Json {
  const outcome = { type: 'interrupt', interrupts: [interrupt] as [Interrupt] } as const;
  const [event] = createEventWriter('draft')({ ...END, outcome });
  return (JSON.parse(JSON.stringify(event)) as { interrupt: Json }).interrupt;
}

/** Reads RUN_FINISHED and returns its interrupt in AG-UI 1.0. */
function read(end: object): Interrupt | undefined {
  const [event] = createEventReader().read({ ...END, ...end });
  if (event?.type !== EventType.RUN_FINISHED) throw new Error('no end');
  return event.outcome?.type === 'interrupt' ? event.outcome.interrupts[0] : undefined;
}

/** The `resume` of RunAgentInput in the draft. */
function resumeOf(entry: ReturnType<typeof toResume>): unknown {
  const base = { threadId: 't', runId: 'r', messages: [], tools: [], context: [] };
  return dialectNamed('draft').encodeInput({ ...base, resume: [entry] })['resume'];
}

function approvalFrom(interrupt: Interrupt | DraftInterrupt) {
  const request = fromInterrupt(interrupt);
  if (!isFunctionApprovalRequest(request)) throw new Error('not an approval');
  return request;
}

function inputFrom(interrupt: Interrupt | DraftInterrupt) {
  const request = fromInterrupt(interrupt);
  if (!isUserInputRequest(request)) throw new Error('not an input');
  return request;
}

/** All content parts that a run shows. */
async function contentsOf(run: Run): Promise<ChatContent[]> {
  const parts: ChatContent[] = [];
  for await (const { contents } of run) parts.push(...contents);
  return parts;
}

const textOf = (parts: readonly ChatContent[]) =>
  parts
    .filter(isTextContent)
    .map(({ text }) => text)
    .join('');

walkSeed('000', '.NET plan: AG-UI Interrupts Implementation Plan', ({ line }) => {
  line('1', '`RUN_FINISHED` with `outcome: "interrupt"` and one `interrupt`', async () => {
    const { post } = await start(subscribe);
    expect(await post(say('Hi'))).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: 'interrupt',
      interrupt: INPUT,
    });
    expect(await post(resumes('input-456', ANA))).toMatchObject({ type: 'RUN_FINISHED', outcome: 'success' });
  });
  line('2', '`RunFinished`: `outcome`, `result` and `interrupt` are optional', () => {
    for (const end of [{}, { result: 1 }, { outcome: 'success' }]) expect(read(end)).toBeUndefined();
    expect(read({ outcome: 'interrupt' })?.id).toBe('');
  });
  line('3', '`resume {interruptId, payload}` in a body with nothing else', async () => {
    for (const dialect of ['draft', '1.0'] as const) {
      const { post, client } = await start(subscribe, { dialect });
      await post(say('Hi'));
      expect(await post(resumes('input-456', ANA))).toMatchObject({ type: 'RUN_FINISHED' });
      expect((await client.connect('t').finished).messages.at(-1)?.content).toBe(`Welcome, ${ANA}.`);
    }
  });
  line(
    '4',
    'JSON of a function approval: `call-abc`, `functionName`, `functionArguments`',
    async () => {
      const { post } = await start(weather);
      const { interrupt } = await post(say('What is the weather in Seattle?'));
      expect(interrupt).toEqual({ ...APPROVAL, reason: 'tool_call' });
      const model = await serveAgents([weatherAgent([])], { dialect: 'draft' });
      const asked = await model.post(say('What is the weather in Seattle?'));
      expect(asked['interrupt']).toMatchObject({
        payload: { ...APPROVAL.payload, prompt: expect.any(String), responseSchema: { type: 'object' } },
      });
    },
    'an agent with a model adds `prompt` and `responseSchema` to the payload',
  );
  line('5', 'JSON of a user input: `input-456`, `prompt`, `inputType`', async () => {
    const { post } = await start(async function* () {
      yield emailRequest;
    });
    const { interrupt } = await post(say('Subscribe me'));
    expect(interrupt).toEqual({ ...INPUT, reason: 'input_required' });
  });
  line('6', 'Reverse mapping: `functionName` is an approval, any other payload is user input', async () => {
    const { functionName } = APPROVAL.payload;
    const cases: [unknown, RequestContent['type']][] = [
      [APPROVAL.payload, 'functionApprovalRequest'],
      [{ functionName }, 'functionApprovalRequest'],
      ...[INPUT.payload, null, ['get_weather'], 'functionName', undefined].map(
        (payload): [unknown, RequestContent['type']] => [payload, 'userInputRequest'],
      ),
    ];
    expect(approvalFrom(APPROVAL).functionCall).toEqual(weatherCall);
    const end = { outcome: 'interrupt', interrupt: {} };
    const { client } = await serveAgents({ agent: drafter(end) });
    for (const [payload, type] of cases) {
      end.interrupt = { id: 'i', payload };
      expect(fromInterrupt(end.interrupt)).toMatchObject({ type, id: 'i' });
      const run = client.run({ messages: 'Hi' });
      expect(await contentsOf(run)).toMatchObject([{ type, id: 'i' }]);
    }
  });
  line('7', '`RawRepresentation` is the original, in both forms', async () => {
    for (const raw of [INPUT, INPUT.payload]) {
      const { post } = await start(async function* () {
        yield { type: 'userInputRequest', id: 'input-456', rawRepresentation: raw };
      });
      const { interrupt } = await post(say('Hi'));
      expect(interrupt).toEqual({ ...INPUT, reason: 'input_required' });
    }
    for (const original of [APPROVAL, INPUT, read({ interrupt: APPROVAL })!, read({ interrupt: INPUT })!]) {
      const request = fromInterrupt(original);
      expect(request.rawRepresentation).toBe(original);
      expect(written(toInterrupt(request))).toMatchObject(
        original.id === INPUT.id ? { ...INPUT } : { ...APPROVAL },
      );
    }
  });
  line(
    '8',
    'The interrupt id is the approval id',
    async () => {
      const { post } = await start(weather);
      const first = await post(say('What is the weather in Seattle?'));
      expect(first).toMatchObject({ interrupt: { id: weatherRequest.id } });
      expect(await post(resumes('call-abc', { approved: true }))).toMatchObject({ outcome: 'success' });
      const messages = [{ id: 'm2', role: 'user', content: 'And now?' }];
      const again = (await post(say('', { runId: 'r3', messages })))['interrupt'] as DraftInterrupt;
      expect(again).toMatchObject({ id: expect.any(String), payload: APPROVAL.payload });
      expect(again.id).not.toBe('call-abc');
      const ended = await post(resumes(again.id ?? '', { approved: true }, 'r4'));
      expect(ended).toMatchObject({ outcome: 'success' });
    },
    'an id that is used again on a thread is published under a new one',
  );
  line('9', 'Two kinds of interrupt, no further content class', async () => {
    expectTypeOf<RequestContent['type']>().toEqualTypeOf<'functionApprovalRequest' | 'userInputRequest'>();
    const { client } = await start(async function* (messages) {
      yield { type: 'text', text: String(messages.length) };
      yield weatherRequest;
      yield emailRequest;
    });
    const seen = new Set<string>();
    const run = client.run({ messages: 'Hi' });
    for (const { type } of await contentsOf(run)) seen.add(type);
    expect([...seen]).toEqual(['text', 'functionApprovalRequest']);
    // On the draft wire, the second one comes after the answer to the first.
    const { interrupts } = await run.finished;
    for (const { type } of await contentsOf(client.resume(run, approve(interrupts[0]!)))) seen.add(type);
    expect([...seen].slice(1)).toEqual(['functionApprovalRequest', 'userInputRequest']);
  });
  line(
    '10',
    'Step04: tools that ask, beside interrupts',
    async () => {
      const { url, close } = await startStep04(0);
      closers.push(close);
      const asked: unknown[] = [];
      const requestApproval = {
        name: 'request_approval',
        description: 'Asks the user.',
        parameters: { type: 'object' },
        run(input: unknown) {
          const { request } = input as { request: Json };
          asked.push(request['function_name']);
          return { approval_id: request['approval_id'], approved: true };
        },
      };
      const client = createClient({ url: `${url}/agents/mail`, tools: [requestApproval] });
      const { outcome, messages } = await client.run({ messages: 'archive my newsletters' }).finished;
      expect([outcome, asked, messages.at(-1)?.content]).toEqual([
        'success',
        ['archive'],
        'newsletters is archived.',
      ]);
      expect((await client.inbox.list()).interrupts).toEqual([]);
    },
    'example 04',
  );
  line('11', '`Outcome`, `Interrupt` and the outcome constants', () => {
    expect(RunFinishedOutcome).toMatchObject({ Success: 'success', Interrupt: 'interrupt' });
    const { outcome, interrupt } = createEventWriter('draft')({
      ...END,
      outcome: { type: 'interrupt', interrupts: [toInterrupt(emailRequest)] },
    })[0]!;
    expect(outcome).toBe(RunFinishedOutcome.Interrupt);
    expect(interrupt).toMatchObject(INPUT);
  });
  line(
    '12',
    '`AGUIInterrupt { Id?, Payload? }`',
    async () => {
      const cases: DraftInterrupt[] = [INPUT, { payload: INPUT.payload }, { id: 'input-456' }, {}];
      for (const interrupt of cases) {
        const { client } = await serveAgents({ agent: drafter({ interrupt }) });
        const [request, ...more] = await contentsOf(client.run({ messages: 'Hi' }));
        const id = interrupt.id ?? (expect.any(String) as string);
        expect([request, more]).toMatchObject([{ type: 'userInputRequest', id }, []]);
        expect(payloadOf((request as RequestContent).rawRepresentation as Interrupt)).toEqual(
          interrupt.payload,
        );
      }
    },
    '`DraftInterrupt`',
  );
  line(
    '13',
    '`AGUIResume { InterruptId?, Payload? }`',
    async () => {
      const { post, clientIn } = await start(subscribe);
      await post(say('Hi'));
      const nameless = { threadId: 't', runId: 'r2', resume: { payload: ANA } };
      expect(await post(nameless)).toMatchObject({ type: 'RUN_ERROR', code: 'INTERRUPT_UNKNOWN' });
      const resume: DraftAnswer = { interruptId: 'input-456', payload: ANA };
      const run = clientIn('draft').run({ threadId: 't', resume });
      expect(textOf(await contentsOf(run))).toBe(`Welcome, ${ANA}.`);
    },
    '`DraftAnswer`; an answer must name its interrupt',
  );
  line(
    '14',
    'Serialization context',
    async () => {
      const schema = protocolJsonSchema();
      expect(schema.$defs).toMatchObject({ Interrupt: {}, ResumeEntry: {}, RUN_FINISHED: {} });
      const validator = new Validator(schema);
      const { at } = await start(subscribe, { dialect: '1.0' });
      const events = await send(at, say('Hi', { protocolVersion: '1.0' }));
      expect(events.map((event) => validator.validate(event).valid)).toEqual(events.map(() => true));
      const unknown = { ...events.at(-1), outcome: { type: 'interrupt', interrupts: [{ id: 1 }] } };
      expect(validator.validate(unknown).valid).toBe(false);
    },
    '`protocolJsonSchema`',
  );
  line('15', 'Events to contents', async () => {
    for (const dialect of ['draft', '1.0'] as const) {
      const { clientIn } = await start(
        async function* (messages, context) {
          yield { type: 'text', text: 'Hello! ' };
          yield* subscribe(messages, context);
        },
        { dialect },
      );
      const client = clientIn(dialect);
      const parts = await contentsOf(client.run({ threadId: 't', messages: 'Subscribe me' }));
      expect(parts).toMatchObject([
        { type: 'text', text: 'Hello! ' },
        {
          type: 'userInputRequest',
          id: 'input-456',
          message: INPUT.payload.prompt,
          responseSchema: { type: 'string', format: 'email' },
        },
      ]);
      const reply = inputResponse(parts.find(isUserInputRequest)!, ANA);
      const next = client.run({ threadId: 't', messages: { role: 'user', contents: [reply] } });
      expect(textOf(await contentsOf(next))).toBe(`Hello! Welcome, ${ANA}.`);
    }
  });
  line('16', 'Contents to events', async () => {
    const { at } = await start(async function* () {
      yield { type: 'text', text: 'Let me look.' };
      yield weatherCall;
      yield weatherRequest;
    });
    const events = await send(at, say('What is the weather in Seattle?'));
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: 'interrupt', interrupt: APPROVAL });
  });
  line('17', 'Responses to `resume`', async () => {
    const bodies: Json[] = [];
    const recorded: typeof fetch = (url, init) => {
      bodies.push(JSON.parse(String(init?.body)) as Json);
      return fetch(url, init);
    };
    const reply = (part: ChatContent | undefined) => {
      if (part?.type === 'functionApprovalRequest') return approvalResponse(part, { approved: true });
      if (part?.type === 'userInputRequest') return inputResponse(part, ANA);
      throw new Error('not a request');
    };
    for (const [run, resume] of [
      [weather, { interruptId: 'call-abc', payload: { approved: true } }],
      [subscribe, { interruptId: 'input-456', payload: ANA }],
    ] as const) {
      const { at } = await start(run);
      const client = createClient({ url: at, dialect: 'draft', fetch: recorded });
      const asked = client.run({ messages: 'Hi' });
      const response = reply((await contentsOf(asked)).at(-1));
      expect((await client.resume(asked, response).finished).outcome).toBe('success');
      expect(bodies.at(-1)?.['resume']).toEqual(resume);
    }
  });
  line('18', 'An interrupted run is no error', async () => {
    const { at, client } = await start(weather, { dialect: '1.0' });
    const { outcome, interrupts } = await client.run({ messages: 'Hi' }).finished;
    expect([outcome, interrupts.length]).toEqual(['interrupt', 1]);
    const official = new HttpAgent({ url: at, threadId: 'other' });
    official.addMessage({ id: 'm', role: 'user', content: 'Hi' });
    await official.runAgent({});
    expect(official.pendingInterrupts).toMatchObject([{ reason: 'tool_call' }]);
  });
  line(
    '19',
    'Resume from an option, `agui_resume`',
    async () => {
      for (const dialect of ['draft', '1.0'] as const) {
        const { clientIn } = await start(weather, { dialect });
        const client = clientIn(dialect);
        const { interrupts } = await client.run({ threadId: 't', messages: 'Hi' }).finished;
        const interruptId = interrupts[0]?.id ?? '';
        const run = client.run({ threadId: 't', resume: { interruptId, payload: { approved: true } } });
        expect(textOf(await contentsOf(run))).toBe('It is sunny in Seattle.');
      }
    },
    '`client.run({ threadId, resume: { interruptId, payload } })`',
  );
  line('20', 'The thread id is kept over interrupt and resume', async () => {
    const agent = drafter({ outcome: 'interrupt', interrupt: APPROVAL });
    const { client } = await serveAgents({ agent });
    const run = client.run({ messages: 'Hi' });
    const { interrupts } = await run.finished;
    await client.resume(run, approve(interrupts[0]!)).finished;
    const [asked, answered] = agent.inputs;
    expect(answered?.threadId).toBe(asked?.threadId);
    expect(answered?.runId).not.toBe(asked?.runId);
  });
  line(
    '21',
    'Five helpers: `ToAGUIInterrupt`, `FromAGUIInterrupt`, `ToAGUIResume`',
    () => {
      expect(written(toInterrupt(weatherRequest))).toEqual({ ...APPROVAL, reason: 'tool_call' });
      expect(written(toInterrupt(emailRequest))).toEqual({ ...INPUT, reason: 'input_required' });
      const [approval, input] = [approvalFrom(APPROVAL), inputFrom(INPUT)];
      expect(approval).toMatchObject({ id: 'call-abc', functionCall: weatherCall });
      expect(input.rawRepresentation).toBe(INPUT);
      expect(resumeOf(toResume(approvalResponse(approval, { approved: true })))).toEqual({
        interruptId: 'call-abc',
        payload: { approved: true },
      });
      expect(resumeOf(toResume(inputResponse(input, ANA)))).toEqual({
        interruptId: 'input-456',
        payload: { response: ANA },
      });
    },
    '`toInterrupt`, `fromInterrupt`, `toResume`',
  );
  line('22', 'Server: the resume becomes response content in the messages', async () => {
    const seen: ContentMessage[][] = [];
    const { post } = await start(async function* (messages) {
      seen.push([...messages]);
      if (seen.length === 1) yield weatherRequest;
      else if (seen.length === 2) yield emailRequest;
    });
    await post(say('Hi'));
    await post(resumes('call-abc', { approved: false, reason: 'No.' }));
    await post(resumes('input-456', ANA, 'r3'));
    expect(seen.slice(1).map((messages) => messages.at(-1))).toMatchObject([
      {
        role: 'user',
        contents: [{ type: 'functionApprovalResponse', id: 'call-abc', approved: false, reason: 'No.' }],
      },
      { role: 'user', contents: [{ type: 'userInputResponse', id: 'input-456', value: ANA }] },
    ]);
  });
  line('23', 'Server: interrupt content becomes `RUN_FINISHED`', async () => {
    const { at } = await start(async function* () {
      yield { type: 'text', text: 'One thing.' };
      yield emailRequest;
    });
    const events = await send(at, say('Hi'));
    expect(events.filter(({ type }) => /^RUN_(FINISHED|ERROR)$/.test(String(type)))).toEqual([events.at(-1)]);
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      threadId: 't',
      runId: 'r1',
      outcome: 'interrupt',
      interrupt: INPUT,
    });
  });
  line(
    '24',
    '`MapAGUIAgent("/api/agent", agent)`',
    async () => {
      const { host } = await start(weather, { dialect: '1.0' });
      const app = express().use('/api/agent', toExpress({ fetch: host.agentRoute('agent') }));
      const server = app.listen(0, '127.0.0.1');
      closers.push(() => new Promise((closed) => server.close(closed)));
      await new Promise((listening) => server.once('listening', listening));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/agent`;
      const official = new HttpAgent({ url, threadId: 't' });
      official.addMessage({ id: 'm', role: 'user', content: 'What is the weather in Seattle?' });
      await official.runAgent({});
      await official.runAgent({ resume: [approve(official.pendingInterrupts[0]!)] });
      expect(official.messages.at(-1)?.content).toBe('It is sunny in Seattle.');
    },
    '`agentRoute`',
  );
  line('25', 'The named serialization tests (8)', () => {
    const write = (interrupt: Interrupt) => JSON.parse(JSON.stringify(written(interrupt))) as Json;
    // RunFinishedEvent_WithInterrupt_SerializesCorrectly
    expect(write(toInterrupt(emailRequest))).toEqual({ ...INPUT, reason: 'input_required' });
    // RunFinishedEvent_WithSuccess_SerializesCorrectly
    const success = { ...END, outcome: { type: 'success' }, result: { sent: true } } as const;
    const [wire] = createEventWriter('draft')(success);
    expect(wire).toMatchObject({ outcome: 'success', result: { sent: true } });
    expect(createEventReader().read(wire!)).toEqual([success]);
    // RunFinishedEvent_WithoutOutcome_BackwardCompatible
    expect(createEventReader().read(END)).toEqual([END]);
    // AGUIInterrupt_AllFields_SerializesCorrectly
    const all = { id: 'i', reason: 'human_approval', payload: { deep: [1, { a: null }] } };
    expect(write(read({ outcome: 'interrupt', interrupt: all })!)).toEqual(all);
    // AGUIInterrupt_OnlyId_SerializesCorrectly
    expect(write(read({ outcome: 'interrupt', interrupt: { id: 'i' } })!)).toMatchObject({ id: 'i' });
    expect(write(read({ outcome: 'interrupt', interrupt: { id: 'i' } })!)).not.toHaveProperty('payload');
    // AGUIResume_WithPayload_SerializesCorrectly
    const entry = { interruptId: 'i', status: 'resolved', payload: { approved: true } } as const;
    expect(resumeOf(entry)).toEqual({ interruptId: 'i', payload: { approved: true } });
    // RunAgentInput_WithResume_SerializesCorrectly, and back
    const input = { threadId: 't', runId: 'r', messages: [], tools: [], context: [], resume: [entry] };
    const body: unknown = JSON.parse(JSON.stringify(dialectNamed('draft').encodeInput(input)));
    expect(body).toMatchObject({ threadId: 't', resume: { interruptId: 'i' } });
    expect(decodeInput(body)).toEqual({ input, dialect: 'draft' });
  });
  line('26', 'The named mapping tests (8)', async () => {
    // RunFinishedEvent_WithFunctionApprovalPayload_MapsToFunctionApprovalRequestContent
    const approval = approvalFrom(read({ outcome: 'interrupt', interrupt: APPROVAL })!);
    expect(approval).toMatchObject({ id: 'call-abc', functionCall: weatherCall });
    // RunFinishedEvent_WithUserInputPayload_MapsToUserInputRequestContent_WithRawRepresentation
    const interrupt = read({ outcome: 'interrupt', interrupt: INPUT })!;
    const input = inputFrom(interrupt);
    expect(input.rawRepresentation).toBe(interrupt);
    expect(payloadOf(interrupt)).toEqual(INPUT.payload);
    // FunctionApprovalRequestContent_MapsToInterruptEvent_WithIdFromApprovalId, and _WithFunctionDetailsInPayload
    const other = { ...weatherRequest, id: 'approval-1' };
    expect(written(toInterrupt(other))).toMatchObject({ id: 'approval-1', payload: APPROVAL.payload });
    // UserInputRequestContent_MapsToInterruptEvent_WithRawRepresentationAsPayload
    expect(written(toInterrupt(emailRequest))['payload']).toEqual(INPUT.payload);
    // FunctionApprovalResponseContent_MapsToResumePayload
    const rejected = approvalResponse(approval, { approved: false, reason: 'Too far.' });
    expect(resumeOf(toResume(rejected))).toEqual({
      interruptId: 'call-abc',
      payload: { approved: false, reason: 'Too far.' },
    });
    // UserInputResponseContent_MapsToResumePayload
    expect(resumeOf(toResume(inputResponse(input, { email: ANA })))).toEqual({
      interruptId: 'input-456',
      payload: { email: ANA },
    });
    // End to end
    const { client } = await start(weather);
    const run = client.run({ messages: 'What is the weather in Seattle?' });
    const asked = (await contentsOf(run)).find(isFunctionApprovalRequest)!;
    const ended = client.resume(run, approvalResponse(asked, { approved: true }));
    expect(textOf(await contentsOf(ended))).toBe('It is sunny in Seattle.');
  });
  line(
    '27',
    'The named integration tests (7)',
    async () => {
      // Agent_WithFunctionApprovalRequest_EmitsInterruptEvent_WithApprovalIdAsInterruptId, and _WithFunctionDetailsInPayload
      const approval = await start(weather);
      expect((await approval.post(say('Hi')))['interrupt']).toMatchObject(APPROVAL);
      // InterruptId_PreservedAcrossRoundTrip_ForFunctionApproval, Client_WithResumePayload_ContinuesExecution
      const told = await send(approval.at, resumes('call-abc', { approved: true }));
      expect(JSON.stringify(told)).toContain('It is sunny in Seattle.');
      // Agent_WithUserInputRequest_EmitsInterruptEvent_WithRawRepresentation
      const input = await start(subscribe);
      expect((await input.post(say('Hi')))['interrupt']).toMatchObject(INPUT);
      // InterruptId_PreservedAcrossRoundTrip_ForUserInput
      expect(JSON.stringify(await send(input.at, resumes('input-456', ANA)))).toContain(`Welcome, ${ANA}.`);
      // MultipleInterrupts_HandleCorrectly
      const looked: unknown[] = [];
      const agents = [weatherAgent(looked, ['Seattle', 'Oslo'])];
      const { post } = await serveAgents(agents, { dialect: 'draft' });
      const first = (await post(say('Hi')))['interrupt'] as DraftInterrupt;
      const second = (await post(resumes(first.id ?? '', { approved: true })))['interrupt'] as DraftInterrupt;
      expect([first.payload, second.payload]).toMatchObject([
        { functionArguments: { location: 'Seattle' } },
        { functionArguments: { location: 'Oslo' } },
      ]);
      expect(looked).toEqual([]);
      const ended = await post(resumes(second.id ?? '', { approved: false }, 'r3'));
      expect([ended['outcome'], looked]).toEqual(['success', [{ location: 'Seattle' }]]);
    },
    'several interrupts of one turn come one after the other on the draft wire',
  );
  line(
    '28',
    'Step09 server: the policy `RequireApproval`',
    async () => {
      const looked: unknown[] = [];
      const { client } = await serveAgents([weatherAgent(looked)]);
      const run = client.run({ messages: 'What is the weather in Seattle?' });
      const { interrupts } = await run.finished;
      expect(approvalFrom(interrupts[0]!).functionCall).toMatchObject({ name: 'get_weather' });
      expect(looked).toEqual([]);
      const { messages } = await client.resume(run, approve(interrupts[0]!)).finished;
      expect(messages.at(-1)?.content).toBe('It is sunny in Seattle.');
      expect(looked).toEqual([{ location: 'Seattle' }]);
    },
    "`approval: 'require'`",
  );
  line(
    '29',
    'Step09: a wrapper agent that asks for approval',
    async () => {
      let looked = 0;
      const inner = contentAgent({
        id: 'agent',
        async *run(messages) {
          const isDecided = messages.some(({ contents }) => contents.some(isFunctionApprovalResponse));
          if (!isDecided) yield weatherCall;
          looked += 1;
          yield { type: 'functionResult', callId: 'call-abc', result: 'sun' };
          yield { type: 'text', text: 'It is sunny in Seattle.' };
        },
      });
      const { post, at } = await serveAgents([withApproval(inner, ({ name }) => name === 'get_weather')], {
        dialect: 'draft',
      });
      expect(await post(say('Hi'))).toMatchObject({ outcome: 'interrupt', interrupt: APPROVAL });
      expect(looked).toBe(0);
      const told = await send(at, resumes('call-abc', { approved: true }));
      expect([looked, JSON.stringify(told).includes('It is sunny in Seattle.')]).toEqual([1, true]);
      const foreign = { id: 'foreign', async *run() {} };
      expect(() => withApproval(foreign as never, () => true)).toThrow('may run its calls before it shows');
    },
    '`withApproval` wraps agents that show their calls before they run them; it rejects others, with the reason',
  );
  line(
    '30',
    'Step09 client: `update.RawRepresentation is RunFinishedEvent { Outcome: "interrupt" }`',
    async () => {
      const { client } = await start(weather);
      const seen: DraftInterrupt[] = [];
      for await (const { rawRepresentation } of client.run({ threadId: 't', messages: 'Hi' }))
        if (rawRepresentation['outcome'] === 'interrupt')
          seen.push(rawRepresentation['interrupt'] as DraftInterrupt);
      expect(seen).toMatchObject([APPROVAL]);
      const resume = { interruptId: seen[0]?.id ?? '', payload: { approved: false } };
      const next = await contentsOf(client.run({ threadId: 't', resume }));
      expect(textOf(next)).toBe('Then I do not look.');
    },
  );
  line(
    '31',
    'Step10 server: `UserInputRequestAgent(innerAgent)`',
    async () => {
      const inner = contentAgent({
        id: 'inner',
        async *run(messages) {
          const given = messages.flatMap(({ contents }) => contents).find(isUserInputResponse);
          yield { type: 'text', text: `Welcome, ${String(given?.value)}.` };
        },
      });
      const { post, at } = await start(async function* (messages, context) {
        if (messages.at(-1)?.contents.some(isUserInputResponse)) yield* inner.contents(messages, context);
        else yield emailRequest;
      });
      expect(await post(say('Subscribe me'))).toMatchObject({ outcome: 'interrupt', interrupt: INPUT });
      const told = await send(at, resumes('input-456', ANA));
      expect(JSON.stringify(told)).toContain(`Welcome, ${ANA}.`);
    },
    'a content agent around an inner one',
  );
  line(
    '32',
    'Step10 client: reads the prompt, answers with a text',
    async () => {
      const run: RunContents = async function* (messages) {
        const given = messages.at(-1)?.contents.find(isUserInputResponse);
        if (given === undefined) yield emailRequest;
        else yield { type: 'text', text: JSON.stringify(given.value) };
      };
      for (const [agent, told] of [
        [subscribe, `Welcome, ${ANA}.`],
        [run, JSON.stringify({ response: ANA })],
      ] as const) {
        const { client } = await start(agent);
        const parts = await contentsOf(client.run({ threadId: 't', messages: 'Subscribe me' }));
        const request = parts.find(isUserInputRequest)!;
        const { prompt } = payloadOf(request.rawRepresentation as Interrupt) as typeof INPUT.payload;
        expect([prompt, request.message]).toEqual([INPUT.payload.prompt, INPUT.payload.prompt]);
        const messages = [{ role: 'user', contents: [inputResponse(request, ANA)] }] as const;
        expect(textOf(await contentsOf(client.run({ threadId: 't', messages })))).toBe(told);
      }
    },
    'without a schema the agent gets `{response: text}`',
  );
  line(
    '33',
    'The two samples',
    async () => {
      const [step09, step10] = [await startStep09(0), await startStep10(0)];
      closers.push(step09.close, step10.close);
      const approvals = createClient({ url: `${step09.url}/agents/weather` });
      const run = approvals.run({ messages: 'weather in Seattle' });
      const { interrupts } = await run.finished;
      const { messages } = await approvals.resume(run, approve(interrupts[0]!)).finished;
      expect(messages.at(-1)?.content).toBe('It is sunny in Seattle, 21 °C.');
      const inputs = createClient({ url: `${step10.url}/agents/newsletter` });
      const asks = inputs.run({ messages: 'subscribe me' });
      const [email] = (await asks.finished).interrupts;
      const holds = inputs.resume(asks, answer(email!, ANA));
      const [pays] = (await holds.finished).interrupts;
      const told = await contentsOf(inputs.resume(holds, approve(pays!)));
      expect(textOf(told)).toBe(`Welcome! The next letter goes to ${ANA}.`);
    },
    'examples 09 and 10',
  );
  line('34', 'Four rules of backward compatibility', async () => {
    const cases: [Json, Json][] = [
      [{}, { outcome: 'success' }],
      [{ result: 1 }, { outcome: 'success', result: 1 }],
      [{ interrupt: INPUT }, { outcome: 'interrupt', interrupts: [{ id: 'input-456' }] }],
    ];
    for (const [end, expected] of cases) {
      const agent = drafter(end);
      const { client } = await serveAgents({ agent });
      expect(await client.run({ messages: 'Hi' }).finished).toMatchObject(expected);
      // A request without resume works unchanged.
      expect(agent.inputs[0]).not.toHaveProperty('resume');
    }
  });
  line('35', 'An invalid resume', async () => {
    const looked: unknown[] = [];
    const { at, post, call } = await serveAgents([weatherAgent(looked)], { dialect: 'draft' });
    const { id = '' } = (await post(say('Hi')))['interrupt'] as { id?: string };
    const payload = { approved: true };
    const wrong: [unknown, string][] = [
      [{ payload }, 'INTERRUPT_UNKNOWN'],
      [{ interruptId: 'other', payload }, 'INTERRUPT_UNKNOWN'],
      [{ interruptId: id, payload: { approved: 'yes' } }, 'ANSWER_INVALID'],
      [{ interruptId: id, payload: {} }, 'ANSWER_INVALID'],
      [{ interruptId: id, payload: 'yes' }, 'ANSWER_INVALID'],
      [{ interruptId: id, threadId: 'other', payload }, 'INPUT_INVALID'],
      [{ interruptId: id, status: 'perhaps', payload }, 'INPUT_INVALID'],
      [[1, 2].map(() => ({ interruptId: id, status: 'resolved', payload })), 'INPUT_INVALID'],
      ['yes', 'INPUT_INVALID'],
    ];
    for (const [index, [resume, code]] of wrong.entries()) {
      const body = JSON.stringify({ threadId: 't', runId: `wrong-${index}`, resume });
      const headers = { 'content-type': 'application/json' };
      const text = await (await fetch(at, { method: 'POST', headers, body })).text();
      expect([resume, /"code":"(\w+)"/.exec(text)?.[1]]).toEqual([resume, code]);
    }
    expect((await call('/interrupts')).body).toMatchObject({
      interrupts: [{ status: 'pending', interrupt: { id } }],
    });
    expect(looked).toEqual([]);
    expect(await post(resumes(id, payload))).toMatchObject({ outcome: 'success' });
    expect(looked).toHaveLength(1);
  });
  line('36', 'The state is the same across the boundary', async () => {
    const inputs: RunAgentInput[] = [];
    const agent: ForeignAgent = {
      async *run(input) {
        inputs.push(input);
        const { threadId, runId, resume } = input;
        yield { type: 'RUN_STARTED', threadId, runId };
        if (resume === undefined) {
          yield { type: 'STATE_SNAPSHOT', snapshot: { places: ['Seattle'] } };
          yield { type: 'RUN_FINISHED', threadId, runId, outcome: 'interrupt', interrupt: APPROVAL };
        } else {
          yield { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/places/-', value: 'Oslo' }] };
          yield { type: 'RUN_FINISHED', threadId, runId };
        }
      },
    };
    const store = memoryStore();
    const before = await serveAgents({ agent }, { store });
    const { state, interrupts } = await before.client.run({ threadId: 't', messages: 'Hi' }).finished;
    expect(state).toEqual({ places: ['Seattle'] });
    await before.close();
    const after = await serveAgents({ agent }, { store });
    expect((await after.client.connect('t').finished).state).toEqual(state);
    const ended = await after.client.resume({ threadId: 't' }, approve(interrupts[0]!)).finished;
    expect(inputs.map((input) => input.state as unknown).at(-1)).toEqual(state);
    expect(ended.state).toEqual({ places: ['Seattle', 'Oslo'] });
  });
  line('37', 'Rapid cycles of interrupt and resume', async () => {
    let asked = 0;
    const { post } = await start(async function* () {
      if (asked < 20) yield { ...emailRequest, id: `q${asked}` };
      else yield { type: 'text', text: 'Done.' };
    });
    let last = await post(say('Go'));
    for (let cycle = 0; cycle < 20; cycle += 1) {
      expect(last).toMatchObject({ outcome: 'interrupt', interrupt: { id: `q${cycle}` } });
      asked += 1;
      last = await post(resumes(`q${cycle}`, 'x', `cycle-${cycle}`));
    }
    expect(last).toMatchObject({ outcome: 'success' });
  });
  line(
    '38',
    'Open question: a timeout',
    async () => {
      const said = async (run: RunContents, onExpire: 'keep' | 'cancel' | 'deny' | { answer: string }) => {
        let now = 1_700_000_000_000;
        const store = memoryStore({ clock: { now: () => now } });
        const served = await start(run, { store, interrupts: { ttlMs: 1000, onExpire } });
        const { interrupt } = await served.post(say('Hi'));
        now += 2000;
        await served.host.sweep();
        return { ...served, id: String((interrupt as DraftInterrupt).id) };
      };
      const { post, call, id } = await said(weather, 'keep');
      const late = await call(`/threads/t/interrupts/${id}/answer`, {
        status: 'resolved',
        payload: { approved: true },
      });
      expect(late).toMatchObject({ status: 410, body: { error: { code: 'INTERRUPT_EXPIRED' } } });
      expect(await post(resumes(id, { approved: true }))).toMatchObject({ code: 'INTERRUPT_EXPIRED' });
      for (const [run, onExpire, text] of [
        [weather, 'deny', 'Then I do not look.'],
        [subscribe, 'cancel', 'Then not.'],
        [subscribe, { answer: ANA }, `Welcome, ${ANA}.`],
      ] as const) {
        const { client } = await said(run, onExpire);
        await expect
          .poll(async () => (await client.connect('t').finished).messages.at(-1)?.content)
          .toBe(text);
      }
    },
    'keep, deny, cancel or a fixed answer; a late answer is `INTERRUPT_EXPIRED`',
  );
  line('39', 'Open question: a history', async () => {
    const { post, call, client } = await start(weather);
    await post(say('Hi'));
    await post(resumes('call-abc', { approved: true }));
    const { body } = await call('/threads/t/interrupts/call-abc/history');
    const history = await client.inbox.history('t', 'call-abc');
    expect(body['history']).toEqual(history);
    expect(history[0]).toMatchObject({ what: 'raised', interruptId: 'call-abc' });
    expect(JSON.stringify(history)).toContain('"payload":{"approved":true}');
    expect(history.every(({ at }) => Number.isInteger(at))).toBe(true);
  });
  line('40', 'Open question: cancellation', async () => {
    const ways: ((served: Awaited<ReturnType<typeof start>>) => Promise<unknown>)[] = [
      ({ post }) =>
        post({ threadId: 't', runId: 'r2', resume: { interruptId: 'input-456', status: 'cancelled' } }),
      async ({ client }) => {
        const { interrupts } = await client.connect('t').finished;
        await client.resume({ threadId: 't' }, cancel(interrupts[0]!)).finished;
      },
      ({ call }) => call('/threads/t/interrupts/input-456/answer', { status: 'cancelled' }),
    ];
    for (const way of ways) {
      const served = await start(subscribe);
      await served.post(say('Subscribe me'));
      await way(served);
      await expect
        .poll(async () => (await served.client.connect('t').finished).messages.at(-1)?.content)
        .toBe('Then not.');
      expect((await served.call('/interrupts')).body).toMatchObject({ interrupts: [] });
    }
  });
  line('41', 'Open question: further content types', async () => {
    interface ChoiceRequest extends CustomRequest {
      readonly type: 'choiceRequest';
      readonly options: unknown;
    }
    interface ChoiceResponse extends CustomResponse {
      readonly type: 'choiceResponse';
      readonly choice?: string;
    }
    const choice: ContentKind<ChoiceRequest, ChoiceResponse> = {
      kind: 'choice',
      matches: ({ reason }) => reason === 'shop:choice',
      fromInterrupt: ({ responseSchema }, { id }) => ({
        type: 'choiceRequest',
        id,
        options: responseSchema?.['enum'],
      }),
      toInterrupt: ({ id }) => ({ id, reason: 'shop:choice' }),
      toResume: (response) => ({ status: 'resolved', payload: response.choice }),
      fromResume: ({ payload }, { id }) => ({ type: 'choiceResponse', id, choice: String(payload) }),
    };
    const interrupt = { id: 'c', reason: 'shop:choice', responseSchema: { enum: ['red', 'blue'] } };
    const agent = drafter({ outcome: { type: 'interrupt', interrupts: [interrupt] } });
    const { at } = await serveAgents({ agent });
    const client = createClient({ url: at, registry: createContentRegistry({ kinds: [choice] }) });
    const run = client.run({ messages: 'Hi' });
    const parts = [];
    for await (const { contents } of run) parts.push(...contents);
    expect(parts).toMatchObject([{ type: 'choiceRequest', id: 'c', options: ['red', 'blue'] }]);
    await client.resume(run, { type: 'choiceResponse', id: 'c', choice: 'blue' }).finished;
    expect(agent.inputs[1]?.resume).toEqual([{ interruptId: 'c', status: 'resolved', payload: 'blue' }]);
  });
  line('42', 'Documents; no further dependency and no custom content types', () => {
    const page = readFileSync(new URL('../../docs/content.md', import.meta.url), 'utf8');
    const [approval, input] = [approvalFrom(APPROVAL), inputFrom(INPUT)];
    const parts = [
      approval,
      input,
      approvalResponse(approval, { approved: true, reason: 'x', editedArgs: {} }),
      inputResponse(input, ANA),
    ];
    for (const { type, rawRepresentation: _raw, ...members } of parts) {
      const row = new RegExp(`^\\| \`${type}\` +\\|(.*)\\|$`, 'm').exec(page)?.[1] ?? '';
      const named = [...row.matchAll(/`(\w+)\??`/g)].map(([, name]) => name);
      expect([type, ...named]).toEqual(expect.arrayContaining([type, ...Object.keys(members)]));
    }
  });
});
