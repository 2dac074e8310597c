/** The examples of "Interrupt-Aware Run Lifecycle" (the AG-UI draft), as they are written there. */
import { approve, createClient } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { memoryStore } from 'holdpoint/store/memory';
import { describe, expect, it } from 'vitest';
import { run as command } from '../../src/cli/testing-support/run-command.ts';
import { cardFacts } from '../../src/elements/interrupt/card-facts.ts';
import { serve } from '../../src/host/node/index.ts';
import { walkSeed } from './walk.ts';

interface DraftInput {
  readonly threadId: string;
  readonly runId: string;
  readonly resume?: { readonly interruptId?: string; readonly payload?: unknown };
}

/** The agent of the draft: it sends the event of the example, and then succeeds with the payload that it was given. */
function draftHost(asks: { readonly threadId: string; readonly runId: string }) {
  const inputs: DraftInput[] = [];
  const host = createHost({
    logger: false,
    sweepMs: 0,
    store: memoryStore(),
    agents: {
      async *drafter(input) {
        const given = input as unknown as DraftInput;
        inputs.push(given);
        const { threadId, runId, resume } = given;
        yield { type: 'RUN_STARTED', threadId, runId };
        if (resume === undefined) yield asks;
        else yield { type: 'RUN_FINISHED', threadId, runId, outcome: 'success', result: resume.payload };
      },
    },
  });
  const post = async (body: object) => {
    const response = await host.fetch(
      new Request('http://localhost/agents/drafter', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'ag-ui-dialect': 'draft' },
        body: JSON.stringify(body),
      }),
    );
    const frames = [...(await response.text()).matchAll(/^data: (.*)$/gm)];
    return frames.map(([, json = '']) => JSON.parse(json) as Record<string, unknown>);
  };
  return { host, inputs, post };
}

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

describe.each([
  ['Minimal Interrupt/Resume', MINIMAL],
  ['Complex Approval Flow', COMPLEX],
])('%s', (_section, { asks, responds }) => {
  const { threadId, runId } = asks;
  const begin = { threadId, runId, messages: [{ id: 'm', role: 'user', content: 'Go.' }] };

  it('the agent sends the interrupt, the user responds, and the agent gets the same resume', async () => {
    const { host, post, inputs } = draftHost(asks);
    expect((await post(begin)).at(-1)).toEqual(asks);
    const ended = await post(responds);
    expect(ended.at(-1)).toMatchObject({ outcome: 'success', result: responds.resume.payload });
    expect(inputs[1]?.resume).toEqual(responds.resume);
    await host.close();
  });

  it('a person approves it with the client, on the card and with the command', async () => {
    for (const way of ['client', 'command'] as const) {
      const { host, inputs } = draftHost(asks);
      const { url, close } = await serve(host, { port: 0 });
      const client = createClient({ url: `${url}/agents/drafter` });
      const { interrupts } = await client.run({ threadId, messages: 'Go.' }).finished;
      const [interrupt] = interrupts;
      if (interrupt === undefined) throw new Error('no interrupt');
      expect(cardFacts(interrupt)).toMatchObject({ isApproval: true, details: expect.objectContaining({}) });
      if (way === 'client') await client.resume({ threadId }, approve(interrupt)).finished;
      else expect(await command('inbox', 'approve', interrupt.id, '--url', url)).toMatchObject({ code: 0 });
      await expect
        .poll(() => inputs[1]?.resume)
        .toEqual({
          interruptId: interrupt.id,
          payload: { approved: true },
        });
      await close();
    }
  });
});

describe('Updates to RUN_FINISHED Event', () => {
  it.each([
    [{ outcome: 'interrupt', interrupt: {} }, 'interrupt'],
    [{ interrupt: { reason: 'policy_hold' } }, 'interrupt'],
    [{ outcome: 'success', result: { done: true } }, 'success'],
    [{ result: { done: true } }, 'success'],
  ])('reads %j as %s', async (end, outcome) => {
    const { host } = draftHost({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', ...end } as never);
    const { url, close } = await serve(host, { port: 0 });
    const run = createClient({ url: `${url}/agents/drafter` }).run({ threadId: 't', messages: 'Go.' });
    expect((await run.finished).outcome).toBe(outcome);
    await close();
  });
});

describe('Contract Rules', () => {
  it('a resume on another thread is rejected, and so is one that does not echo the id', async () => {
    const { host, post, inputs } = draftHost(MINIMAL.asks);
    await post({ threadId: 't1', runId: 'r1', messages: [{ id: 'm', role: 'user', content: 'Go.' }] });
    const { resume } = MINIMAL.responds;
    const wrong = [
      { threadId: 't2', runId: 'r2', resume },
      { threadId: 't1', runId: 'r3', resume: { payload: { approved: true } } },
    ];
    for (const body of wrong) {
      expect((await post(body)).at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'INTERRUPT_UNKNOWN' });
    }
    expect(inputs).toHaveLength(1);
    await host.close();
  });
});

const HERE = 'test/seeds/001-draft.test.ts';
const SCREENS = 'test/browser/seeds.test.ts';

walkSeed('001', 'AG-UI draft: Interrupt-Aware Run Lifecycle', ({ line, held, not }) => {
  held(
    '1',
    '`RUN_FINISHED { outcome: "interrupt", interrupt: { id, reason, payload } }`',
    HERE,
    'the agent sends the interrupt, the user responds, and the agent gets the same resume',
  );
  held('2', '`RunAgentInput.resume { interruptId, payload }`', HERE, 'the agent gets the same resume');
  line(
    '3',
    '`threadId` inside `resume`',
    async () => {
      const { host, post } = draftHost(MINIMAL.asks);
      await post({ threadId: 't1', runId: 'r1', messages: [{ id: 'm', role: 'user', content: 'Go.' }] });
      const { resume } = MINIMAL.responds;
      const ended = await post({ threadId: 't1', runId: 'r2', resume: { ...resume, threadId: 't1' } });
      expect(ended.at(-1)).toMatchObject({ outcome: 'success' });
      await host.close();
    },
    'another thread there is `INPUT_INVALID`',
  );
  held('4', '`outcome` is optional', HERE, 'reads %j as %s');
  held(
    '5',
    '`interrupt.id` is set when needed',
    'src/host/foreign-agents.test.ts',
    'a foreign agent that asks in the draft, without an id, gets its answer in the draft',
    'the host gives an interrupt an id, and the answer names it; the agent gets its answer without one',
  );
  held(
    '6',
    '`reason` is any text',
    'test/browser/cards.deep.test.ts',
    'also for an unknown reason and without a schema',
  );
  held(
    '7',
    '`payload`: proposals',
    HERE,
    'a person approves it with the client, on the card and with the command',
  );
  held(
    '8',
    '`payload`: forms and diffs',
    SCREENS,
    'takes %s for a draft error recovery without a schema',
    '`payload.responseSchema` is a form; a diff is shown, and its answer is a text or JSON',
  );
  held('9', 'A resume uses the same thread', HERE, 'a resume on another thread is rejected');
  held('10', 'A given id is echoed', HERE, 'and so is one that does not echo the id');
  held(
    '11',
    'Missing and invalid payloads are handled gracefully',
    'src/ledger/ledger.test.ts',
    'stays open after an invalid answer',
  );
  held(
    '12',
    'The minimal example, on the wire and by a person',
    HERE,
    "['Minimal Interrupt/Resume', MINIMAL]",
  );
  held('13', 'The complex example on the wire', HERE, "['Complex Approval Flow', COMPLEX]");
  held(
    '14',
    'The complex example by a person, with modifications',
    SCREENS,
    'takes the modifications of the example of the draft as JSON',
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
