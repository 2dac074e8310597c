/** The examples of "Interrupt-Aware Run Lifecycle" (the AG-UI draft), as they are written there. */
import { approve, createClient } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { memoryStore } from 'holdpoint/store/memory';
import { describe, expect, it } from 'vitest';
import { run as command } from '../../src/cli/testing-support/run-command.ts';
import { cardFacts } from '../../src/elements/interrupt/card-facts.ts';
import { serve } from '../../src/host/node/index.ts';

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
