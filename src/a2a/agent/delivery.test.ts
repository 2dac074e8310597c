import {
  ContentTypeNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { describe, expect, it } from 'vitest';
import { answer, createGate, eventually } from '../../host/testing-support/host-client.ts';
import type { Interrupt } from '../../protocol/index.ts';
import type { Binding } from '../testing-support/a2a-server.ts';
import { textPart } from '../parts.ts';
import { ASKS, DONE, OPEN_REQUEST, signUp } from '../testing-support/executors.ts';
import type { ScriptedHandler } from '../testing-support/scripted-handler.ts';
import { scriptedHandler } from '../testing-support/scripted-handler.ts';
import { useBridge } from '../testing-support/use-bridge.ts';
import { useHosts } from '../testing-support/use-hosts.ts';

const { serve, bridge, forbid } = useBridge();
const world = useHosts({ forbid });

const NO = { email: 'no@b.c' };
const YES = { email: 'yes@b.c' };

/** An agent that asks once and refuses its first answers with the given errors. */
function refusing(refusals: (() => Error)[]): ScriptedHandler & { readonly taken: unknown[] } {
  const taken: unknown[] = [];
  const scripted = scriptedHandler(async function* turn(message, { task, statusOf }) {
    const data = message.parts.find(({ content }) => content?.$case === 'data')?.content?.value;
    if (message.taskId !== '') {
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal();
      taken.push(data);
    }
    const isFirst = message.taskId === '';
    task.status = statusOf(task, isFirst ? ASKS : DONE, {
      parts: isFirst ? OPEN_REQUEST : [textPart('Done.')],
    });
    yield { $case: 'task', value: structuredClone(task) };
  });
  return { ...scripted, taken };
}

const REFUSALS: readonly (readonly [string, () => Error, string])[] = [
  ['-32602', () => new RequestMalformedError('no'), 'INPUT_INVALID'],
  ['-32004', () => new UnsupportedOperationError('no'), 'INPUT_INVALID'],
  ['-32005', () => new ContentTypeNotSupportedError('no'), 'UNSUPPORTED_MEDIA'],
];

describe('an answer that did not reach the A2A agent', () => {
  it('leaves the interrupt open with the reason while the agent is down, and does not send it with the next message', async () => {
    const taken: unknown[] = [];
    const executor = signUp(taken, OPEN_REQUEST);
    const server = await serve(executor);
    const { store, hostOf } = world();
    const { ask, resume, open, history, until } = hostOf(bridge(server, { store }));
    const { interrupts } = await ask();
    await server.close();
    const failed = await resume([answer(interrupts[0], YES)]);
    expect(failed.error).toMatchObject({
      code: 'AGENT_UNKNOWN',
      message: expect.stringContaining('not delivered'),
    });
    await until('waiting');
    expect(await open()).toMatchObject([
      { id: interrupts[0]?.id, metadata: { notDelivered: expect.stringContaining('cannot be reached') } },
    ]);
    expect((await ask('No, stop, do not deploy!')).error?.code).toBe('INTERRUPTS_PENDING');
    const back = await serve(executor, { port: Number(new URL(server.url).port), tasks: server.tasks });
    expect((await resume([answer(interrupts[0], NO)])).outcome).toBe('success');
    expect(taken).toMatchObject([{ values: NO }]);
    expect(back.sent()).toHaveLength(1);
    expect((await history(interrupts[0]?.id)).map(({ what }) => what)).toEqual([
      'raised',
      'staged',
      'claimed',
      'released',
      'staged',
      'claimed',
      'settled',
    ]);
  });

  it.each(
    (['JSONRPC', 'HTTP+JSON'] satisfies Binding[]).flatMap((binding) =>
      REFUSALS.map(([name, refusal, code]) => [binding, name, refusal, code] as const),
    ),
  )('leaves the interrupt open after a refusal over %s with %s', async (binding, _name, refusal, code) => {
    const { handler, taken } = refusing([refusal]);
    const server = await serve(handler, { binding });
    const { store, hostOf } = world();
    const { ask, resume, open, until } = hostOf(bridge(server, { store }));
    const { interrupts } = await ask();
    expect((await resume([answer(interrupts[0], YES)])).error?.code).toBe(code);
    await until('waiting');
    expect((await open()).map(({ id }) => id)).toEqual([interrupts[0]?.id]);
    expect((await resume([answer(interrupts[0], NO)])).outcome).toBe('success');
    expect(taken).toMatchObject([{ values: NO }]);
  });

  it.each(['completed', 'gone'])(
    'closes the interrupt with RUN_ERROR if the task is %s when the agent refuses',
    async (what) => {
      const { handler, tasks, statusOf } = refusing([
        () => {
          const [task] = tasks.values();
          if (what === 'gone') tasks.clear();
          else if (task !== undefined)
            task.status = statusOf(task, DONE, { parts: [textPart('Without you.')] });
          return new UnsupportedOperationError('no');
        },
      ]);
      const server = await serve(handler);
      const { store, hostOf } = world();
      const { ask, resume, open, history, until, texts } = hostOf(bridge(server, { store }));
      const { interrupts } = await ask();
      expect((await resume([answer(interrupts[0], YES)])).error?.code).toBe('INTERRUPT_UNKNOWN');
      await until('idle');
      expect(await open()).toEqual([]);
      expect((await history(interrupts[0]?.id)).at(-1)).toMatchObject({
        what: 'withdrawn',
        reason: expect.stringContaining('not delivered'),
      });
      if (what === 'completed') expect(await texts()).toContain('Without you.');
      expect((await ask('again')).interrupts).toHaveLength(1);
      expect(server.sent()).toHaveLength(3);
    },
  );

  it('from the inbox is not sent again after the agent refused it; the interrupt is open with the reason', async () => {
    const { handler, taken } = refusing([() => new RequestMalformedError('no')]);
    const server = await serve(handler);
    const { store, hostOf } = world();
    const { ask, reply, open, until, later } = hostOf(bridge(server, { store }));
    const { interrupts } = await ask();
    await reply(interrupts[0]?.id, YES);
    await until('waiting');
    for (let minute = 0; minute < 6; minute += 1) await later(60_000);
    expect(await open()).toMatchObject([{ metadata: { notDelivered: expect.any(String) } }]);
    expect(server.sent()).toHaveLength(2);
    await reply(interrupts[0]?.id, NO);
    await until('idle');
    expect(taken).toMatchObject([{ values: NO }]);
  });

  it('from the inbox is tried five times while the agent is down; then the interrupt is open with the reason', async () => {
    const server = await serve(signUp([], OPEN_REQUEST));
    const { store, hostOf } = world();
    const { ask, reply, open, status, later, history } = hostOf(bridge(server, { store }));
    const { interrupts } = await ask();
    await server.close();
    await reply(interrupts[0]?.id, YES);
    const releases = async () =>
      (await history(interrupts[0]?.id)).filter(({ what }) => what === 'released').length;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await eventually(async () => (await releases()) === attempt);
      if (attempt < 5) await later(60_000);
    }
    expect(await open()).toMatchObject([{ metadata: { notDelivered: expect.any(String) } }]);
    expect(await status()).toBe('waiting');
  });

  it('is released, not sent, if a new message comes after the host died before sending the answer', async () => {
    const taken: unknown[] = [];
    const server = await serve(signUp(taken, OPEN_REQUEST));
    const hung = createGate();
    const { store, hostOf } = world();
    let reads = 0;
    const first = hostOf(
      bridge(server, {
        store,
        fetch: async (input, init) => {
          if (String(init?.body).includes('"GetTask"')) reads += 1;
          if (reads !== 2) return fetch(input, init);
          hung.open();
          return new Promise<never>(() => undefined);
        },
      }),
    );
    const { interrupts } = await first.ask();
    void first.resume([answer(interrupts[0], YES)]).catch(() => undefined);
    await hung.opened;
    await first.close();
    const { ask, resume, open } = hostOf(bridge(server, { store }));
    expect((await ask('No, stop!')).error?.code).toBe('INTERRUPTS_PENDING');
    expect((await open()).map(({ id }) => id)).toEqual([interrupts[0]?.id]);
    expect(taken).toEqual([]);
    expect((await resume([answer(interrupts[0], NO)])).outcome).toBe('success');
    expect(taken).toMatchObject([{ values: NO }]);
    expect(server.sent().at(-1)).toContain('No, stop!');
  });
});

describe('an A2A agent behind a server that refuses by HTTP', () => {
  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [404, 'AGENT_UNKNOWN'],
    [429, 'RATE_LIMITED'],
    [413, 'INPUT_INVALID'],
  ])('status %s for an answer is %s and leaves the interrupt open', async (status, code) => {
    const taken: unknown[] = [];
    const server = await serve(signUp(taken, OPEN_REQUEST));
    const { store, hostOf } = world();
    let messages = 0;
    const { ask, resume, open, until } = hostOf(
      bridge(server, {
        store,
        fetch: async (input, init) => {
          if (String(init?.body).includes('"messageId"')) messages += 1;
          return messages === 2 ? new Response('{"detail":"no"}', { status }) : fetch(input, init);
        },
      }),
    );
    const { interrupts } = await ask();
    const { error } = await resume([answer(interrupts[0], YES)]);
    expect(error).toMatchObject({ code, message: expect.stringContaining(`HTTP ${status}`) });
    await until('waiting');
    expect((await open()).map(({ id }: Interrupt) => id)).toEqual([interrupts[0]?.id]);
    messages += 1;
    expect((await resume([answer(interrupts[0], NO)])).outcome).toBe('success');
    expect(taken).toMatchObject([{ values: NO }]);
  });

  it('status 401 for the card is UNAUTHENTICATED', async () => {
    const server = await serve(signUp([], OPEN_REQUEST));
    const { store, hostOf } = world();
    const { ask } = hostOf(bridge(server, { store, fetch: async () => new Response('no', { status: 401 }) }));
    expect((await ask()).error).toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

it('a run whose answer is in doubt ends with the interrupt that asks a person', async () => {
  const taken: unknown[] = [];
  const server = await serve(signUp(taken, OPEN_REQUEST));
  const { store, hostOf } = world();
  let messages = 0;
  const { ask, resume } = hostOf(
    bridge(server, {
      store,
      fetch: async (input, init) => {
        if (String(init?.body).includes('"messageId"')) messages += 1;
        if (messages === 2 && String(init?.body).includes('"messageId"')) throw new TypeError('terminated');
        return fetch(input, init);
      },
    }),
  );
  const { interrupts } = await ask();
  const doubt = await resume([answer(interrupts[0], YES)]);
  expect([doubt.error, doubt.interrupts]).toMatchObject([undefined, [{ reason: 'error_recovery' }]]);
  expect((await resume([answer(doubt.interrupts[0], { action: 'retry' })])).outcome).toBe('success');
  expect(taken).toMatchObject([{ values: YES }]);
});

it('a host shows one STATE_SNAPSHOT for a pause and asks about an open interrupt as the principal of its thread', async () => {
  const server = await serve(signUp([], OPEN_REQUEST));
  const { store, hostOf } = world();
  const asked: unknown[] = [];
  const { ask, later } = hostOf(
    bridge(server, {
      store,
      headers: ({ principal }) => {
        asked.push(principal?.id);
        return {};
      },
    }),
    {
      authenticate: async () => ({ id: 'ann', scope: 'default' }),
    },
  );
  const { types, interrupts } = await ask();
  expect(types.slice(-4)).toEqual(['STATE_DELTA', 'STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
  expect(interrupts).toHaveLength(1);
  const before = asked.length;
  await later(61_000);
  expect(asked.length).toBeGreaterThan(before);
  expect(new Set(asked)).toEqual(new Set(['ann']));
});
