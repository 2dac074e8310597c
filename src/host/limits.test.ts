import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '../engine/index.ts';
import type { Principal } from '../ledger/index.ts';
import { defineAgent } from '../runs/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { createHost } from './create-host.ts';
import type { HostLimits, HostOptions } from './host-options.ts';
import type { Gate } from './testing-support/host-client.ts';
import { createGate, createHostClient, eventually } from './testing-support/host-client.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** The header `x-who` has `id`, `id@scope` or `id@scope@role`. */
const principalOf = (request: Request): Principal => {
  const [id = '', scope = 'acme', ...roles] = (request.headers.get('x-who') ?? '').split('@');
  return { id, scope, roles };
};

/** A host whose agent works on `hold` until the gate opens, and pays on `pay`, after an approval. */
function setUp(options: Partial<HostOptions> = {}) {
  const gate: Gate = createGate();
  const paid: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    approval: true,
    run: (_input, { principal }) => {
      paid.push(principal?.id ?? '');
      return 'paid';
    },
  });
  const hold = defineTool({
    name: 'hold',
    description: 'Takes long.',
    input: { type: 'object' },
    run: () => gate.opened.then(() => 'done'),
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    const said = last?.role === 'user' ? String(last.content) : '';
    if (said !== 'pay' && said !== 'hold') return 'Fine.';
    return { calls: [{ id: `c${messages.length}`, name: said }] };
  });
  const store = options.store ?? memoryStore();
  const host = createHost({
    agents: [defineAgent({ id: 'assistant', model, tools: [pay, hold] })],
    store,
    sweepMs: 0,
    logger: false,
    authenticate: principalOf,
    ...options,
  });
  closers.push(async () => {
    gate.open();
    await host.close({ withinMs: 100 });
  });
  const as = (who: string) => createHostClient(host.fetch, { headers: { 'x-who': who } });
  /** Starts a run that works until the gate opens. */
  const holdAs = async (who: string, thread: string) => {
    const stream = await as(who).open({ say: 'hold', thread });
    if (stream.response.status !== 200) return stream.response;
    closers.push(() => stream.close());
    await stream.until('TOOL_CALL_END');
    return stream.response;
  };
  const watchAs = async (who: string, path = '/interrupts/events') => {
    const request = new Request(`http://localhost${path}`, { headers: { 'x-who': who } });
    const response = await host.fetch(request);
    const reader = response.body?.getReader();
    closers.push(async () => reader?.cancel());
    return { status: response.status, headers: response.headers, reader: reader! };
  };
  return { host, store, gate, paid, as, holdAs, watchAs };
}

/** A refusal: status, code and message, and the seconds after which to try again. */
async function refusalOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message, response.headers.get('retry-after')];
}

/** An upload that sends some of its bytes and then stalls. */
function stalledUpload(
  { host }: Pick<ReturnType<typeof setUp>, 'host'>,
  {
    who,
    bytes,
    declares = true,
  }: { readonly who: string; readonly bytes: number; readonly declares?: boolean },
) {
  let fail: (error: Error) => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(declares ? 1 : bytes));
      fail = (error) => controller.error(error);
    },
  });
  const headers = {
    'x-who': who,
    'content-type': 'application/octet-stream',
    ...(declares ? { 'content-length': String(bytes) } : {}),
  };
  const url = `http://localhost/threads/of-${who}/files`;
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  const response = host.fetch(new Request(url, init));
  const stop = () => fail(new Error('gone'));
  closers.push(async () => {
    stop();
    await response;
  });
  return { response, stop };
}

const MIB = 1024 * 1024;

describe('the limits of one principal', () => {
  it('reject the 51st stream with 429, Retry-After and the name of the limit, and no stream of others', async () => {
    const { watchAs } = setUp();
    for (let n = 0; n < 50; n += 1) expect((await watchAs('eve')).status).toBe(200);
    const refused = await watchAs('eve');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    const text = new TextDecoder().decode((await refused.reader.read()).value);
    expect(JSON.parse(text).error).toEqual({
      code: 'RATE_LIMITED',
      message:
        'The limit of 50 open streams of eve is reached (limits.perPrincipal.openStreams). Try again later.',
      details: { limit: 50 },
    });
    expect((await watchAs('ana')).status).toBe(200);
    expect((await watchAs('eve@other')).status).toBe(200);
  });

  it('reject the 21st active run, until one has ended', async () => {
    const { holdAs, gate, as } = setUp();
    for (let n = 0; n < 20; n += 1) expect((await holdAs('eve', `t${n}`)).status).toBe(200);
    expect(await refusalOf(await holdAs('eve', 't20'))).toEqual([
      429,
      'RATE_LIMITED',
      'The limit of 20 active runs of eve is reached (limits.perPrincipal.concurrentRuns). Try again later.',
      '1',
    ]);
    expect((await holdAs('ana', 'of-ana')).status).toBe(200);
    gate.open();
    await eventually(
      async () => (await as('eve').run({ say: 'hello', thread: 't20' })).outcome === 'success',
    );
  });

  it('reject a run that would leave more open interrupts than they allow, and no run of others', async () => {
    const { as } = setUp({ limits: { perPrincipal: { openInterrupts: 2 } } });
    for (const thread of ['one', 'two'])
      expect((await as('eve').run({ say: 'pay', thread })).outcome).toBe('interrupt');
    expect((await as('eve').run({ say: 'pay', thread: 'three' })).error).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'The limit of 2 open interrupts is reached (perPrincipal.openInterrupts).',
    });
    expect((await as('ana').run({ say: 'pay', thread: 'four' })).outcome).toBe('interrupt');
  });

  it('count the open interrupts of foreign agents', async () => {
    const { as } = setUp({
      limits: { perScope: { openInterrupts: 1 } },
      agents: {
        async *assistant({ threadId, runId }) {
          yield { type: 'RUN_STARTED', threadId, runId };
          const interrupts = [{ id: 'q', reason: 'input_required', message: 'Where?' }];
          yield { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'interrupt', interrupts } };
        },
      },
    });
    expect((await as('eve').run({ say: 'hello', thread: 'one' })).outcome).toBe('interrupt');
    const second = await as('ana').run({ say: 'hello', thread: 'two' });
    expect([second.interrupts, second.error?.code]).toEqual([[], 'RATE_LIMITED']);
  });

  it.each([true, false])(
    'reject an upload while 64 MiB of bodies stall (length declared: %s), and no upload of others',
    async (declares) => {
      const world = setUp({ files: { maxBytes: 16 * MIB } });
      for (const who of ['eve', 'ana']) await world.as(who).run({ say: 'hello', thread: `of-${who}` });
      const stalled = Array.from({ length: 4 }, () =>
        stalledUpload(world, { who: 'eve', bytes: 16 * MIB - 64 * 1024, declares }),
      );
      const upload = (who: string) =>
        world.host.fetch(
          new Request(`http://localhost/threads/of-${who}/files`, {
            method: 'POST',
            headers: { 'x-who': who, 'content-type': 'application/octet-stream' },
            body: new Uint8Array(MIB),
          }),
        );
      await eventually(async () => (await upload('eve')).status === 429);
      expect(await refusalOf(await upload('eve'))).toEqual([
        429,
        'RATE_LIMITED',
        `The limit of ${64 * MIB} bytes of requests at work of eve is reached (limits.perPrincipal.bodyBytesAtWork). Try again later.`,
        '1',
      ]);
      expect((await upload('ana')).status).toBe(201);
      for (const { stop, response } of stalled) {
        stop();
        expect((await response).status).toBe(400);
      }
      expect((await upload('eve')).status).toBe(201);
    },
  );

  it('reject a body that never fits with TOO_LARGE', async () => {
    const world = setUp({ limits: { perPrincipal: { bodyBytesAtWork: 100 } } });
    const response = await world.host.fetch(
      new Request('http://localhost/agents/assistant', {
        method: 'POST',
        headers: { 'x-who': 'eve', 'content-type': 'application/json', 'content-length': '200' },
        body: ' '.repeat(200),
      }),
    );
    expect(await refusalOf(response)).toEqual([
      413,
      'TOO_LARGE',
      'The limit of 100 bytes of requests at work of eve is reached (limits.perPrincipal.bodyBytesAtWork).',
      null,
    ]);
  });

  it('let an approved call wait until a run of its principal ends, without a sweep', async () => {
    const { as, holdAs, gate, paid } = setUp({ limits: { perPrincipal: { concurrentRuns: 1 } } });
    const { interrupts } = await as('eve').run({ say: 'pay', thread: 'pays' });
    await holdAs('eve', 'holds');
    const path = `/threads/pays/interrupts/${interrupts[0]?.id}/answer`;
    const { status } = await as('eve').post(path, { status: 'resolved', payload: { approved: true } });
    expect([status, paid]).toEqual([200, []]);
    gate.open();
    await eventually(() => paid.length > 0);
    expect(paid).toEqual(['eve']);
  });
});

describe('the limits of one scope', () => {
  it.each<[string, HostLimits, string]>([
    ['streams', { perScope: { openStreams: 1 } }, 'open streams'],
    ['runs', { perScope: { concurrentRuns: 1 } }, 'active runs'],
  ])('reject %s of another principal of the scope, and none of other scopes', async (_name, limits, what) => {
    const { holdAs, as } = setUp({ limits });
    expect((await holdAs('eve', 'one')).status).toBe(200);
    const [status, code, message] = await refusalOf(await holdAs('ana', 'two'));
    expect([status, code]).toEqual([429, 'RATE_LIMITED']);
    expect(message).toContain(`The limit of 1 ${what} of the scope acme is reached (limits.perScope.`);
    expect((await as('bob@other').run({ say: 'hello', thread: 'three' })).outcome).toBe('success');
  });
});

describe('the limit of active runs of the process', () => {
  it('keeps a fifth for runs that continue an answer', async () => {
    const { as, holdAs, paid } = setUp({ limits: { concurrentRuns: 5 } });
    const { interrupts } = await as('ana').run({ say: 'pay', thread: 'pays' });
    for (let n = 0; n < 4; n += 1) expect((await holdAs(`eve${n}`, `t${n}`)).status).toBe(200);
    expect((await refusalOf(await holdAs('bob', 'new')))[2]).toBe(
      'The limit of 5 active runs of this process is reached (limits.concurrentRuns). Try again later.',
    );
    const [interrupt] = interrupts;
    const resume = [{ interruptId: interrupt?.id, status: 'resolved', payload: { approved: true } }];
    expect((await as('ana').run({ resume, thread: 'pays' })).outcome).toBe('success');
    expect(paid).toEqual(['ana']);
  });
});

it('an approved call runs while another principal is at every limit', async () => {
  const world = setUp({
    // The runs of one principal are all that the process allows for new runs.
    limits: { concurrentRuns: 25, perPrincipal: { openInterrupts: 3 } },
    files: { maxBytes: 16 * MIB },
  });
  const { as, holdAs, watchAs, paid, gate } = world;
  const { interrupts } = await as('ana@small').run({ say: 'pay', thread: 'pays' });
  for (let n = 0; n < 3; n += 1) await as('eve').run({ say: 'pay', thread: `asks${n}` });
  expect((await as('eve').run({ say: 'pay', thread: 'asks3' })).error?.code).toBe('RATE_LIMITED');
  await as('eve').run({ say: 'hello', thread: 'of-eve' });
  for (let n = 0; n < 4; n += 1) stalledUpload(world, { who: 'eve', bytes: 16 * MIB });
  for (let n = 0; n < 20; n += 1) expect((await holdAs('eve', `t${n}`)).status).toBe(200);
  for (let n = 0; n < 30; n += 1) expect((await watchAs('eve')).status).toBe(200);
  expect([(await holdAs('eve', 'more')).status, (await watchAs('eve')).status]).toEqual([429, 429]);
  const path = `/threads/pays/interrupts/${interrupts[0]?.id}/answer`;
  const { body } = await as('ana@small').post(path, { status: 'resolved', payload: { approved: true } });
  expect(body.state).toBe('continued');
  await eventually(() => paid.length > 0);
  expect(paid).toEqual(['ana']);
  gate.open();
});

describe('equal watchers of one inbox', () => {
  /** What one change costs, with so many watchers. */
  async function costOf(watchers: number) {
    const inner = memoryStore();
    const cost = { lists: 0, items: 0 };
    const store: Store = {
      ...inner,
      list(query) {
        if (query.table === 'interrupts') cost.lists += 1;
        return inner.list(query);
      },
    };
    const mayAnswer = () => {
      cost.items += 1;
      return true;
    };
    const { watchAs, as } = setUp({
      store,
      interrupts: { mayAnswer },
      limits: { perPrincipal: { openStreams: 1000 } },
    });
    const readers = [];
    for (let n = 0; n < watchers; n += 1) readers.push((await watchAs('ana')).reader);
    await Promise.all(readers.map((reader) => reader.read()));
    Object.assign(cost, { lists: 0, items: 0 });
    const next = readers.map((reader) => reader.read());
    await as('ana').run({ say: 'pay', thread: 'pays' });
    const pages = await Promise.all(next);
    return { cost: { ...cost }, pages: new Set(pages.map(({ value }) => value)) };
  }

  it('share one query and one encoding for a change', async () => {
    const one = await costOf(1);
    const many = await costOf(300);
    expect(many.pages.size).toBe(1);
    expect(many.cost.lists).toBeLessThanOrEqual(3 * one.cost.lists);
    expect(many.cost.items).toBeLessThanOrEqual(3 * one.cost.items);
  });

  it('share nothing with watchers of another id, scope, role or query', async () => {
    const { watchAs, as } = setUp({
      visibility: 'scope',
      interrupts: { mayAnswer: (_record, { roles = [] }) => roles.includes('cfo') },
    });
    await as('ana').run({ say: 'pay', thread: 'of-ana' });
    /** What the first page shows; the stream stays open. */
    const first = async (who: string, path?: string) => {
      const { reader } = await watchAs(who, path);
      return itemsIn((await reader.read()).value).map(({ askedByYou = false, mayAnswer }) => ({
        askedByYou,
        mayAnswer,
      }));
    };
    expect(await first('ana')).toEqual([{ askedByYou: true, mayAnswer: false }]);
    expect(await first('ana@acme@cfo')).toEqual([{ askedByYou: true, mayAnswer: true }]);
    expect(await first('bob')).toEqual([{ askedByYou: false, mayAnswer: false }]);
    expect(await first('ana@other')).toEqual([]);
    expect(await first('ana', '/interrupts/events?status=resolved')).toEqual([]);
    expect(await first('ana')).toEqual([{ askedByYou: true, mayAnswer: false }]);
  });

  it('share nothing if an application adds members to the principal that differ or cannot be compared', async () => {
    const { watchAs, as } = setUp({
      visibility: 'scope',
      authenticate(request) {
        const [id = '', level = ''] = (request.headers.get('x-who') ?? '').split('@');
        const added = level === 'class' ? { level: new Map([['is', 'high']]) } : { level };
        return { id, scope: 'acme', ...added };
      },
      interrupts: { mayAnswer: (_record, principal) => 'level' in principal && principal.level === 'high' },
    });
    await as('ana@low').run({ say: 'pay', thread: 't' });
    const mayAnswer = async (who: string) => {
      const { reader } = await watchAs(who);
      return itemsIn((await reader.read()).value).map((item) => item.mayAnswer);
    };
    const people = ['ana@low', 'ana@high', 'ana@class', 'ana@high', 'ana@low'];
    const found: boolean[][] = [];
    for (const who of people) found.push(await mayAnswer(who));
    expect(found).toEqual([[false], [true], [false], [true], [false]]);
  });

  it('do not wait for one that reads nothing, which then gets the newest page', async () => {
    const { watchAs, as } = setUp();
    const [slow, quick] = [await watchAs('ana'), await watchAs('ana')];
    for (const { reader } of [slow, quick]) expect(itemsIn((await reader.read()).value)).toEqual([]);
    for (const count of [1, 2, 3]) {
      await as('ana').run({ say: 'pay', thread: `t${count}` });
      expect(itemsIn((await quick.reader.read()).value)).toHaveLength(count);
    }
    expect(itemsIn((await slow.reader.read()).value)).toHaveLength(3);
  });

  it('go on when the one that came first leaves', async () => {
    const { watchAs, as } = setUp();
    const [first, second] = [await watchAs('ana'), await watchAs('ana')];
    for (const { reader } of [first, second]) await reader.read();
    await first.reader.cancel();
    await as('ana').run({ say: 'pay', thread: 't' });
    expect(itemsIn((await second.reader.read()).value)).toHaveLength(1);
    await second.reader.cancel();
    expect(itemsIn((await (await watchAs('ana')).reader.read()).value)).toHaveLength(1);
  });
});

/** The interrupts of a page. */
function itemsIn(chunk: Uint8Array | undefined): readonly { askedByYou?: boolean; mayAnswer: boolean }[] {
  const [, data = ''] = /^data: (.*)$/m.exec(new TextDecoder().decode(chunk)) ?? [];
  return (JSON.parse(data) as { interrupts: { askedByYou?: boolean; mayAnswer: boolean }[] }).interrupts;
}
