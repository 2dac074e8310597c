/** The lines of "Interrupt-Aware Run Lifecycle" (the AG-UI draft), as its reader goes through them: over HTTP, with its examples. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { HttpAgent } from '@ag-ui/client';
import { askForFile, defineAgent, defineTool } from 'holdpoint';
import type { Agent, Policy, Tool } from 'holdpoint';
import { fromAgUi, holdpointAgent } from 'holdpoint/ag-ui';
import { answer, approve, createClient, isApprovable, reject, responseSchemaOf } from 'holdpoint/client';
import type { DraftAnswer, Interrupt } from 'holdpoint/client';
import { isApproved } from 'holdpoint/content';
import { cardFacts, registerCard, toCsv, toRow } from 'holdpoint/elements';
import type { CardContext } from 'holdpoint/elements';
import { createHost } from 'holdpoint/host';
import type { ForeignAgent, HostOptions } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import {
  buildResume,
  createEventReader,
  createEventWriter,
  decodeInput,
  dialectNamed,
  interruptsOf,
  isRunFinished,
  outcomeOf,
  payloadOf,
  validateCoverage,
} from 'holdpoint/protocol';
import type { DraftInterrupt, RunFinishedEvent } from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { html } from 'lit';
import { afterAll, afterEach, expect, expectTypeOf, vi } from 'vitest';
import { z } from 'zod';
import { run as command } from '../../src/cli/testing-support/run-command.ts';
import { cardBodyFor } from '../../src/elements/interrupt/card-registry.ts';
import { loomFlow } from '../write-an-adapter/loom.ts';
import type { LoomFlow } from '../write-an-adapter/loom.ts';
import { walkSeed } from './walk.ts';

type Json = Readonly<Record<string, unknown>>;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A host over HTTP. `post` sends a body as it is to the agent, and returns the events, or the error. */
async function serveHost(options: Pick<HostOptions, 'agents'> & Partial<HostOptions>, agent: string) {
  const host = createHost({ logger: false, sweepMs: 0, store: memoryStore(), ...options });
  const { url, close } = await serve(host, { port: 0 });
  closers.push(close);
  const path = `${url}/agents/${agent}`;
  const headers = { 'content-type': 'application/json' };
  const post = async (body: object): Promise<Json[]> => {
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) return [{ status: response.status, ...(JSON.parse(text) as { error: Json }).error }];
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Json);
  };
  return { url, path, close, post, client: createClient({ url: path }) };
}

interface DraftInput {
  readonly threadId: string;
  readonly runId: string;
  readonly messages?: readonly { readonly content?: unknown }[];
  readonly state?: { readonly count?: number };
  readonly resume?: { readonly interruptId?: string; readonly payload?: unknown };
}

/** A host that speaks the draft, and its agent: `end` has the members of RUN_FINISHED. */
async function serveDraft(end: (input: DraftInput) => object, options: Partial<HostOptions> = {}) {
  const inputs: DraftInput[] = [];
  const agents = {
    async *drafter(input: unknown) {
      const given = input as DraftInput;
      inputs.push(given);
      const { threadId, runId } = given;
      yield { type: 'RUN_STARTED', threadId, runId };
      yield { type: 'RUN_FINISHED', threadId, runId, ...end(given) };
    },
  };
  return { inputs, ...(await serveHost({ agents, dialect: 'draft', ...options }, 'drafter')) };
}

/** The agent of the draft: it asks, and then succeeds with the payload that it was given. */
const asking = (interrupt: object) => (input: DraftInput) =>
  input.resume === undefined
    ? { outcome: 'interrupt', interrupt }
    : { outcome: 'success', result: input.resume.payload };

/** A host that speaks the draft, with a model that calls the tool and then says the result. */
function serveTool(tool: Tool, input: object, options: Partial<HostOptions> = {}) {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool' ? String(last.content) : { calls: [{ name: tool.name, input }] };
  });
  const agents = [defineAgent({ id: 'assistant', model, tools: [tool] })];
  return serveHost({ agents, dialect: 'draft', ...options }, 'assistant');
}

const begin = (threadId: string, runId: string, content = 'Go.') => ({
  threadId,
  runId,
  messages: [{ id: `m-${runId}`, role: 'user', content }],
});

/** The only interrupt of a run of the client. */
async function askedOf(
  { client }: Pick<Awaited<ReturnType<typeof serveHost>>, 'client'>,
  threadId: string,
  messages = 'Go.',
): Promise<Interrupt> {
  const { interrupts } = await client.run({ threadId, messages }).finished;
  expect(interrupts).toHaveLength(1);
  return interrupts[0] as Interrupt;
}

/** Minimal Interrupt/Resume. */
const MINIMAL = {
  asks: {
    type: 'RUN_FINISHED',
    threadId: 't1',
    runId: 'r1',
    outcome: 'interrupt',
    interrupt: {
      id: 'int-abc123',
      reason: 'human_approval',
      payload: {
        proposal: {
          tool: 'sendEmail',
          args: { to: 'a@b.com', subject: 'Hi', body: '…' },
        },
      },
    },
  },
  responds: {
    threadId: 't1',
    runId: 'r2',
    resume: {
      interruptId: 'int-abc123',
      payload: { approved: true },
    },
  },
};

/** Complex Approval Flow. */
const COMPLEX = {
  asks: {
    type: 'RUN_FINISHED',
    threadId: 'thread-456',
    runId: 'run-789',
    outcome: 'interrupt',
    interrupt: {
      id: 'approval-001',
      reason: 'database_modification',
      payload: {
        action: 'DELETE',
        table: 'users',
        affectedRows: 42,
        query: "DELETE FROM users WHERE last_login < '2023-01-01'",
        rollbackPlan: 'Restore from backup snapshot-2025-01-23',
        riskLevel: 'high',
      },
    },
  },
  responds: {
    threadId: 'thread-456',
    runId: 'run-790',
    resume: {
      interruptId: 'approval-001',
      payload: {
        approved: true,
        modifications: {
          batchSize: 10,
          dryRun: true,
        },
      },
    },
  },
};

/** A person approves the example with the client and with the command; the agent gets the draft's answer to its interrupt. */
async function approveEachWay({ asks }: typeof MINIMAL | typeof COMPLEX): Promise<void> {
  const { threadId, interrupt } = asks;
  for (const way of ['client', 'command']) {
    const served = await serveDraft(asking(interrupt));
    const asked = await askedOf(served, threadId);
    expect(isApprovable(asked)).toBe(true);
    if (way === 'client') await served.client.resume({ threadId }, approve(asked)).finished;
    else expect(await command('inbox', 'approve', asked.id, '--url', served.url)).toMatchObject({ code: 0 });
    await expect
      .poll(() => served.inputs[1]?.resume)
      .toEqual({ interruptId: interrupt.id, payload: { approved: true } });
  }
}

/** A tool that asks before it pays. */
const payTool = () =>
  defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ to: z.string(), amount: z.number() }),
    approval: true,
    display: { input: ({ amount }) => ({ amount: `$${amount}` }) },
    run: ({ to, amount }) => `Paid $${amount} to ${to}.`,
  });

/** A server of the draft, written from the document alone: one route, and nothing of Holdpoint. */
async function serveDraftServer(interrupt: object) {
  const inputs: DraftInput[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      if (request.url !== '/agent') return response.writeHead(404).end();
      const input = JSON.parse(body) as DraftInput;
      inputs.push(input);
      const { threadId, runId } = input;
      const end = asking(interrupt)(input);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ type: 'RUN_STARTED', threadId, runId })}\n\n`);
      return response.end(`data: ${JSON.stringify({ type: 'RUN_FINISHED', threadId, runId, ...end })}\n\n`);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closers.push(() => new Promise((closed) => server.close(closed)));
  return { path: `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`, inputs };
}

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folder = join(root, '.cache/seed-001');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The exports of the code block of a page that exports this function. */
async function codeOf<Exports>(page: string, name: string): Promise<Exports> {
  const blocks = [...read(page).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const code = blocks.find((block) => block.includes(`export function ${name}(`));
  if (code === undefined) throw new Error(`${page} has no ${name}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, code);
  return (await import(/* @vite-ignore */ file)) as Exports;
}

/** The adapter of the guide, for a framework whose flows suspend. */
const loomAdapter = () =>
  codeOf<{ fromLoom(flow: LoomFlow): Agent }>('docs/guides/write-an-adapter.md', 'fromLoom');

const SCREENS = 'test/browser/seeds.test.ts';

walkSeed('001', 'AG-UI draft: Interrupt-Aware Run Lifecycle', ({ line, held, not }) => {
  line('1', '`RUN_FINISHED { outcome: "interrupt", interrupt: { id, reason, payload } }`', async () => {
    const { post } = await serveDraft(asking(MINIMAL.asks.interrupt));
    expect((await post(begin('t1', 'r1'))).at(-1)).toEqual(MINIMAL.asks);
  });
  line('2', '`RunAgentInput.resume { interruptId, payload }`', async () => {
    const { post, inputs } = await serveDraft(asking(MINIMAL.asks.interrupt));
    await post(begin('t1', 'r1'));
    const ended = await post(MINIMAL.responds);
    expect(ended.at(-1)).toMatchObject({ runId: 'r2', outcome: 'success', result: { approved: true } });
    expect(inputs.map(({ resume }) => resume)).toEqual([undefined, MINIMAL.responds.resume]);
  });
  line(
    '3',
    '`threadId` inside `resume`',
    async () => {
      const { post, inputs } = await serveDraft(asking(MINIMAL.asks.interrupt));
      await post(begin('t1', 'r1'));
      const { resume } = MINIMAL.responds;
      const other = await post({ threadId: 't1', runId: 'r2', resume: { ...resume, threadId: 't2' } });
      expect(other).toMatchObject([{ status: 400, code: 'INPUT_INVALID' }]);
      expect(inputs).toHaveLength(1);
      const ended = await post({ threadId: 't1', runId: 'r3', resume: { ...resume, threadId: 't1' } });
      expect(ended.at(-1)).toMatchObject({ outcome: 'success', result: { approved: true } });
    },
    'another thread there is `INPUT_INVALID`',
  );
  line('4', '`outcome` is optional', async () => {
    const result = { done: true };
    for (const [end, read] of [
      [{ outcome: 'interrupt', interrupt: {} }, { outcome: 'interrupt' }],
      [{ interrupt: { reason: 'policy_hold' } }, { outcome: 'interrupt' }],
      [
        { outcome: 'success', result },
        { outcome: 'success', result },
      ],
      [{ result }, { outcome: 'success', result }],
      [{}, { outcome: 'success' }],
    ] as const) {
      const { client, post } = await serveDraft(() => end);
      expect(await client.run({ threadId: 't', messages: 'Go.' }).finished).toMatchObject(read);
      const sent = (await post(begin('raw', 'r'))).at(-1) ?? {};
      // The rule of the draft for an omitted outcome.
      const outcome = sent['interrupt'] === undefined ? 'success' : 'interrupt';
      expect({ outcome, ...sent }).toMatchObject(read);
    }
  });
  line(
    '5',
    '`interrupt.id` is set when needed',
    async () => {
      const { post, inputs } = await serveDraft(asking({ reason: 'human_approval' }));
      const asked = (await post(begin('t', 'r1'))).at(-1) as { readonly interrupt: { readonly id: string } };
      const payload = { approved: true };
      const unnamed = await post({ threadId: 't', runId: 'r2', resume: { payload } });
      expect(unnamed.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'INTERRUPT_UNKNOWN' });
      const { id: interruptId } = asked.interrupt;
      await post({ threadId: 't', runId: 'r3', resume: { interruptId, payload } });
      expect(inputs.slice(1).map(({ resume }) => resume)).toEqual([{ payload }]);
    },
    'the host gives an interrupt an id, and the answer names it; the agent gets its answer without one',
  );
  line('6', '`reason` is any text', async () => {
    const served = await serveDraft((input) =>
      asking({ id: 'i', reason: input.messages?.at(-1)?.content })(input),
    );
    for (const reason of ['human_approval', 'upload_required', 'policy_hold', 'acme:sign-off', 'Ein Grund']) {
      const asked = await askedOf(served, reason, reason);
      expect(asked.reason).toBe(reason);
      const { interrupts } = await served.client.inbox.list({ reason });
      expect(interrupts.map(({ threadId }) => threadId)).toEqual([reason]);
      const payload = { any: 'JSON' };
      await served.client.resume({ threadId: reason }, answer(asked, payload)).finished;
      expect(served.inputs.at(-1)?.resume).toEqual({ interruptId: 'i', payload });
    }
  });
  line('7', '`payload`: proposals', async () => {
    const { interrupt } = MINIMAL.asks;
    const served = await serveDraft(asking(interrupt));
    const asked = await askedOf(served, 't1');
    expect(payloadOf(asked)).toEqual(interrupt.payload);
    expect(cardFacts(asked)).toMatchObject({ isApproval: true, details: interrupt.payload });
    const shown = await command('inbox', 'show', asked.id, '--url', served.url);
    for (const word of ['sendEmail', 'a@b.com', 'Hi']) expect(shown.out).toContain(word);
  });
  line(
    '8',
    '`payload`: forms and diffs',
    async () => {
      const responseSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
      const form = await serveDraft(asking({ id: 'f', reason: 'details', payload: { responseSchema } }));
      const asked = await askedOf(form, 't');
      expect(cardFacts(asked).responseSchema).toEqual(responseSchema);
      const wrong = form.client.resume({ threadId: 't' }, answer(asked, { city: 7 })).finished;
      await expect(wrong).rejects.toMatchObject({ code: 'ANSWER_INVALID', issues: [{ pointer: '/city' }] });
      await form.client.resume({ threadId: 't' }, answer(asked, { city: 'Oslo' })).finished;
      expect(form.inputs[1]?.resume?.payload).toEqual({ city: 'Oslo' });

      const payload = { diff: '-old\n+new' };
      const diff = await serveDraft(asking({ id: 'd', reason: 'review', payload }));
      const review = await askedOf(diff, 't');
      expect(cardFacts(review).details).toEqual(payload);
      await diff.client.resume({ threadId: 't' }, answer(review, 'Take the new line.')).finished;
      expect(diff.inputs[1]?.resume?.payload).toBe('Take the new line.');
    },
    '`payload.responseSchema` is a form; a diff is shown, and its answer is a text or JSON',
  );
  line('9', 'A resume uses the same thread', async () => {
    const { post, inputs } = await serveDraft(asking(MINIMAL.asks.interrupt));
    await post(begin('t1', 'r1'));
    await post(begin('t2', 'other'));
    const { resume } = MINIMAL.responds;
    const wrong = await post({ threadId: 't3', runId: 'r2', resume });
    expect(wrong.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'INTERRUPT_UNKNOWN' });
    expect(inputs).toHaveLength(2);
    expect((await post(MINIMAL.responds)).at(-1)).toMatchObject({ outcome: 'success' });
    expect(inputs.slice(2)).toMatchObject([{ threadId: 't1', resume }]);
  });
  line('10', 'A given id is echoed', async () => {
    const { post, inputs } = await serveDraft(asking(MINIMAL.asks.interrupt));
    await post(begin('t1', 'r1'));
    const { payload } = MINIMAL.responds.resume;
    for (const resume of [{ payload }, { interruptId: 'int-other', payload }]) {
      const wrong = await post({ threadId: 't1', runId: 'r2', resume });
      expect(wrong.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'INTERRUPT_UNKNOWN' });
    }
    expect(inputs).toHaveLength(1);
    await post(MINIMAL.responds);
    expect(inputs[1]?.resume?.interruptId).toBe('int-abc123');
  });
  line('11', 'Missing and invalid payloads are handled gracefully', async () => {
    const responseSchema = {
      type: 'object',
      properties: { seats: { type: 'integer' } },
      required: ['seats'],
    };
    const checked = await serveDraft(asking({ id: 'i', reason: 'details', payload: { responseSchema } }));
    await checked.post(begin('t', 'r1'));
    for (const resume of [{ interruptId: 'i' }, { interruptId: 'i', payload: { seats: 'two' } }]) {
      const wrong = await checked.post({ threadId: 't', runId: 'r2', resume });
      expect(wrong.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'ANSWER_INVALID' });
    }
    expect(await checked.client.inbox.get('t', 'i')).toMatchObject({ status: 'pending' });
    await checked.post({ threadId: 't', runId: 'r3', resume: { interruptId: 'i', payload: { seats: 2 } } });
    expect(checked.inputs.slice(1)).toMatchObject([{ resume: { payload: { seats: 2 } } }]);

    // Without a schema, the agent decides: an answer without a payload approves nothing.
    const { interrupt } = MINIMAL.asks;
    const free = await serveDraft(({ resume }) =>
      resume === undefined ? { interrupt } : { outcome: 'success', result: isApproved(resume.payload) },
    );
    await free.post(begin('t1', 'r1'));
    const ended = await free.post({ threadId: 't1', runId: 'r2', resume: { interruptId: 'int-abc123' } });
    expect(ended.at(-1)).toMatchObject({ outcome: 'success', result: false });
  });
  line('12', 'The minimal example, on the wire and by a person', async () => {
    const { post, inputs } = await serveDraft(asking(MINIMAL.asks.interrupt));
    expect((await post(begin('t1', 'r1'))).at(-1)).toEqual(MINIMAL.asks);
    const { threadId, runId, resume } = MINIMAL.responds;
    const success = { type: 'RUN_FINISHED', threadId, runId, outcome: 'success', result: resume.payload };
    expect((await post(MINIMAL.responds)).at(-1)).toEqual(success);
    expect(inputs[1]).toMatchObject(MINIMAL.responds);
    await approveEachWay(MINIMAL);
  });
  line('13', 'The complex example on the wire', async () => {
    const { post, inputs } = await serveDraft(asking(COMPLEX.asks.interrupt));
    expect((await post(begin('thread-456', 'run-789'))).at(-1)).toEqual(COMPLEX.asks);
    const ended = await post(COMPLEX.responds);
    expect(ended.at(-1)).toMatchObject({ outcome: 'success', result: COMPLEX.responds.resume.payload });
    expect(inputs[1]).toMatchObject(COMPLEX.responds);
  });
  line(
    '14',
    'The complex example by a person, with modifications',
    async () => {
      await approveEachWay(COMPLEX);
      const { interrupt, threadId } = COMPLEX.asks;
      const { resume } = COMPLEX.responds;
      const properties = { approved: { type: 'boolean' }, modifications: { type: 'object' } };
      for (const way of ['client', 'command']) {
        const { client, url, inputs } = await serveDraft(asking(interrupt));
        const asked = await askedOf({ client }, threadId);
        expect(responseSchemaOf(asked)).toMatchObject({ properties });
        const words = ['answer', asked.id, JSON.stringify(resume.payload), '--url', url];
        if (way === 'client') await client.inbox.answer(threadId, answer(asked, resume.payload));
        else expect(await command('inbox', ...words)).toMatchObject({ code: 0 });
        await expect.poll(() => inputs[1]?.resume).toEqual(resume);
      }
      const modifications = { batchSize: 50, dryRun: false };
      const proposing = await serveDraft(asking({ ...interrupt, payload: { modifications } }));
      const members = { batchSize: { type: 'number', default: 50 }, dryRun: { type: 'boolean' } };
      expect(cardFacts(await askedOf(proposing, threadId)).extras).toMatchObject({
        properties: { modifications: { properties: members } },
      });
    },
    'a form where the payload has `modifications`',
  );
  line('15', 'Human approval, with edits and a reason to reject', async () => {
    const sent: unknown[] = [];
    const sendEmail = defineTool({
      name: 'sendEmail',
      description: 'Sends an e-mail.',
      input: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
      approval: { editable: true },
      run: (mail) => sent.push(mail),
    });
    const { post } = await serveTool(sendEmail, MINIMAL.asks.interrupt.payload.proposal.args);
    const { args } = MINIMAL.asks.interrupt.payload.proposal;
    const answerWith = async (threadId: string, payload: object) => {
      const asked = (await post(begin(threadId, 'r1'))).at(-1) as typeof MINIMAL.asks;
      const functionArguments = { functionName: 'sendEmail', functionArguments: args };
      expect(asked.interrupt.payload).toMatchObject(functionArguments);
      const resume = { interruptId: asked.interrupt.id, payload };
      return JSON.stringify(await post({ threadId, runId: 'r2', resume }));
    };
    await answerWith('approved', { approved: true });
    await answerWith('edited', { approved: true, editedArgs: { ...args, to: 'c@d.com' } });
    const rejected = await answerWith('rejected', { approved: false, reason: 'Too late.' });
    expect(rejected).toContain('Tool call invocation rejected. Too late.');
    expect(sent).toEqual([args, { ...args, to: 'c@d.com' }]);
  });
  line('16', 'Information gathering: a text', async () => {
    const served = await serveDraft(
      asking({ id: 'i', reason: 'more_context', payload: { prompt: 'Which city?' } }),
    );
    const asked = await askedOf(served, 't');
    expect(cardFacts(asked)).toMatchObject({ headline: 'Which city?', isApproval: false });
    expect(responseSchemaOf(asked)).toEqual({ type: 'string' });
    await served.client.resume({ threadId: 't' }, answer(asked, 'Oslo')).finished;
    expect(served.inputs[1]?.resume).toEqual({ interruptId: 'i', payload: 'Oslo' });

    const book = defineTool({
      name: 'book',
      description: 'Books a room.',
      input: z.object({}),
      run: async (_input, ctx) =>
        `Booked in ${await ctx.ask('city', { message: 'Which city?', schema: z.string() })}.`,
    });
    const own = await serveTool(book, {});
    const question = await askedOf(own, 't');
    expect(cardFacts(question).headline).toBe('Which city?');
    const { messages } = await own.client.resume({ threadId: 't' }, answer(question, 'Rome')).finished;
    expect(messages.at(-1)?.content).toBe('Booked in Rome.');
  });
  line('17', 'Information gathering: files', async () => {
    const upload = async (url: string) => {
      const form = new FormData();
      form.append('file', new Blob(['The rent is $900.'], { type: 'text/plain' }), 'contract.txt');
      const response = await fetch(`${url}/threads/t/files`, { method: 'POST', body: form });
      return ((await response.json()) as { file: { id: string; name: string } }).file;
    };
    const interrupt = { id: 'u', reason: 'upload_required', payload: { prompt: 'The contract, please.' } };
    const draft = await serveDraft(asking(interrupt));
    const asked = await askedOf(draft, 't');
    expect(responseSchemaOf(asked)).toMatchObject({ format: 'file', required: ['fileId'] });
    const { id: fileId, name } = await upload(draft.url);
    await draft.client.resume({ threadId: 't' }, answer(asked, { fileId, name })).finished;
    expect(draft.inputs[1]?.resume?.payload).toEqual({ fileId, name: 'contract.txt' });
    const file = await fetch(`${draft.url}/threads/t/files/${fileId}`);
    expect(await file.text()).toBe('The rent is $900.');

    const readContract = defineTool({
      name: 'readContract',
      description: 'Reads the contract.',
      input: z.object({}),
      run: async (_input, ctx) => {
        const { data } = await askForFile(ctx, 'contract', { message: 'The contract, please.' });
        return new TextDecoder().decode(data);
      },
    });
    const { url, client } = await serveTool(readContract, {});
    const question = await askedOf({ client }, 't');
    const none = client.resume({ threadId: 't' }, answer(question, { fileId: 'none' })).finished;
    await expect(none).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    const read = client.resume({ threadId: 't' }, answer(question, { fileId: (await upload(url)).id }));
    expect((await read.finished).messages.at(-1)?.content).toBe('The rent is $900.');
  });
  line('18', 'Policy enforcement', async () => {
    const paid: unknown[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays an invoice.',
      input: z.object({ amount: z.number() }),
      approval: false,
      run: ({ amount }) => paid.push(amount),
    });
    const held: Policy = () => ({ decision: 'ask', message: 'Company policy: sign this.' });
    const own = await serveTool(pay, { amount: 500 }, { policies: [held] });
    const asked = await askedOf(own, 't');
    expect(cardFacts(asked).headline).toBe('Company policy: sign this.');
    expect(paid).toEqual([]);
    await own.client.resume({ threadId: 't' }, approve(asked)).finished;
    expect(paid).toEqual([500]);

    const draft = await serveDraft(
      asking({ id: 'p', reason: 'policy_hold', payload: { rule: 'four eyes' } }),
    );
    const hold = await askedOf(draft, 't');
    expect(isApprovable(hold)).toBe(true);
    await draft.client.resume({ threadId: 't' }, reject(hold, 'Not today.')).finished;
    expect(draft.inputs[1]?.resume?.payload).toEqual({ approved: false, reason: 'Not today.' });
  });
  line('19', 'Multi-step wizards', async () => {
    const given: unknown[] = [];
    const steps = ['name', 'city', 'plan'];
    const wizard = await serveDraft(({ resume }) => {
      if (resume !== undefined) given.push(resume.payload);
      const prompt = steps[given.length];
      if (prompt === undefined) return { outcome: 'success', result: given };
      return {
        outcome: 'interrupt',
        interrupt: { id: `step-${prompt}`, reason: 'step', payload: { prompt } },
      };
    });
    let ended = await wizard.client.run({ threadId: 't', messages: 'Sign me up.' }).finished;
    for (const value of ['Ana', 'Oslo', 'pro']) {
      const resume = ended.interrupts.map((interrupt) => answer(interrupt, value));
      ended = await wizard.client.resume({ threadId: 't' }, resume).finished;
    }
    expect(ended).toMatchObject({ outcome: 'success', result: ['Ana', 'Oslo', 'pro'] });

    const created: string[] = [];
    const onboard = defineTool({
      name: 'onboard',
      description: 'Signs a user up.',
      input: z.object({}),
      async run(_input, ctx) {
        const email = await ctx.ask('email', { message: 'Your e-mail?', schema: z.email() });
        await ctx.step('create', () => created.push(email));
        return `${email} is ${await ctx.ask('plan', { message: 'Which plan?', schema: z.enum(['free', 'pro']) })}.`;
      },
    });
    const { client } = await serveTool(onboard, {});
    const email = await askedOf({ client }, 't');
    const wrong = client.resume({ threadId: 't' }, answer(email, 'no address')).finished;
    await expect(wrong).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    const { interrupts } = await client.resume({ threadId: 't' }, answer(email, 'ana@example.com')).finished;
    const plans = interrupts.map((interrupt) => answer(interrupt, 'pro'));
    const { messages } = await client.resume({ threadId: 't' }, plans).finished;
    expect(messages.at(-1)?.content).toBe('ana@example.com is pro.');
    expect(created).toEqual(['ana@example.com']);
  });
  line('20', 'Error recovery of a tool of yours', async () => {
    const calls: string[] = [];
    let isFull = true;
    const book = defineTool({
      name: 'book',
      description: 'Books a room.',
      input: z.object({ hotel: z.string() }),
      onError: 'interrupt',
      run({ hotel }) {
        calls.push(hotel);
        if (hotel === 'Grand' && isFull) throw new Error('The Grand is full.');
        return `A room at the ${hotel}.`;
      },
    });
    const { client } = await serveTool(book, { hotel: 'Grand' });
    const recover = async (threadId: string, payload: object) => {
      isFull = true;
      const asked = await askedOf({ client }, threadId);
      expect(asked.reason).toBe('error_recovery');
      expect(JSON.stringify(asked)).toContain('The Grand is full.');
      isFull = false;
      const { outcome, messages } = await client.resume({ threadId }, answer(asked, payload)).finished;
      return [outcome, messages.at(-1)?.content];
    };
    const retry = { action: 'retry' };
    expect(await recover('again', retry)).toEqual(['success', 'A room at the Grand.']);
    const other = { ...retry, editedArgs: { hotel: 'Plaza' } };
    expect(await recover('other', other)).toEqual(['success', 'A room at the Plaza.']);
    expect(await recover('skip', { action: 'skip', result: 'None.' })).toEqual(['success', 'None.']);
    expect(await recover('abort', { action: 'abort' })).toEqual(['cancelled', 'Aborted.']);
    expect(calls).toEqual(['Grand', 'Grand', 'Grand', 'Plaza', 'Grand', 'Grand']);
  });
  line('21', 'Error recovery of an agent of the draft', async () => {
    const interrupt = { id: 'e', reason: 'error_recovery', payload: { error: 'The line is busy.' } };
    for (const [text, payload] of [
      ['retry', 'retry'],
      ['{"action":"retry","after":5}', { action: 'retry', after: 5 }],
    ] as const) {
      const byClient = await serveDraft(asking(interrupt));
      const asked = await askedOf(byClient, 't');
      expect(cardFacts(asked)).toMatchObject({ isApproval: false, details: { error: 'The line is busy.' } });
      await byClient.client.resume({ threadId: 't' }, answer(asked, payload)).finished;
      expect(byClient.inputs[1]?.resume).toEqual({ interruptId: 'e', payload });
      const byCommand = await serveDraft(asking(interrupt));
      const { id } = await askedOf(byCommand, 't');
      const { code } = await command('inbox', 'answer', id, text, '--url', byCommand.url);
      expect(code).toBe(0);
      await expect.poll(() => byCommand.inputs[1]?.resume).toEqual({ interruptId: 'e', payload });
    }
  });
  line('22', 'TypeScript SDK: types', async () => {
    const interrupt: DraftInterrupt = MINIMAL.asks.interrupt;
    const resume: DraftAnswer = MINIMAL.responds.resume;
    const { client, inputs } = await serveDraft(asking(interrupt));
    const ends: RunFinishedEvent[] = [];
    for await (const { event } of client.run({ threadId: 't1', messages: 'Go.' }))
      if (isRunFinished(event)) ends.push(event);
    expect(ends).toMatchObject([{ outcome: { type: 'interrupt', interrupts: [{ id: 'int-abc123' }] } }]);
    const { outcome } = await client.run({ threadId: 't1', resume }).finished;
    expectTypeOf(outcome).toEqualTypeOf<'success' | 'interrupt' | 'cancelled'>();
    expect(outcome).toBe('success');
    expect(inputs[1]?.resume).toEqual(resume);
  });
  line(
    '23',
    'TypeScript SDK: helper methods',
    async () => {
      const { client, inputs } = await serveDraft(asking(MINIMAL.asks.interrupt));
      const outcomes: string[] = [];
      const open: Interrupt[] = [];
      for await (const { event } of client.run({ threadId: 't1', messages: 'Go.' })) {
        if (!isRunFinished(event)) continue;
        outcomes.push(outcomeOf(event));
        open.push(...interruptsOf(event));
      }
      expect(outcomes).toEqual(['interrupt']);
      const now = Date.now();
      expect(validateCoverage(open, [], now)).toMatchObject({ complete: false, unanswered: ['int-abc123'] });
      expect(() => buildResume(open, new Map(), now)).toThrow('int-abc123 has no answer');
      const { interruptId, payload } = MINIMAL.responds.resume;
      const resume = buildResume(open, new Map([[interruptId, { status: 'resolved', payload }]]), now);
      expect(validateCoverage(open, resume, now).complete).toBe(true);
      expect((await client.run({ threadId: 't1', resume }).finished).outcome).toBe('success');
      expect(inputs[1]?.resume).toEqual(MINIMAL.responds.resume);
    },
    '`outcomeOf`, `interruptsOf`, `buildResume`, `validateCoverage`',
  );
  not(
    '24',
    'Python SDK',
    'another language: Holdpoint is a TypeScript library. A Python server is answered over HTTP (line 28).',
  );
  line(
    '25',
    'Planning frameworks',
    async () => {
      const plans = new Map<string, readonly string[]>();
      const done: string[] = [];
      const current = async (thread: string) => {
        const [next] = plans.get(thread) ?? [];
        return next === undefined
          ? { text: `Done: ${done.join(', ')}.` }
          : { id: `step-${next}`, action: next };
      };
      const planner = {
        current,
        plan(thread: string, text: string) {
          plans.set(thread, text.split(', '));
          return current(thread);
        },
        decide(thread: string, _step: string, approved: boolean) {
          const [next = '', ...rest] = plans.get(thread) ?? [];
          if (approved) done.push(next);
          plans.set(thread, rest);
          return current(thread);
        },
      };
      const { fromPlanner } = await codeOf<{ fromPlanner(planner: object): ForeignAgent }>(
        'docs/adapters.md',
        'fromPlanner',
      );
      const agents = { planner: fromPlanner(planner) };
      const { client, url } = await serveHost({ agents, dialect: 'draft' }, 'planner');
      const book = await askedOf({ client }, 't', 'book, pay, write');
      expect(book).toMatchObject({ id: 'step-book', reason: 'confirmation' });
      const paying = await client.resume({ threadId: 't' }, approve(book)).finished;
      const writing = client.resume(
        { threadId: 't' },
        paying.interrupts.map((one) => reject(one)),
      );
      expect((await writing.finished).interrupts).toMatchObject([{ id: 'step-write' }]);
      expect(await command('inbox', 'approve', 'step-write', '--url', url)).toMatchObject({ code: 0 });
      await expect.poll(() => done).toEqual(['book', 'write']);
    },
    'the planner of docs/adapters.md',
  );
  line(
    '26',
    'Workflow systems: suspensions become interrupts, an answer resumes the workflow',
    async () => {
      const { fromLoom } = await loomAdapter();
      const store = memoryStore();
      const start = async () => {
        const loom = fromLoom(loomFlow({ pay: async () => 'paid' }));
        return serveHost({ agents: { loom }, store, dialect: 'draft' }, 'loom');
      };
      const first = await start();
      // The flow suspends, and asks for a value.
      const asked = await askedOf(first, 't', 'sign up');
      expect(responseSchemaOf(asked)).toMatchObject({ required: ['email'] });
      await first.close();
      const second = await start();
      const resume = { interruptId: asked.id, payload: { email: 'ana@example.com' } };
      const ended = await second.post({ threadId: 't', runId: 'r2', resume });
      expect(ended.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
      expect(JSON.stringify(ended)).toContain('Results: ');
      expect(JSON.stringify(ended)).toContain('ana@example.com');
    },
    'the tests of integration/ run Mastra workflows and LangGraph',
  );
  line(
    '27',
    'Custom frameworks: an adapter interface and documentation',
    async () => {
      const { fromLoom } = await loomAdapter();
      const paid: number[] = [];
      const pay = async (amount: number) => {
        paid.push(amount);
        return `paid ${amount}`;
      };
      const flow = loomFlow({ pay });
      const { client } = await serveHost({ agents: { loom: fromLoom(flow) } }, 'loom');
      const { interrupts } = await client.run({ threadId: 't', messages: 'pay 1 and 2 and 3' }).finished;
      const [one, two, three] = interrupts;
      if (one === undefined || two === undefined || three === undefined) throw new Error('three interrupts');
      expect(cardFacts(one)).toMatchObject({ isApproval: true, toolName: 'pay', args: { amount: 1 } });
      const answers = [approve(one), reject(two, 'no'), approve(three, { editedArgs: { amount: 30 } })];
      const { messages } = await client.resume({ threadId: 't' }, answers).finished;
      expect(paid).toEqual([1, 30]);
      expect(messages.at(-1)?.content).toBe('Results: paid 1; rejected: no; paid 30');
    },
    'docs/guides/write-an-adapter.md',
  );
  line('28', 'A server of the draft by its address', async () => {
    const { path, inputs } = await serveDraftServer(MINIMAL.asks.interrupt);
    const store = memoryStore();
    const start = () => serveHost({ agents: { remote: fromAgUi(path) }, store }, 'remote');
    const first = await start();
    const asked = await askedOf(first, 't1');
    expect(payloadOf(asked)).toEqual(MINIMAL.asks.interrupt.payload);
    await first.close();
    const { client } = await start();
    expect((await client.resume({ threadId: 't1' }, approve(asked)).finished).outcome).toBe('success');
    expect(inputs.at(-1)?.resume).toEqual(MINIMAL.responds.resume);

    const direct = createClient({ url: path, dialect: 'draft' });
    const again = await askedOf({ client: direct }, 't2');
    expect((await direct.resume({ threadId: 't2' }, approve(again)).finished).outcome).toBe('success');
    expect(inputs.at(-1)?.resume).toEqual(MINIMAL.responds.resume);
  });
  line(
    '29',
    'CopilotKit',
    async () => {
      const guide = read('docs/guides/copilotkit.md');
      const files = [...guide.matchAll(/```\w+ (examples\/\S+)\n([\s\S]*?)```/g)];
      expect(files.map(([, path = '']) => basename(path))).toEqual(['main.jsx', 'server.mjs']);
      for (const [, path = '', code] of files) expect(read(path)).toBe(code);

      // The agent of the guide's page, in the page and after its reload.
      const { path } = await serveTool(payTool(), { to: 'Ana', amount: 10 }, { dialect: '1.0' });
      const HoldpointAgent = holdpointAgent(HttpAgent);
      const page = new HoldpointAgent({ url: path, agentId: 'assistant', threadId: 't' });
      page.addMessage({ id: 'm', role: 'user', content: 'send 10 to Ana' });
      await page.runAgent();
      const reloaded = new HoldpointAgent({ url: path, agentId: 'assistant', threadId: 't' });
      await reloaded.connectAgent();
      expect(reloaded.pendingInterrupts).toEqual(page.pendingInterrupts);
      await reloaded.runAgent({ resume: reloaded.pendingInterrupts.map((one) => approve(one)) });
      expect(reloaded.messages.at(-1)?.content).toBe('Paid $10 to Ana.');
    },
    'its app in examples/apps is run by the tests of integration/',
  );
  held(
    '30',
    'UI: standard components for common reasons',
    'test/browser/cards.deep.test.ts',
    'a card has the controls of its kind',
  );
  line(
    '31',
    'UI: customizable by payload',
    async () => {
      const responseSchema = { type: 'object', properties: { city: { type: 'string', title: 'City' } } };
      const { post, client } = await serveDraft(({ messages = [] }) => ({
        outcome: 'interrupt',
        interrupt: { id: 'i', reason: messages.at(-1)?.content, payload: { responseSchema, city: 'Oslo' } },
      }));
      await post(begin('other', 'r1', 'test:plain'));
      await post(begin('own', 'r2', 'test:booking'));
      registerCard('test:booking', ({ facts }) => html`A room in ${facts.details['city']}`);
      const bodyOf = async (threadId: string) => {
        const { interrupt } = await client.inbox.get(threadId, 'i');
        const facts = cardFacts(interrupt);
        expect(facts.responseSchema).toEqual(responseSchema);
        return { body: cardBodyFor(interrupt.reason, facts.toolName), facts };
      };
      const { body, facts } = await bodyOf('own');
      const card = { facts } as CardContext;
      expect(body(card)).toMatchObject({ strings: ['A room in ', ''], values: ['Oslo'] });
      expect((await bodyOf('other')).body).not.toBe(body);
    },
    '`registerCard` by reason or by tool; a form from the schema',
  );
  held(
    '32',
    'UI: clear indication of pending interrupts',
    'test/browser/pages.test.ts',
    'offers to answer or cancel if a message is written while an interrupt is open',
  );
  line(
    '33',
    'UI: history of actions',
    async () => {
      const { client } = await serveTool(payTool(), { to: 'Ana', amount: 10 });
      const paid = await askedOf({ client }, 'paid');
      await client.resume({ threadId: 'paid' }, approve(paid)).finished;
      const rejected = await askedOf({ client }, 'rejected');
      await client.resume({ threadId: 'rejected' }, reject(rejected, 'Too dear.')).finished;
      const { interrupts } = await client.inbox.list({ status: 'all', order: 'answered' });
      const rows = interrupts.map((item) => ({ ...toRow(item), threadId: item.threadId }));
      expect(rows.map(({ threadId }) => threadId)).toEqual(['rejected', 'paid']);
      expect(rows.map(({ facts }) => facts.display)).toEqual([{ amount: '$10' }, { amount: '$10' }]);
      const history = await client.inbox.history('rejected', rejected.id);
      const [raised, ...later] = history.map(({ what }) => what);
      expect([raised, later.at(-1)]).toEqual(['raised', 'settled']);
      expect(JSON.stringify(history)).toContain('Too dear.');
      expect(toCsv(['what', 'interruptId'], history)).toContain(`"raised","${rejected.id}"\r\n`);
    },
    'an amount comes from the arguments or from `display`',
  );
  held(
    '34',
    'UI in front of any AG-UI server',
    SCREENS,
    'asks for no route that is not there, and answers in the dialect of its attribute',
  );
  line(
    '35',
    'The unmodified `@ag-ui/client`',
    async () => {
      const agentOf = async (dialect: 'draft' | '1.0') => {
        const served = await serveDraft(asking(MINIMAL.asks.interrupt), { dialect });
        const agent = new HttpAgent({ url: served.path, threadId: 't1' });
        agent.addMessage({ id: 'm', role: 'user', content: 'Go.' });
        return { agent, inputs: served.inputs };
      };
      const { agent, inputs } = await agentOf('1.0');
      await agent.runAgent();
      expect(agent.pendingInterrupts).toMatchObject([{ id: 'int-abc123', reason: 'human_approval' }]);
      const { result } = await agent.runAgent({ resume: agent.pendingInterrupts.map((one) => approve(one)) });
      expect(result).toEqual({ approved: true });
      expect(inputs[1]?.resume).toEqual(MINIMAL.responds.resume);

      const quiet = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
      for (const spy of quiet) spy.mockImplementation(() => undefined);
      const draft = await agentOf('draft');
      await expect(draft.agent.runAgent()).rejects.toThrow('outcome');
      for (const spy of quiet) spy.mockRestore();
    },
    'on the 1.0 wire; that client rejects the draft wire by itself',
  );
  line(
    '36',
    'A value is needed on the next run: no new message while an interrupt is open',
    async () => {
      const { post, client, inputs } = await serveDraft(asking(MINIMAL.asks.interrupt));
      const asked = await askedOf({ client }, 't1');
      const refused = await post(begin('t1', 'r2', 'Never mind.'));
      expect(refused.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'INTERRUPTS_PENDING' });
      const run = client.run({ threadId: 't1', messages: 'Never mind.' });
      await expect(run.finished).rejects.toMatchObject({ code: 'INTERRUPTS_PENDING' });
      expect(inputs).toHaveLength(1);
      await client.run({ threadId: 't1', messages: 'Go on.', resume: approve(asked) }).finished;
      expect(inputs[1]?.resume).toEqual(MINIMAL.responds.resume);
    },
    '`INTERRUPTS_PENDING`',
  );
  line('37', 'Testing strategy: five kinds of tests', async () => {
    // Serialization.
    const write = createEventWriter('draft');
    expect(createEventReader().read(MINIMAL.asks).flatMap(write)).toEqual([MINIMAL.asks]);
    const { input, dialect } = decodeInput(MINIMAL.responds);
    expect([dialect, dialectNamed('draft').encodeInput(input)]).toMatchObject(['draft', MINIMAL.responds]);
    // Several frameworks in one host, from end to end, each with its state across the interrupt, in rapid cycles.
    const { fromLoom } = await loomAdapter();
    const agents = {
      loom: fromLoom(loomFlow({ pay: async (amount) => `paid ${amount}` })),
      async *counter(input: unknown) {
        const { threadId, runId, resume, state } = input as DraftInput;
        yield { type: 'RUN_STARTED', threadId, runId };
        if (resume === undefined)
          yield { type: 'STATE_SNAPSHOT', snapshot: { count: (state?.count ?? 0) + 1 } };
        const end = resume === undefined ? { interrupt: { reason: 'more' } } : { result: state?.count };
        yield { type: 'RUN_FINISHED', threadId, runId, ...end };
      },
    };
    const { url } = await serveHost({ agents, dialect: 'draft' }, 'counter');
    for (const [name, says, payload] of [
      ['counter', 'Go.', true],
      ['loom', 'pay 1', { approved: true }],
    ] as const) {
      const client = createClient({ url: `${url}/agents/${name}` });
      for (let cycle = 1; cycle <= 5; cycle += 1) {
        const asked = await askedOf({ client }, name, says);
        const { outcome, state, result } = await client.resume({ threadId: name }, answer(asked, payload))
          .finished;
        expect(outcome).toBe('success');
        // The agent gets the state from before the interrupt, and the client has it after the interrupt.
        if (name === 'counter') expect([result, state]).toEqual([cycle, { count: cycle }]);
      }
      const shown = await createClient({ url: `${url}/agents/${name}` }).connect(name).finished;
      expect(shown.interrupts).toEqual([]);
      expect(shown.messages.filter(({ role }) => role === 'user')).toHaveLength(5);
    }
  });
});
