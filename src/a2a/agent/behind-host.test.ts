import { HttpAgent } from '@ag-ui/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../engine/index.ts';
import { createHost } from '../../host/index.ts';
import { createGate } from '../../host/testing-support/host-client.ts';
import { serveHost } from '../../host/testing-support/serve-host.ts';
import { readHistory } from '../../ledger/testing-support/as-operator.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { defineAgent } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { sqliteStore } from '../../store/sqlite/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { A2aAgent } from '../index.ts';
import { toA2a } from '../index.ts';
import { OPEN_REQUEST, signUp } from '../testing-support/executors.ts';
import { serveFetch } from '../testing-support/serve-fetch.ts';
import { useBridge } from '../testing-support/use-bridge.ts';

const { serve, bridge, forbid } = useBridge();
const closers: (() => Promise<void>)[] = [];
const complaints: unknown[][] = [];

beforeEach(() => {
  // The official client reports events that it cannot apply on the console.
  for (const level of ['warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((...said: unknown[]) => void complaints.push(said));
  }
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closers.splice(0)) await close();
  expect(complaints.splice(0)).toEqual([]);
});

interface End {
  readonly outcome: string;
  readonly interrupts: readonly Interrupt[];
  readonly code: string | undefined;
}

async function hostOf(agent: A2aAgent, store: Store, sweepMs = 20) {
  const served = await serveHost(createHost({ logger: false, agents: { helper: agent }, store, sweepMs }));
  closers.push(() => served.close());
  const clientFor = (threadId: string) => new HttpAgent({ url: `${served.url}/agents/helper`, threadId });
  const run = async (
    client: HttpAgent,
    given: { say?: string; resume?: ResumeEntry[] } = {},
  ): Promise<End> => {
    const [id, runId] = [`agui-m-${crypto.randomUUID()}`, `agui-r-${crypto.randomUUID()}`];
    forbid('agui-', id, runId);
    if (given.say !== undefined) client.addMessage({ id, role: 'user', content: given.say });
    let end: End = { outcome: '', interrupts: [], code: undefined };
    await client.runAgent(given.resume === undefined ? { runId } : { runId, resume: given.resume }, {
      onRunFinishedEvent: ({ event }) => {
        const { outcome } = event;
        end = {
          outcome: outcome?.type ?? 'success',
          interrupts: outcome?.type === 'interrupt' ? outcome.interrupts : [],
          code: undefined,
        };
      },
      onRunErrorEvent: ({ event }) => {
        end = { outcome: 'error', interrupts: [], code: event.code };
      },
    });
    forbid(...end.interrupts.map((interrupt) => interrupt.id));
    return end;
  };
  return { url: served.url, clientFor, run };
}

const resolved = (interrupt: Interrupt | undefined, payload: unknown): ResumeEntry[] => [
  { interruptId: interrupt?.id ?? '', status: 'resolved', payload },
];

/** A fetch that fails for the nth message and passes all other requests. */
function dropping(n: number): typeof fetch {
  let messages = 0;
  return async (input, init) => {
    if (typeof init?.body === 'string' && init.body.includes('"messageId"')) messages += 1;
    else return fetch(input, init);
    if (messages === n) throw new TypeError('fetch failed');
    return fetch(input, init);
  };
}

describe('an A2A agent behind a host, with the official client', () => {
  it('interrupts, continues after the answer, and sends only patches that the client can apply', async () => {
    const taken: unknown[] = [];
    const store = sqliteStore(':memory:');
    const { clientFor, run } = await hostOf(
      bridge(await serve(signUp(taken, OPEN_REQUEST)), { store }),
      store,
    );
    const client = clientFor('agui-t');
    const paused = await run(client, { say: 'sign me up' });
    expect(paused.interrupts).toHaveLength(1);
    const [interrupt] = paused.interrupts;
    expect(client.state).toMatchObject({
      view: { pendingInterrupts: { [interrupt!.id]: { reason: 'input_required' } } },
    });
    const end = await run(client, { resume: resolved(interrupt, { email: 'a@b.c' }) });
    expect(end.outcome).toBe('success');
    expect(taken).toHaveLength(1);
    expect(client.state).toMatchObject({ view: { pendingInterrupts: {} } });
    const activity = client.messages.find(({ id }) => id === interrupt!.id);
    expect(activity).toMatchObject({
      role: 'activity',
      content: { stage: 'completed', decision: 'provided', values: { email: 'a@b.c' } },
    });
  });

  it('writes taskId, contextId, interruptId and request in the payload of the draft dialect, beside its prompt and schema', async () => {
    const store = memoryStore();
    const { url } = await hostOf(bridge(await serve(signUp([], OPEN_REQUEST)), { store }), store);
    const input = {
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'm', role: 'user', content: 'go' }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    };
    const response = await fetch(`${url}/agents/helper`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'ag-ui-dialect': 'draft' },
      body: JSON.stringify(input),
    });
    const last = (await response.text())
      .trim()
      .split('\n')
      .findLast((line) => line.startsWith('data: '))
      ?.slice(6);
    const { interrupt } = JSON.parse(last ?? '') as {
      interrupt: { id: string; payload: Record<string, unknown> };
    };
    expect(Object.keys(interrupt.payload).toSorted()).toEqual([
      'contextId',
      'interruptId',
      'prompt',
      'request',
      'responseSchema',
      'taskId',
    ]);
    expect(interrupt.payload['interruptId']).toBe(interrupt.id);
  });

  it('continues in the background after an inbox answer on a second host', async () => {
    const taken: unknown[] = [];
    const store = memoryStore();
    const server = await serve(signUp(taken, OPEN_REQUEST));
    const first = await hostOf(bridge(server, { store }), store);
    const client = first.clientFor('agui-t');
    const { interrupts } = await first.run(client, { say: 'sign me up' });
    const second = await hostOf(bridge(server, { store }), store);
    const answered = await fetch(
      `${second.url}/threads/agui-t/interrupts/${encodeURIComponent(interrupts[0]!.id)}/answer`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ status: 'resolved', payload: { email: 'a@b.c' } }),
      },
    );
    expect(answered.status).toBe(200);
    await vi.waitFor(() => expect(taken).toHaveLength(1));
    await vi.waitFor(async () => {
      const history = await readHistory(store, { scope: 'default', thread: 'agui-t' });
      expect(history.map(({ what }) => what)).toContain('settled');
    });
    expect(taken).toHaveLength(1);
  });

  it.each([
    ['sends an answer in doubt again after retry', 'retry', 1],
    ['does not send an answer in doubt again after finished', 'finished', 0],
  ] as const)('%s', async (_what, action, sent) => {
    const taken: unknown[] = [];
    const store = memoryStore();
    const { clientFor, run } = await hostOf(
      bridge(await serve(signUp(taken, OPEN_REQUEST)), { store, fetch: dropping(2) }),
      store,
    );
    const client = clientFor('agui-t');
    const paused = await run(client, { say: 'sign me up' });
    const doubt = await run(client, { resume: resolved(paused.interrupts[0], { email: 'a@b.c' }) });
    expect(doubt.interrupts).toMatchObject([{ reason: 'error_recovery' }]);
    expect(taken).toHaveLength(0);
    const decided = await run(client, { resume: resolved(doubt.interrupts[0], { action }) });
    expect(decided.outcome).toBe('success');
    expect(taken).toHaveLength(sent);
  });
});

describe('a host that stops while it answers an A2A task', () => {
  /** A fetch that hangs on the nth request that contains `what`, before it is sent or after its response. */
  const hanging = (what: string, nth: number, when: 'before' | 'after', hung: () => void): typeof fetch => {
    let count = 0;
    return async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes(what)) count += 1;
      else return fetch(input, init);
      if (count !== nth) return fetch(input, init);
      if (when === 'after') await (await fetch(input, init)).text();
      hung();
      return new Promise<never>(() => undefined);
    };
  };

  it.each([
    ['before it claimed the pause', '"GetTask"', 2, 'before', 'success', 1],
    ['before it sent the answer', '"messageId"', 2, 'before', 'error_recovery', 0],
    ['after the agent got the answer', '"messageId"', 2, 'after', 'success', 1],
  ] as const)(
    'the next host sends nothing twice if the first one stopped %s',
    async (...[, what, nth, when, expected, sent]) => {
      const taken: unknown[] = [];
      const time = { value: 1_000_000 };
      const store = memoryStore({ clock: { now: () => time.value } });
      const server = await serve(signUp(taken, OPEN_REQUEST));
      const hung = createGate();
      const first = await hostOf(
        bridge(server, { store, fetch: hanging(what, nth, when, hung.open) }),
        store,
        0,
      );
      const client = first.clientFor('agui-t');
      const paused = await first.run(client, { say: 'sign me up' });
      void first
        .run(client, { resume: resolved(paused.interrupts[0], { email: 'a@b.c' }) })
        .catch(() => undefined);
      await hung.opened;
      time.value += 120_000;
      const second = await hostOf(bridge(server, { store }), store, 0);
      const next = await second.run(second.clientFor('agui-t'));
      expect(next.interrupts[0]?.reason ?? next.outcome).toBe(expected);
      expect(taken).toHaveLength(sent);
    },
  );
});

describe('a2aAgent connected to toA2a', () => {
  async function loop() {
    const sent: unknown[] = [];
    const transfer = defineTool({
      name: 'transfer',
      description: 'Moves money.',
      input: z.object({ amount: z.number() }),
      approval: true,
      title: ({ amount }) => `Send ${amount}`,
      run(input, { idempotencyKey }) {
        sent.push({ ...input, idempotencyKey });
        return { ok: true };
      },
    });
    const bank = defineAgent({
      id: 'bank',
      model: scriptedModel(({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return `Result: ${String(last.content)}`;
        return {
          text: 'One moment.',
          calls: [{ id: `call-${messages.length}`, name: 'transfer', input: { amount: 5 } }],
        };
      }),
      tools: [transfer],
    });
    const inner = memoryStore();
    const served = await serveFetch(toA2a(bank, { store: inner }).fetch);
    closers.push(() => served.close());
    const store = memoryStore();
    return { sent, served, inner, ...(await hostOf(bridge(served, { store }), store)) };
  }

  it('runs an approved call once and records the decision in the inner ledger', async () => {
    const { sent, served, inner, clientFor, run } = await loop();
    const client = clientFor('agui-loop-thread');
    const paused = await run(client, { say: 'transfer 5' });
    expect(paused.interrupts).toMatchObject([
      { reason: 'confirmation', responseSchema: { required: ['approved'] } },
    ]);
    const [interrupt] = paused.interrupts;
    const again = clientFor('agui-loop-thread');
    const [end, twin] = await Promise.all([
      run(client, { resume: resolved(interrupt, { approved: true }) }),
      run(again, { resume: resolved(interrupt, { approved: true }) }),
    ]);
    expect([end.outcome, twin.outcome]).toEqual(['success', 'success']);
    expect(sent).toHaveLength(1);
    expect(client.messages.map(({ content }) => content)).toContain('Result: {"ok":true}');
    const contextId = String(interrupt?.metadata?.['contextId']);
    const history = await readHistory(inner, { scope: 'default', thread: contextId });
    expect(history.map(({ what }) => what)).toEqual(expect.arrayContaining(['raised', 'claimed', 'settled']));
    const leaked = [interrupt!.id, 'agui-loop-thread'].filter((id) =>
      served.requests.some((request) => request.includes(id)),
    );
    expect(leaked).toEqual([]);
  });

  it('does not run a denied or cancelled call', async () => {
    const { sent, clientFor, run } = await loop();
    const denied = clientFor('denied');
    const asked = await run(denied, { say: 'transfer 5' });
    expect(
      (await run(denied, { resume: resolved(asked.interrupts[0], { approved: false, reason: 'no' }) }))
        .outcome,
    ).toBe('success');
    const cancelled = clientFor('cancelled');
    const open = await run(cancelled, { say: 'transfer 5' });
    const end = await run(cancelled, {
      resume: [{ interruptId: open.interrupts[0]!.id, status: 'cancelled' }],
    });
    expect(end.outcome).toBe('cancelled');
    expect(sent).toEqual([]);
    expect((await run(cancelled, { say: 'transfer 5' })).interrupts).toHaveLength(1);
  });
});
