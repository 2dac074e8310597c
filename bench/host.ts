/**
 * `npx tsx --conditions=holdpoint-source bench/host.ts [cycles | events | inbox | watchers]`: a host over HTTP on this machine.
 * Figures, no verdicts.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import type { RunAgentInput } from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import type { ReadersResult, ReadersTask } from './host-readers.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
const readers = fork(join(import.meta.dirname, 'host-readers.ts'), [], { execArgv: process.execArgv });
const read = async (task: ReadersTask): Promise<ReadersResult> => {
  readers.send(task);
  const [result] = (await once(readers, 'message')) as [ReadersResult];
  return result;
};
setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;
const settle = async (milliseconds = 50) => {
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
  collect();
};
const say = (name: string, figure: string) => console.log(`${name.padEnd(62)} ${figure}`);
const perSecond = (count: number, milliseconds: number) => `${Math.round((count * 1000) / milliseconds)}/s`;
let databases = 0;
const database = (synchronous: 'FULL' | 'NORMAL' = 'FULL') => {
  databases += 1;
  return sqliteStore(join(folder, `${databases}.db`), { synchronous });
};

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  approval: true,
  run: () => 'paid',
});
const payer = () =>
  defineAgent({
    id: 'payer',
    tools: [pay],
    model: scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { calls: [{ id: 'c', name: 'pay' }] } : 'Done.',
    ),
  });

const EVENTS = 500;

/** A model that emits one event in each turn of the event loop. */
async function* talker({ threadId, runId }: RunAgentInput) {
  yield { type: 'RUN_STARTED', threadId, runId };
  yield { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
  for (let n = 0; n < EVENTS - 4; n += 1) {
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'so many words ' };
    if (n % 4 === 0) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
  yield { type: 'TEXT_MESSAGE_END', messageId: 'm' };
  yield { type: 'RUN_FINISHED', threadId, runId };
}

const limits = { requestsPerMinute: 1e9, concurrentRuns: 5000 };
const runRequest = (agent: string, n: number | string) => {
  const messages = [{ id: 'm1', role: 'user', content: 'go' }];
  const body = JSON.stringify({ threadId: `t${n}`, runId: `r${n}`, messages, tools: [], context: [] });
  return `POST /agents/${agent} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

/** An interrupt and its answer, by HTTP, from the message to the last event. */
async function cycles(): Promise<void> {
  for (const synchronous of ['FULL', 'NORMAL'] as const) {
    const store = database(synchronous);
    const host = createHost({ agents: [payer()], store, limits });
    const { url, close } = await serve(host, { port: 0 });
    const post = async (body: object) => {
      const response = await fetch(`${url}/agents/payer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ tools: [], context: [], messages: [], ...body }),
      });
      return response.text();
    };
    const cycle = async (threadId: string) => {
      const messages = [{ id: 'm1', role: 'user', content: 'go' }];
      const asked = await post({ threadId, runId: 'a', messages });
      const interruptId = /"interrupts":\[\{"id":"([^"]+)"/.exec(asked)?.[1];
      const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }];
      const told = await post({ threadId, runId: 'b', resume });
      if (!told.includes('"paid"')) throw new Error(told);
    };
    for (let n = 0; n < 30; n += 1) await cycle(`warm-${n}`);
    let start = performance.now();
    for (let n = 0; n < 80; n += 1) await cycle(`one-${n}`);
    say(
      `HTTP interrupt → resume cycle, SQLite ${synchronous}, one at a time`,
      perSecond(80, performance.now() - start),
    );
    start = performance.now();
    const many = Array.from({ length: 32 }, async (_, lane) => {
      for (let n = 0; n < 8; n += 1) await cycle(`lane-${lane}-${n}`);
    });
    await Promise.all(many);
    say(
      `HTTP interrupt → resume cycle, SQLite ${synchronous}, 32 at a time`,
      perSecond(256, performance.now() - start),
    );
    await close({ withinMs: 100 });
    await store.close();
  }
}

/** Measured and warm-up rounds. */
const ROUNDS = [
  { runs: 1, repeat: 20, warmUps: 3, rounds: 9 },
  { runs: 100, repeat: 1, warmUps: 3, rounds: 9 },
  { runs: 1000, repeat: 1, warmUps: 1, rounds: 3 },
];

/** The time of an event over SSE, and the overhead over a bare server that writes the same bytes: the median of alternating rounds. */
async function events(): Promise<void> {
  const stores = { memory: () => memoryStore(), SQLite: () => database() };
  for (const [name, create] of Object.entries(stores)) {
    for (const { runs, repeat, warmUps, rounds } of ROUNDS) {
      const store = create();
      const host = createHost({ agents: { talker }, store, limits });
      const served = await serve(host, { port: 0 });
      const bare = await bareServer();
      let threads = 0;
      const measure = async (port: number) => {
        let milliseconds = 0;
        const before = process.cpuUsage();
        for (let turn = 0; turn < repeat; turn += 1) {
          const requests = Array.from({ length: runs }, () => runRequest('talker', (threads += 1)));
          milliseconds += (await read({ port, requests, until: 'end' })).milliseconds;
        }
        const { user, system } = process.cpuUsage(before);
        return { milliseconds, processor: (user + system) / 1000 };
      };
      const ours: Awaited<ReturnType<typeof measure>>[] = [];
      const theirs: typeof ours = [];
      for (let round = 0; round < warmUps + rounds; round += 1) {
        ours.push(await measure(served.port));
        theirs.push(await measure(bare.port));
        if (round >= warmUps) continue;
        ours.pop();
        theirs.pop();
        await settle();
      }
      await served.close({ withinMs: 100 });
      bare.close();
      await store.close();
      const total = runs * repeat * EVENTS;
      const times = (measured: typeof ours) => measured.map(({ milliseconds }) => milliseconds);
      const over = (of: 'milliseconds' | 'processor') =>
        ours.map((our, round) => ((our[of] - (theirs[round]?.[of] ?? 0)) * 1000) / total);
      const overheads = over('milliseconds');
      const range = `${Math.min(...overheads).toFixed(1)} to ${Math.max(...overheads).toFixed(1)}`;
      say(
        `events through SSE, ${name}, ${runs} ${runs === 1 ? 'run' : 'runs'} at a time`,
        `${perSecond(total, median(times(ours))).padEnd(12)} bare ${perSecond(total, median(times(theirs))).padEnd(12)} +${median(overheads).toFixed(1)} µs an event (${range}), of the processor +${median(over('processor')).toFixed(1)} µs`,
      );
    }
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A bare `node:http` server that writes the same bytes of the same generator. */
async function bareServer(): Promise<{ readonly port: number; readonly close: () => void }> {
  const frame = `id: 100\ndata: ${JSON.stringify({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'so many words ' })}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = async () => {
      for await (const _event of talker({
        threadId: 't',
        runId: 'r',
        messages: [],
        tools: [],
        context: [],
      })) {
        if (!response.write(frame)) await once(response, 'drain');
      }
      response.end();
    };
    void write();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
}

/** The memory of an open SSE watcher. */
async function watchers(): Promise<void> {
  const store = database();
  const host = createHost({ agents: [payer()], store, limits });
  const { port, close } = await serve(host, { port: 0 });
  for (const count of [1000, 10_000]) {
    await settle(200);
    const before = process.memoryUsage().rss;
    const requests = Array.from(
      { length: count },
      (_, n) => `GET /threads/w${count}-${n}/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
    );
    const { milliseconds } = await read({ port, requests, until: 'open' });
    await settle(500);
    const grown = (process.memoryUsage().rss - before) / 1024 ** 2;
    say(
      `${count} idle watchers`,
      `+${grown.toFixed(0)} MiB (${((grown * 1024) / count).toFixed(1)} KiB each), opened in ${milliseconds.toFixed(0)} ms`,
    );
  }
  say('whole process with 11,000 idle watchers', `${(process.memoryUsage().rss / 1024 ** 2).toFixed(0)} MiB`);
  const closing = performance.now();
  await close({ withinMs: 100 });
  say('closing with 11,000 idle watchers', `${(performance.now() - closing).toFixed(0)} ms`);
  await store.close();
}

/** The time of the first inbox page, with a cold cache. */
async function inbox(): Promise<void> {
  const store = database('NORMAL');
  const PENDING = 100_000;
  for (let start = 0; start < PENDING; start += 2000) {
    await store.commit({
      puts: Array.from({ length: 2000 }, (_, offset) => {
        const n = start + offset;
        const interrupt = { id: `q${n}`, reason: 'tool_call', message: 'May I?', toolCallId: `c${n}` };
        return {
          table: 'interrupts' as const,
          key: { scope: 'default', thread: `t${n}`, id: `q${n}` },
          index: { status: 'pending', agent: 'payer', reason: 'tool_call' },
          doc: {
            interrupt,
            state: 'pending',
            batch: 'b',
            agent: 'payer',
            runId: 'r',
            askedBy: 'ana',
            raisedAt: n,
            onExpire: 'keep',
          },
        };
      }),
    });
  }
  const host = createHost({ agents: [payer()], store, limits, sweepMs: 0 });
  const { url, close } = await serve(host, { port: 0 });
  for (const query of ['', '?agent=payer&reason=tool_call', '?status=pending&limit=500']) {
    const times: number[] = [];
    for (let n = 0; n < 330; n += 1) {
      const start = performance.now();
      await (await fetch(`${url}/interrupts${query}`)).text();
      if (n >= 30) times.push(performance.now() - start);
    }
    times.sort((one, other) => one - other);
    const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(2);
    say(`first inbox page of ${PENDING} pending ${query}`, `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }
  await close({ withinMs: 100 });
  await store.close();
}

const began = performance.now();
try {
  const parts = { cycles, events, inbox, watchers };
  for (const [name, run] of Object.entries(parts)) if (name.startsWith(process.argv[2] ?? '')) await run();
} finally {
  readers.send('end');
  rmSync(folder, { recursive: true, force: true });
}
say('all of it', `${((performance.now() - began) / 1000).toFixed(0)} s`);
