import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostClient } from '../../src/host/testing-support/host-client.ts';
import { approve, createHostClient, eventually } from '../../src/host/testing-support/host-client.ts';
import { createDatabase } from '../postgres/create-database.ts';
import type { Program } from '../processes/processes.ts';
import { bundleProgram, call } from '../processes/processes.ts';

let database: string;
let program: Program;
const servers: { readonly child: ChildProcess; readonly client: HostClient }[] = [];

async function startServer() {
  const child = program.start({ url: database, world: join(program.folder, 'world') });
  const { url } = await call<{ url: string }>(child, 'ready');
  const client = createHostClient((request) => fetch(request), { url });
  return { child, client };
}

beforeAll(async () => {
  [database, program] = await Promise.all([
    createDatabase(),
    bundleProgram(join(import.meta.dirname, 'child.ts')),
  ]);
  // The first process creates the tables.
  servers.push(await startServer());
  servers.push(...(await Promise.all([startServer(), startServer()])));
});
afterAll(async () => {
  const running = servers.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  const ended = running.map(({ child }) => once(child, 'exit'));
  for (const { child } of running) child.send('end');
  await Promise.all(ended);
  program.dispose();
});

const lines = (what: string) => {
  const world = join(program.folder, 'world');
  const all = existsSync(world) ? readFileSync(world, 'utf8').split('\n') : [];
  return all.filter((line) => line.startsWith(`${what} `));
};
const release = (thread: string) => writeFileSync(join(program.folder, `world.${thread}`), '');

describe('three processes over one PostgreSQL', () => {
  it('a second process answers an interrupt of the first, and a third streams the run', async () => {
    const [first, second, third] = servers.map(({ client }) => client) as [
      HostClient,
      HostClient,
      HostClient,
    ];
    const watched = await third.watch('a');
    await watched.until('RUN_FINISHED');
    const { interrupts, frames } = await first.run({ thread: 'a', say: 'pay' });
    const seen = await watched.until('RUN_FINISHED');
    expect(seen).toEqual(frames);
    const { body } = await second.get('/interrupts');
    expect(body.interrupts).toMatchObject([{ threadId: 'a', interrupt: { id: interrupts[0]?.id } }]);
    const told = await second.run({ thread: 'a', resume: [approve(interrupts[0])] });
    expect(told.outcome).toBe('success');
    expect(await watched.until('RUN_FINISHED')).toEqual(told.frames);
    await watched.close();
    expect(lines('paid')).toEqual([`paid ${servers[1]?.child.pid}`]);
    const shown = await first.run({ thread: 'a', path: '/connect' });
    expect(shown.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'pay'],
      ['assistant', 'Let me see.'],
      ['tool', 'paid'],
      ['assistant', 'All done.'],
    ]);
    // Every process replays the events from every position.
    const whole = [...frames, ...told.frames];
    for (const [index, { id }] of whole.slice(0, -1).entries()) {
      const stream = await servers[index % 3]!.client.watch('a', id);
      expect(await stream.next()).toEqual(whole[index + 1]);
      await stream.close();
    }
  });

  it('an answer that is sent to all processes at once runs the tool once', async () => {
    const before = lines('paid').length;
    for (let round = 0; round < 5; round += 1) {
      const thread = `once-${round}`;
      const { interrupts } = await servers[0]!.client.run({ thread, say: 'pay' });
      const told = await Promise.all(
        servers.map(({ client }, index) =>
          index === 2
            ? client.post(`/threads/${thread}/interrupts/${interrupts[0]?.id}/answer`, {
                status: 'resolved',
                payload: { approved: true },
              })
            : client.run({ thread, resume: [approve(interrupts[0])] }),
        ),
      );
      expect(told.map(({ status }) => status)).toEqual([200, 200, 200]);
      await eventually(
        async () => (await servers[round % 3]!.client.get(`/threads/${thread}`)).body.status === 'idle',
      );
      expect(lines('paid')).toHaveLength(before + round + 1);
    }
  });

  it('another process can cancel a run', async () => {
    const { client } = servers[0]!;
    const stream = await client.open({ thread: 'stop', runId: 'r', say: 'wait' });
    await eventually(() => lines('waits-stop').length === 1);
    expect((await servers[1]!.client.post('/threads/stop/runs/r/cancel')).status).toBe(202);
    // The cancellation travels through the database. After 100 requests to the other process it has arrived.
    for (let round = 0; round < 100; round += 1) await client.get('/threads/stop');
    release('stop');
    expect((await stream.rest()).at(-1)?.event).toMatchObject({ outcome: { type: 'cancelled' } });
  });

  it('a message with NUL and lone surrogates is stored unchanged', async () => {
    const odd = 'nul \u0000, half \ud800, fox 🦊';
    const { messages } = await servers[0]!.client.run({ thread: 'odd', say: odd });
    const shown = await servers[1]!.client.run({ thread: 'odd', path: '/connect' });
    expect(shown.messages).toEqual(messages);
    expect(shown.messages[0]?.content).toBe(odd);
  });

  it('the run of a killed process ends for its readers and continues in another process', async () => {
    const victim = servers[2]!;
    const watched = await servers[0]!.client.watch('kill');
    await watched.until('RUN_FINISHED');
    const stream = await victim.client.open({ thread: 'kill', say: 'wait' });
    await stream.until('TOOL_CALL_END');
    await eventually(() => lines('waits-kill').length === 1);
    victim.child.kill('SIGKILL');
    release('kill');
    await expect(stream.rest()).rejects.toBeInstanceOf(Error);
    const lost = await watched.until('RUN_ERROR');
    expect(lost.at(-1)?.event).toMatchObject({ code: 'RUN_LOST' });
    const next = await watched.until('RUN_FINISHED');
    await watched.close();
    expect(next.map(({ event }) => event.type)).toContain('TOOL_CALL_RESULT');
    const { body } = await servers[1]!.client.get('/threads/kill');
    expect([body.status, body.messages.at(-1).content]).toEqual(['idle', 'All done.']);
    expect(lines('waits-kill')).toHaveLength(2);
  });
});
