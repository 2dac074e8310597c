/** Clients of two servers on one database, which restart one after the other. */
import { approve, createClient } from 'holdpoint/client';
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Store } from '../../src/store/index.ts';
import { bound } from '../../src/ledger/testing-support/bound-store.ts';
import { createGate } from '../../src/host/testing-support/host-client.ts';
import { serveHost } from '../../src/host/testing-support/serve-host.ts';

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/**
 * Two servers on one SQLite file, and a client. Each request goes to one server first, and to the other one when it is repeated, as
 * through a load balancer that does not know which server is closing.
 */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-restart-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const effects: string[] = [];
  const gates = [createGate(), createGate()];
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object' },
    approval: true,
    run: (_input, { threadId }) => void effects.push(threadId),
  });
  const hold = defineTool({
    name: 'hold',
    description: 'Holds the server.',
    input: { type: 'object' },
    run: (_input, { threadId }) => gates[Number(threadId.at(-1))]?.opened.then(() => 'done'),
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== 'user') return 'Done.';
    return { calls: [{ id: `c${messages.length}`, name: last.content === 'hold' ? 'hold' : 'send' }] };
  });
  const start = async (wrap: (store: Store) => Store = (store) => store) => {
    const store = sqliteStore(join(folder, 'holdpoint.db'), { synchronous: 'NORMAL' });
    const agent = defineAgent({ id: 'assistant', model, tools: [send, hold] });
    const host = createHost({ agents: [agent], store: wrap(store), logger: false, sweepMs: 0 });
    const served = await serveHost(host);
    let closed: Promise<void> | undefined;
    const close = () =>
      (closed ??= host
        .close({ withinMs: 60_000 })
        .then(() => served.close())
        .then(() => store.close()));
    closers.push(close);
    return { url: served.url, host, close };
  };
  closers.push(() => {
    for (const gate of gates) gate.open();
  });
  const servers = [await start(), await start()];
  const statuses: number[] = [];
  const balancer = { first: 0 };
  const repeats = new Map<string, number>();
  const inTurn: typeof globalThis.fetch = async (target, init) => {
    const { pathname, search } = new URL(String(target));
    const name = `${pathname}${search}${String(init?.body)}`;
    const repeat = repeats.get(name) ?? 0;
    repeats.set(name, repeat + 1);
    const server = servers[(balancer.first + repeat) % servers.length];
    const response = await fetch(`${server?.url}${pathname}${search}`, init);
    statuses.push(response.status);
    return response;
  };
  const retry = { baseDelayMs: 1, maxDelayMs: 5 };
  const client = createClient({ url: 'http://balancer/agents/assistant', fetch: inTurn, retry });
  /** Asks, approves and reads to the end. */
  const converse = async (threadId: string) => {
    const asked = client.run({ threadId, messages: 'send' });
    const { interrupts } = await asked.finished;
    const { outcome, messages } = await client.resume(
      asked,
      interrupts.map((one) => approve(one)),
    ).finished;
    return [outcome, messages.map(({ role }) => role)];
  };
  return { servers, start, client, converse, effects, gates, statuses, balancer };
}

const WHOLE = ['success', ['user', 'assistant', 'tool', 'assistant']];

it('a rolling restart of two servers loses no request', async () => {
  const { servers, start, converse, effects, gates, statuses, balancer } = await setUp();
  const threads: string[] = [];
  for (const [index, server] of servers.entries()) {
    // A run at work keeps the server from ending, so that it refuses requests as long as the test needs.
    const holder = createClient({ url: `${server.url}/agents/assistant` });
    const run = holder.run({ threadId: `holds-${index}`, messages: 'hold' });
    for await (const { rawRepresentation } of run) if (rawRepresentation.type === 'TOOL_CALL_END') break;
    balancer.first = index;
    const closed = server.close();
    const own = Array.from({ length: 8 }, (_, n) => `t${index}-${n}`);
    threads.push(...own);
    expect(await Promise.all(own.map(converse))).toEqual(own.map(() => WHOLE));
    gates[index]?.open();
    expect((await run.finished).outcome).toBe('success');
    await closed;
    servers[index] = await start();
  }
  expect(effects.toSorted()).toEqual(threads.toSorted());
  // Each conversation sent two requests, and each was refused once.
  expect(statuses.filter((status) => status === 503)).toHaveLength(2 * threads.length);
});

it('a message whose claim was being written while its server closed is repeated, and works once', async () => {
  const { servers, start, client, effects, statuses, balancer } = await setUp();
  const [writing, written] = [createGate(), createGate()];
  let isHeld = false;
  const slow = await start((store) => ({
    ...bound(store),
    async commit(batch) {
      const result = await store.commit(batch);
      if (isHeld && batch.puts?.some(({ table }) => table === 'threads') === true) {
        isHeld = false;
        writing.open();
        await written.opened;
      }
      return result;
    },
  }));
  servers[0] = slow;
  balancer.first = 0;
  isHeld = true;
  const asked = client.run({ threadId: 't', messages: 'send' });
  await writing.opened;
  const closed = slow.host.close();
  written.open();
  const { interrupts } = await asked.finished;
  await closed;
  balancer.first = 1;
  const answers = interrupts.map((one) => approve(one));
  const { outcome, messages } = await client.resume(asked, answers).finished;
  expect([outcome, messages.map(({ role }) => role)]).toEqual(WHOLE);
  expect([effects, statuses]).toEqual([['t'], [503, 200, 200]]);
});
