import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHostClient } from '../../src/host/testing-support/host-client.ts';
import type { Interrupt } from '../../src/protocol/index.ts';
import { freePort } from '../processes/free-port.ts';
import type { Program } from '../processes/processes.ts';
import { bundleProgram, call, until } from '../processes/processes.ts';
import { createRandom, IS_DEEP, runs } from '../size.ts';
import type { KillPoint, Side, Wire } from './kill-wire.ts';
import { MOMENTS, startKillWire } from './kill-wire.ts';

let program: Program;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, 'child.ts'));
}, 60_000);
afterAll(() => program.dispose());

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** A process that is started again after a kill. */
interface Restarting {
  url(): Promise<string>;
  kill(): Promise<void>;
}

function keepRunning(setting: object): Restarting {
  const start = () => {
    const child = program.start(setting);
    closers.push(() => kill(child));
    const ready = call<{ url: string }>(child, 'ready').then(({ url }) => url);
    ready.catch(() => undefined);
    return { child, ready };
  };
  let current = start();
  return {
    url: () => current.ready,
    async kill() {
      await kill(current.child);
      current = start();
    },
  };
}

let files = 0;

/** A host and an agent, each a process, and the wire between them. */
async function setUp(points: readonly KillPoint[]) {
  files += 1;
  const port = await freePort();
  const wire: Wire = await startKillWire(`http://127.0.0.1:${port}`, points);
  closers.push(() => wire.close());
  const effects = join(program.folder, `effects-${files}`);
  const agent = keepRunning({
    role: 'agent',
    file: join(program.folder, `agent-${files}.db`),
    port,
    url: wire.url,
    effects,
  });
  const host = keepRunning({
    role: 'host',
    file: join(program.folder, `host-${files}.db`),
    url: wire.url,
  });
  await Promise.all([agent.url(), host.url()]);
  wire.onKill(async (side) => {
    await Promise.all([
      ...(side === 'agent' ? [] : [host.kill()]),
      ...(side === 'host' ? [] : [agent.kill()]),
    ]);
  });
  const done = () => (existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : []);
  return { wire, host, done };
}

/**
 * A user who sends one message and answers every request in the inbox, and who continues nothing. If the host says that the agent
 * cannot be reached, the user asks again.
 */
async function deploy({ url }: Restarting) {
  const client = async () => createHostClient((request) => fetch(request), { url: await url() });
  const ask = async (say: string): Promise<void> => {
    const { error } = await (await client()).run({ say });
    if (error?.code === 'AGENT_UNKNOWN') await ask('Please try again.');
  };
  void ask('Deploy the shop.').catch(() => undefined);
  const answered = new Set<string>();
  let thread: { status: string; messages: { role: string; content?: unknown }[]; state: unknown } | undefined;
  await until(async () => {
    try {
      const user = await client();
      const { body } = await user.get('/interrupts');
      for (const { interrupt } of body.interrupts as { interrupt: Interrupt }[]) {
        const payload = interrupt.reason === 'error_recovery' ? { action: 'retry' } : { approved: true };
        const path = `/threads/t/interrupts/${encodeURIComponent(interrupt.id)}/answer`;
        const { status } = await user.post(path, { status: 'resolved', payload });
        if (status === 200) answered.add(interrupt.reason);
      }
      const shown = await user.get('/threads/t');
      if (shown.status !== 200) return false;
      thread = shown.body;
      return thread?.status === 'idle' && saidIn(thread.messages).includes('It is deployed.');
    } catch {
      // The host is dead or starts again.
      return false;
    }
  });
  return {
    said: saidIn(thread?.messages ?? []),
    answered,
    state: thread?.state as { view: { tasks: object; pendingInterrupts: object } },
  };
}

/** The words of the agent. A text that a kill interrupted has several messages. */
function saidIn(messages: readonly { readonly role: string; readonly content?: unknown }[]): string {
  return messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : [])).join('');
}

/** Kills at these points, and expects that nothing is lost, done twice or forgotten. */
async function survives(points: readonly KillPoint[]) {
  const { wire, host, done } = await setUp(points);
  const { said, answered, state } = await deploy(host);
  expect(new Set(done()).size).toBe(1);
  for (const text of ['One moment.', 'It is deployed.']) expect(said.split(text)).toHaveLength(2);
  expect(Object.keys(state.view.tasks)).toHaveLength(1);
  expect(state.view.pendingInterrupts).toEqual({});
  return { reached: wire.reached, requests: wire.requests(), answered };
}

/** The requests of a deployment without a kill: card, message, read, read, answer. */
const REQUESTS = 5;
const SIDES: readonly Side[] = ['host', 'agent', 'both'];

describe('a deployment through a host and an A2A agent', () => {
  it('takes at least the expected number of requests and asks nothing else without a kill', async () => {
    const { requests, answered } = await survives([]);
    expect(requests).toBeGreaterThanOrEqual(REQUESTS);
    expect([...answered]).toEqual(['confirmation']);
  });

  const points = Array.from({ length: REQUESTS }, (_none, request) =>
    SIDES.flatMap((side) => MOMENTS.map((moment) => ({ request, side, moment }))),
  ).flat();
  // In `npm test`: the host dies while the task works on its first turn, and the agent while it gets the answer.
  const few = points.filter(
    ({ request, side, moment }) =>
      (request === 1 && side === 'host' && moment === 'during') ||
      (request === 4 && side === 'agent' && moment === 'after'),
  );
  const named = (IS_DEEP ? points : few).map(
    (point) => [`${point.side} ${point.moment} request ${point.request}`, point] as const,
  );
  it.each(named)('completes once after a kill of %s', async (_name, point) => {
    const { reached } = await survives([point]);
    expect([...reached]).toEqual([point]);
  });

  if (IS_DEEP) {
    const random = createRandom('a2a-kills');
    const drawn = Array.from({ length: runs(1) }, () =>
      Array.from({ length: 3 }, () => points[Math.floor(random() * points.length)]).filter(
        (point) => point !== undefined,
      ),
    );
    it.each(drawn)('completes once after several kills', async (...several) => {
      await survives(several);
    });
  }
});
