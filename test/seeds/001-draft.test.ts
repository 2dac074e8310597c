/** The lines of "Interrupt-Aware Run Lifecycle" (the AG-UI draft), as its reader goes through them: over HTTP, with its examples. */
import { answer, approve, createClient, isApprovable, responseSchemaOf } from 'holdpoint/client';
import type { Interrupt } from 'holdpoint/client';
import { isApproved } from 'holdpoint/content';
import { cardFacts } from 'holdpoint/elements';
import { createHost } from 'holdpoint/host';
import type { HostOptions } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { payloadOf } from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import { afterEach, expect } from 'vitest';
import { run as command } from '../../src/cli/testing-support/run-command.ts';
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
    const free = await serveDraft(({ resume }) =>
      resume === undefined ? MINIMAL.asks : { outcome: 'success', result: isApproved(resume.payload) },
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
    },
    'a form where the payload has `modifications`',
  );
  held(
    '15',
    'Human approval, with edits and a reason to reject',
    'src/host/dialects.test.ts',
    'approves, rejects and edits',
  );
  held(
    '16',
    'Information gathering: a text',
    'src/elements/interrupt/interrupt.test.ts',
    'gets the input that its prompt names',
  );
  held(
    '17',
    'Information gathering: files',
    'test/browser/pages.test.ts',
    'uploads a file, and offers actions for a failed call',
  );
  held(
    '18',
    'Policy enforcement',
    'src/engine/calls/approval.test.ts',
    'holds a tool without an approval, even an exempt one',
  );
  held(
    '19',
    'Multi-step wizards',
    'test/browser/pages.test.ts',
    'goes back in a form of several pages without losing values',
  );
  held(
    '20',
    'Error recovery of a tool of yours',
    'src/engine/calls/pausing.test.ts',
    'raises an interrupt with the error and the actions',
  );
  held(
    '21',
    'Error recovery of an agent of the draft',
    SCREENS,
    'takes %s for a draft error recovery without a schema',
  );
  held('22', 'TypeScript SDK: types', 'src/protocol/index.ts', 'DraftInterrupt');
  held(
    '23',
    'TypeScript SDK: helper methods',
    'src/protocol/interrupts/resume.ts',
    'export function buildResume',
    '`outcomeOf`, `interruptsOf`, `buildResume`, `validateCoverage`',
  );
  not(
    '24',
    'Python SDK',
    'another language: Holdpoint is a TypeScript library. A Python server is answered over HTTP (line 28).',
  );
  held('25', 'Planning frameworks', 'docs/adapters.md', 'planner', 'the planner of docs/adapters.md');
  held(
    '26',
    'Workflow systems: suspensions become interrupts, an answer resumes the workflow',
    'integration/mastra/agents.ts',
    'workflow',
    'the tests of integration/ run Mastra workflows and LangGraph',
  );
  held(
    '27',
    'Custom frameworks: an adapter interface and documentation',
    'test/write-an-adapter/write-an-adapter.test.ts',
    'the adapter of the guide goes through every scenario of the frameworks',
    'docs/guides/write-an-adapter.md',
  );
  held(
    '28',
    'A server of the draft by its address',
    'test/forms-of-servers.test.ts',
    'fromAgUi answers a server of %s in its form, also after a restart',
  );
  held(
    '29',
    'CopilotKit',
    'docs/guides/copilotkit.md',
    'CopilotKit',
    'its app in examples/apps is run by the tests of integration/',
  );
  held(
    '30',
    'UI: standard components for common reasons',
    'test/browser/cards.deep.test.ts',
    'a card has the controls of its kind',
  );
  held(
    '31',
    'UI: customizable by payload',
    'src/elements/interrupt/interrupt.test.ts',
    'registerCard',
    '`registerCard` by reason or by tool; a form from the schema',
  );
  held(
    '32',
    'UI: clear indication of pending interrupts',
    'test/browser/pages.test.ts',
    'offers to answer or cancel if a message is written while an interrupt is open',
  );
  held(
    '33',
    'UI: history of actions',
    'test/browser/inbox.test.ts',
    'shows the words before a request, earlier decisions and the history',
    'an amount comes from the arguments or from `display`',
  );
  held(
    '34',
    'UI in front of any AG-UI server',
    SCREENS,
    'asks for no route that is not there, and answers in the dialect of its attribute',
  );
  held(
    '35',
    'The unmodified `@ag-ui/client`',
    'src/host/http-agent.test.ts',
    'approves, and the tool runs once',
    'on the 1.0 wire; that client rejects the draft wire by itself',
  );
  held(
    '36',
    'A value is needed on the next run: no new message while an interrupt is open',
    'src/host/runs.test.ts',
    'a new message while an interrupt is open is rejected',
    '`INTERRUPTS_PENDING`',
  );
  held(
    '37',
    'Testing strategy: five kinds of tests',
    'src/protocol/dialects/round-trip.test.ts',
    'reads an input as it was written',
  );
});
