import { afterEach, describe, expect, it } from 'vitest';
import { cancelledText } from '../content/interrupts/index.ts';
import { HoldpointError } from '../core/index.ts';
import { cancellationOf } from '../engine/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import type { Store } from '../store/index.ts';
import { createHost } from './create-host.ts';
import type { Host } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import type { ForeignAgent } from './index.ts';
import { answer, createHostClient } from './testing-support/host-client.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
});

function clientOf(store: Store, run: ForeignAgent['run'], options: Partial<HostOptions> = {}) {
  const host = createHost({ agents: { assistant: { run } }, store, sweepMs: 0, logger: false, ...options });
  hosts.push(host);
  return createHostClient(host.fetch);
}

/** Counts its runs in its memory, and says the count. */
const counter: ForeignAgent['run'] = async function* ({ threadId, runId }, { memory } = {}) {
  const before = (await memory?.read()) ?? 0;
  await memory?.write(Number(before) + 1);
  yield { type: 'RUN_FINISHED', threadId, runId, result: await memory?.read() };
};

describe.each<[string, () => Store]>([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
])('context.memory on %s', (_name, create) => {
  it('keeps a value from run to run, for each thread and each host over the store', async () => {
    const store = create();
    const [first, second] = [clientOf(store, counter), clientOf(store, counter)];
    const results: unknown[] = [];
    for (const [client, thread] of [[first, 't'] as const, [second, 't'] as const, [first, 'u'] as const]) {
      const { frames } = await client.run({ thread, say: 'go' });
      const event = frames.at(-1)?.event;
      results.push(event?.type === 'RUN_FINISHED' ? event.result : undefined);
    }
    expect(results).toEqual([1, 2, 1]);
  });

  it('context.memory is gone when its thread is deleted', async () => {
    const client = clientOf(create(), counter);
    await client.run({ say: 'go' });
    await client.send('DELETE', '/threads/t');
    const { frames } = await client.run({ say: 'again' });
    expect(frames.at(-1)?.event).toMatchObject({ result: 1 });
  });

  it('refuses the write of a run that has lost its thread', async () => {
    const store = create();
    let write: (() => Promise<void>) | undefined;
    const started: ForeignAgent['run'] = async function* (_input, { memory } = {}) {
      await memory?.read();
      write = async () => memory?.write('late');
      yield { type: 'STEP_STARTED', stepName: 'long' };
      await new Promise(() => {});
    };
    const host = createHost({ agents: { assistant: { run: started } }, store, sweepMs: 0, logger: false });
    const stream = await createHostClient(host.fetch).open({ say: 'go' });
    await stream.until('STEP_STARTED');
    await host.close({ withinMs: 0 });
    const error: unknown = await write?.().catch((reason: unknown) => reason);
    expect(HoldpointError.is(error, 'RUN_LOST')).toBe(true);
  });
});

describe('an interrupt of a foreign agent', () => {
  const asker = (expiresAt?: string): ForeignAgent['run'] =>
    async function* ({ threadId, runId, resume }) {
      const interrupt = {
        id: 'q',
        reason: 'confirmation',
        ...(expiresAt === undefined ? {} : { expiresAt }),
      };
      const outcome =
        resume === undefined ? { type: 'interrupt', interrupts: [interrupt] } : { type: 'success' };
      yield { type: 'RUN_FINISHED', threadId, runId, outcome };
    };

  it('expires after interrupts.ttlMs when the agent set no time', async () => {
    let now = 1_700_000_000_000;
    const store = memoryStore({ clock: { now: () => now } });
    const client = clientOf(store, asker(), { interrupts: { ttlMs: 60_000 } });
    const { interrupts } = await client.run({ say: 'go' });
    now += 3_600_000;
    const late = await client.run({ resume: [answer(interrupts[0], 'yes')] });
    expect(late.error?.code).toBe('INTERRUPT_EXPIRED');
  });

  it('an interrupt of a foreign agent is open again when the agent rejects the answer, or cannot be reached', async () => {
    const failures = [
      async function* () {
        yield { type: 'RUN_ERROR', code: 'ANSWER_INVALID', message: 'Too short.' };
      },
      // oxlint-disable-next-line require-yield -- it never begins
      async function* () {
        throw new HoldpointError('UNAVAILABLE', 'The agent cannot be reached.');
      },
    ];
    const given: unknown[] = [];
    const client = clientOf(memoryStore(), async function* (input, context) {
      if (input.resume !== undefined) given.push(input.resume[0]?.payload);
      const failure = input.resume === undefined ? undefined : failures.shift();
      yield* failure === undefined ? (asker()(input, context) as AsyncIterable<unknown>) : failure();
    });
    const { interrupts } = await client.run({ say: 'go' });
    const codes: unknown[] = [];
    for (const payload of ['a', 'b', 'c']) {
      const { error, outcome } = await client.run({ resume: [answer(interrupts[0], payload)] });
      codes.push(error?.code ?? outcome);
    }
    expect(codes).toEqual(['ANSWER_INVALID', 'UNAVAILABLE', 'success']);
    expect(given).toEqual(['a', 'b', 'c']);
  });

  it('is cancelled by a person, by its asker or by its expiry, and the agent learns which', async () => {
    let now = 1_700_000_000_000;
    const store = memoryStore({ clock: { now: () => now } });
    const learned: string[] = [];
    const run: ForeignAgent['run'] = async function* (input, context = {}) {
      for (const entry of input.resume ?? []) learned.push(cancelledText(cancellationOf(entry, context)));
      yield* asker()(input, context) as AsyncIterable<unknown>;
    };
    const interrupts = { ttlMs: 60_000, onExpire: 'cancel' as const, approvers: () => ({ roles: ['boss'] }) };
    const authenticate = (request: Request) => {
      const [id = '', ...roles] = (request.headers.get('x-who') ?? '').split('@');
      return { id, scope: 'acme', roles };
    };
    const host = createHost({
      agents: { assistant: { run } },
      store,
      sweepMs: 1,
      logger: false,
      interrupts,
      authenticate,
    });
    hosts.push(host);
    const [ana, bob] = ['ana', 'bob@boss'].map((who) =>
      createHostClient(host.fetch, { headers: { 'x-who': who } }),
    );
    const ask = async (thread: string) => (await ana!.run({ thread, say: 'go' })).interrupts[0]!.id;
    const [first, second] = [await ask('a'), await ask('b')];
    await bob!.post(`/threads/a/interrupts/${first}/answer`, {
      status: 'cancelled',
      metadata: { reason: 'Not this year.' },
    });
    await expect.poll(() => learned).toEqual(['Cancelled by bob. Not this year.']);
    await ana!.post(`/threads/b/interrupts/${second}/withdraw`, {});
    await expect.poll(() => learned.slice(1)).toEqual(['Withdrawn by the asker.']);
    await ask('c');
    now += 3_600_000;
    await expect.poll(() => learned.slice(2)).toEqual(['Cancelled: nobody answered.']);
  });

  it('keeps the time that the agent set', async () => {
    const expiresAt = '2099-01-01T00:00:00.000Z';
    const client = clientOf(memoryStore(), asker(expiresAt), { interrupts: { ttlMs: 60_000 } });
    expect((await client.run({ say: 'go' })).interrupts[0]?.expiresAt).toBe(expiresAt);
  });
});
