import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../test/postgres/create-database.ts';
import { runs } from '../../test/size.ts';
import { defineTool } from '../engine/index.ts';
import { defineAgent } from '../runs/index.ts';
import type { Store } from '../store/index.ts';
import { postgresStore } from '../store/postgres/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { useDemoHosts } from './testing-support/demo-hosts.ts';

const yes = { status: 'resolved', payload: { approved: true } };
const WITHDRAWN = 'Withdrawn by the asker.';
const createDemoHost = useDemoHosts();
let worlds = 0;

/** An agent whose calls wait for finance: `pay`, and `pay twice` with two calls; `ask` waits in its body. */
function payer(done: string[]) {
  const approvers = { roles: ['finance'] };
  const pay = defineTool({
    name: 'pay',
    description: 'pays',
    input: { type: 'object' },
    approval: { approvers },
    run: (_input, { toolCallId }) => (done.push(toolCallId), 'paid'),
  });
  const ask = defineTool({
    name: 'ask',
    description: 'asks',
    input: { type: 'object' },
    run: (_input, context) => context.ask('limit', { schema: { type: 'number' }, approvers }),
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    const said = last?.role === 'user' ? last.content : '';
    const name = said === 'ask' ? 'ask' : 'pay';
    const calls = said === 'pay twice' ? ['a', 'b'] : said === 'pay' || said === 'ask' ? ['a'] : [];
    if (calls.length === 0) return `Noted.`;
    return { calls: calls.map((id) => ({ id: `${id}-${messages.length}`, name })) };
  });
  return defineAgent({ id: 'assistant', model, tools: [pay, ask] });
}

describe.each(['SQLite', 'PostgreSQL'])('a request that its asker withdraws on %s', (name) => {
  let store: Store;
  beforeAll(async () => {
    store = name === 'SQLite' ? sqliteStore(':memory:') : postgresStore(await createDatabase());
  });
  afterAll(() => store.close());

  function setUp() {
    const done: string[] = [];
    const world = createDemoHost({ agents: [payer(done)], store });
    const other = createDemoHost({ agents: [payer(done)], store });
    worlds += 1;
    const scope = `scope-${worlds}`;
    const ana = world.as(`ana@${scope}`);
    const cleo = other.as(`cleo@${scope}@finance`);
    const ask = async (say: string, thread = 't') => {
      const { interrupts } = await ana.run({ thread, say });
      return interrupts.map(({ id }) => `/threads/${thread}/interrupts/${id}`);
    };
    const resultsOf = async (thread = 't') =>
      ((await ana.get(`/threads/${thread}`)).body.messages as { role: string; content: string }[])
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => content);
    return { ana, cleo, bob: world.as(`bob@${scope}`), done, ask, resultsOf };
  }

  it.each(['pay', 'ask'])(
    'a withdrawn %s ends its call without an approver, and the thread is free',
    async (say) => {
      const { ana, cleo, done, ask, resultsOf } = setUp();
      const [place = ''] = await ask(say);
      const withdrawn = await ana.post(`${place}/withdraw`, { reason: 'Wrong account.' });
      expect([withdrawn.status, withdrawn.body]).toEqual([200, { state: 'continued', open: [] }]);
      await expect.poll(() => resultsOf()).toEqual([WITHDRAWN]);
      expect((await ana.run({ thread: 't', say: 'hello' })).outcome).toBe('success');
      const answer = {
        status: 'cancelled',
        by: 'ana',
        via: 'withdrawal',
        withdrawn: true,
        reason: 'Wrong account.',
      };
      expect((await ana.get(place)).body).toMatchObject({ status: 'cancelled', answer, mayWithdraw: false });
      expect((await ana.get(`${place}/history`)).body.history).toMatchObject([
        { what: 'raised' },
        { what: 'withdrawn', by: 'ana', via: 'withdrawal', reason: 'Wrong account.' },
        { what: 'claimed' },
        { what: 'settled' },
      ]);
      const late = await cleo.post(`${place}/answer`, yes);
      expect([late.status, late.body.error.details.by]).toEqual([409, 'ana']);
      expect(done).toEqual([]);
    },
  );

  it('only the asker may withdraw, and withdrawing again changes nothing', async () => {
    const { ana, bob, cleo, ask } = setUp();
    const [place = ''] = await ask('pay twice');
    expect((await cleo.post(`${place}/withdraw`)).body.error).toEqual({
      code: 'FORBIDDEN',
      message: 'cleo may not withdraw this.',
    });
    expect((await bob.post(`${place}/withdraw`)).status).toBe(404);
    for (const _time of [1, 2])
      expect((await ana.post(`${place}/withdraw`)).body).toMatchObject({
        state: 'staged',
        open: [expect.any(String)],
      });
    const { history } = (await ana.get(`${place}/history`)).body;
    expect(history.map(({ what }: { what: string }) => what)).toEqual(['raised', 'withdrawn']);
  });

  it('replaces an approval that no run has claimed', async () => {
    const { ana, cleo, done, ask, resultsOf } = setUp();
    const [place = ''] = await ask('pay');
    expect((await cleo.post(`${place}/answer`, { ...yes, undoMs: 60_000 })).status).toBe(200);
    expect((await ana.get(place)).body).toMatchObject({ status: 'answered', mayWithdraw: true });
    expect((await ana.post(`${place}/withdraw`)).body.state).toBe('continued');
    await expect.poll(() => resultsOf()).toEqual([WITHDRAWN]);
    expect(done).toEqual([]);
  });

  it('cannot be withdrawn after the claim', async () => {
    const { ana, cleo, done, ask } = setUp();
    const [place = ''] = await ask('pay');
    await cleo.post(`${place}/answer`, yes);
    await expect.poll(() => done.length).toBe(1);
    const late = await ana.post(`${place}/withdraw`);
    expect([late.status, late.body.error.code, late.body.error.details.by]).toEqual([
      409,
      'INTERRUPT_CONFLICT',
      'cleo',
    ]);
  });

  it('a new message of the asker withdraws the open requests and is answered, in one run', async () => {
    const { ana, done, ask, resultsOf } = setUp();
    const places = await ask('pay twice');
    const resume = places.map((place) => ({ interruptId: place.split('/').at(-1), status: 'cancelled' }));
    const steered = await ana.run({ thread: 't', say: 'forget it', resume });
    expect(steered.outcome).toBe('success');
    expect(steered.messages.at(-1)?.content).toBe('Noted.');
    expect(await resultsOf()).toEqual([WITHDRAWN, WITHDRAWN]);
    expect((await ana.get(places[0] ?? '')).body.answer).toMatchObject({ by: 'ana', withdrawn: true });
    expect(done).toEqual([]);
  });

  it('races with an approval: the call runs once, or it is withdrawn and does not run', async () => {
    const { ana, cleo, done, ask, resultsOf } = setUp();
    for (let round = 0; round < runs(8); round += 1) {
      const thread = `t-${round}`;
      const [place = ''] = await ask('pay', thread);
      const ran = done.length;
      const pair = [() => cleo.post(`${place}/answer`, yes), () => ana.post(`${place}/withdraw`)];
      const [first, second] = round % 2 === 0 ? pair : pair.toReversed();
      const responses = await Promise.all([first?.(), second?.()]);
      const withdrawal = responses[round % 2 === 0 ? 1 : 0];
      await expect.poll(() => resultsOf(thread)).toHaveLength(1);
      const [result = ''] = await resultsOf(thread);
      const isWithdrawn = result === WITHDRAWN;
      expect([result, withdrawal?.status]).toEqual(isWithdrawn ? [WITHDRAWN, 200] : ['paid', 409]);
      expect(done.length - ran).toBe(isWithdrawn ? 0 : 1);
    }
  });
});
