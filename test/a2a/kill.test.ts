import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AgentExecutor } from '@a2a-js/sdk/server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textPart } from '../../src/a2a/parts.ts';
import { cardFor, startA2aServer } from '../../src/a2a/testing-support/a2a-server.ts';
import {
  ASKS,
  DONE,
  executor,
  OPEN_REQUEST,
  signUp,
  WORKING,
} from '../../src/a2a/testing-support/executors.ts';
import type { HostClient } from '../../src/host/testing-support/host-client.ts';
import { answer, createGate, createHostClient } from '../../src/host/testing-support/host-client.ts';
import type { Interrupt } from '../../src/protocol/index.ts';
import type { Program } from '../processes/processes.ts';
import { bundleProgram, call, until } from '../processes/processes.ts';
import { IS_DEEP } from '../size.ts';

let program: Program;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, 'child.ts'));
}, 60_000);
afterAll(() => program.dispose());

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** The fate of a request to the agent: it passes, never arrives, or its response never comes back. */
type Fate = 'pass' | 'lost' | 'unanswered';

interface Wire {
  readonly url: string;
  /** Sets the fate of requests by their body. Resolves when a request or its response was dropped. */
  cut(next: (body: string) => Fate): Promise<void>;
  /** Lets all requests pass. */
  restore(): void;
}

/** A proxy between the bridge and the agent. */
async function startWire(target: string): Promise<Wire> {
  let fate: (body: string) => Fate = () => 'pass';
  let broken = createGate();
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString('utf8');
    const what = fate(body);
    if (what === 'lost') return broken.open();
    const answered = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(request.headers as Record<string, string>), connection: 'close' },
      ...(body === '' ? {} : { body }),
    });
    if (what === 'unanswered') {
      await answered.arrayBuffer();
      return broken.open();
    }
    response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? '' });
    // Streams the body: events must arrive before the stream ends.
    await pipeline(Readable.from(answered.body ?? []), response);
  };
  const server = createServer(
    (request, response) => void forward(request, response).catch(() => response.destroy()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(next) {
      fate = next;
      broken = createGate();
      return broken.opened;
    },
    restore() {
      fate = () => 'pass';
    },
  };
}

interface Bridge {
  readonly client: HostClient;
  /** The open interrupts. */
  open(): Promise<readonly Interrupt[]>;
  /** The contents of the thread's messages. */
  texts(): Promise<readonly unknown[]>;
  /** Waits until no run is active on the thread. */
  atRest(): Promise<void>;
  kill(): Promise<void>;
}

let files = 0;

/** An agent, the proxy to it, and bridges that share one SQLite file. */
async function setUp(executing: AgentExecutor) {
  const agent = await startA2aServer(executing);
  closers.push(() => agent.close());
  const wire = await startWire(agent.url);
  files += 1;
  const setting = { role: 'host', file: join(program.folder, `bridge-${files}.db`), card: cardFor(wire.url) };
  const start = async (): Promise<Bridge> => {
    const child = program.start(setting);
    closers.push(() => kill(child));
    const { url } = await call<{ url: string }>(child, 'ready');
    const client = createHostClient((request) => fetch(request), { url });
    return {
      client,
      async open() {
        const { body } = await client.get('/interrupts');
        return (body as { interrupts: { interrupt: Interrupt }[] }).interrupts.map((one) => one.interrupt);
      },
      async texts() {
        const { body } = await client.get('/threads/t');
        return (body as { messages: { content?: unknown }[] }).messages.map(({ content }) => content);
      },
      atRest: () =>
        until(async () => {
          const { body } = await client.get('/threads/t');
          return (body as { status: string }).status !== 'active';
        }),
      kill: () => kill(child),
    };
  };
  return { agent, wire, start };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Starts a run and returns its interrupt. */
async function ask({ client }: Bridge): Promise<Interrupt> {
  const { interrupts, error } = await client.run({ say: 'sign me up' });
  const [interrupt] = interrupts;
  if (interrupt === undefined) throw new Error(`The run raised no interrupt: ${error?.message}`);
  return interrupt;
}

const EMAIL = { email: 'a@b.c' };
const TAKEN = [expect.objectContaining({ type: 'a2a.input.response', values: EMAIL })];
const isMessage = (body: string) => body.includes('"messageId"');

/** Answers an interrupt, kills the bridge at the first dropped request, and starts a second bridge on the same file. */
async function killedAt(fate: (body: string) => Fate, then: (body: string) => Fate = () => 'pass') {
  const taken: unknown[] = [];
  const { agent, wire, start } = await setUp(signUp(taken, OPEN_REQUEST));
  const first = await start();
  const interrupt = await ask(first);
  const broken = wire.cut(fate);
  const ended = first.client.run({ resume: [answer(interrupt, EMAIL)] }).then(
    ({ outcome, error }) => `The run ended: ${error?.message ?? outcome}`,
    () => undefined,
  );
  expect(await Promise.race([broken, ended])).toBeUndefined();
  await first.kill();
  await ended;
  void wire.cut(then);
  return { agent, taken, wire, bridge: await start() };
}

/** The `error_recovery` interrupt that the second bridge raises about the answer. */
async function doubtOf(bridge: Bridge): Promise<Interrupt | undefined> {
  await bridge.atRest();
  const open = await bridge.open();
  expect(open).toMatchObject([{ reason: 'error_recovery' }]);
  return open[0];
}

describe('a host with an A2A agent that is killed', () => {
  it('a host with an A2A agent that is killed with an open interrupt leaves it to the next host, which sends the answer once', async () => {
    const taken: unknown[] = [];
    const { agent, start } = await setUp(signUp(taken, OPEN_REQUEST));
    const first = await start();
    const interrupt = await ask(first);
    await first.kill();
    const { client, open, texts } = await start();
    expect(await open()).toEqual([interrupt]);
    const resume = [answer(interrupt, EMAIL)];
    const ends = await Promise.all([client.run({ resume }), client.run({ resume })]);
    expect(ends.map(({ outcome }) => outcome)).toEqual(['success', 'success']);
    await client.run({ resume });
    expect(taken).toEqual(TAKEN);
    expect(agent.sent()).toHaveLength(2);
    expect(await open()).toEqual([]);
    expect(await texts()).toContain('Done.');
  });

  it('after the answer was lost makes the next host ask a person, who sends it', async () => {
    const { agent, taken, bridge } = await killedAt((body) => (isMessage(body) ? 'lost' : 'pass'));
    const doubt = await doubtOf(bridge);
    expect(taken).toEqual([]);
    const { outcome } = await bridge.client.run({ resume: [answer(doubt, { action: 'retry' })] });
    expect(outcome).toBe('success');
    expect(taken).toEqual(TAKEN);
    expect(agent.sent()).toHaveLength(2);
    expect(await bridge.open()).toEqual([]);
    expect(await bridge.texts()).toContain('Done.');
  });

  it('after the agent took the answer makes the next host follow the task and send nothing', async () => {
    const { agent, taken, bridge } = await killedAt((body) => (isMessage(body) ? 'unanswered' : 'pass'));
    await bridge.atRest();
    expect(await bridge.texts()).toContain('Done.');
    expect(taken).toEqual(TAKEN);
    expect(agent.sent()).toHaveLength(2);
    expect(await bridge.open()).toEqual([]);
  });

  if (IS_DEEP) {
    it('before the answer was sent makes the next host send it once', async () => {
      const { agent, taken, bridge } = await killedAt((body) => (isMessage(body) ? 'pass' : 'lost'));
      expect(taken).toEqual([]);
      await bridge.atRest();
      expect(await bridge.texts()).toContain('Done.');
      expect(taken).toEqual(TAKEN);
      expect(agent.sent()).toHaveLength(2);
      expect(await bridge.open()).toEqual([]);
    });

    it('after the agent took the answer and became unreachable makes the next host wait for the agent and send nothing', async () => {
      const { agent, taken, wire, bridge } = await killedAt(
        (body) => (isMessage(body) ? 'unanswered' : 'pass'),
        () => 'lost',
      );
      await wire.cut(() => 'lost');
      expect(await bridge.open()).toEqual([]);
      wire.restore();
      await bridge.atRest();
      expect(await bridge.texts()).toContain('Done.');
      expect(taken).toEqual(TAKEN);
      expect(agent.sent()).toHaveLength(2);
      expect(await bridge.open()).toEqual([]);
    });

    it('while the task works makes the next host follow it and send nothing', async () => {
      const done = createGate();
      const { agent, start } = await setUp(
        executor(async (speaker) => {
          speaker.task(WORKING);
          if (speaker.request.task === undefined) {
            speaker.status(ASKS, OPEN_REQUEST);
            return;
          }
          await done.opened;
          speaker.status(DONE, [textPart('Done.')]);
        }),
      );
      const first = await start();
      const resume = [answer(await ask(first), EMAIL)];
      const stream = await first.client.open({ resume });
      // The activity shows that the agent goes on.
      await stream.until('ACTIVITY_DELTA');
      await first.kill();
      await expect(stream.rest()).rejects.toThrow('terminated');
      const looks = agent.requests.length;
      const next = await start();
      // The next host polls the working task.
      await until(() => agent.requests.length >= looks + 3);
      done.open();
      await next.atRest();
      expect(await next.texts()).toContain('Done.');
      expect(agent.sent()).toHaveLength(2);
      expect(await next.open()).toEqual([]);
    });
  }
});
