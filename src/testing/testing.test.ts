import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approve, defineAgent, defineTool, HoldpointError, reject } from 'holdpoint';
import { createTestHost, fakeClock, runToEnd, scriptedModel } from 'holdpoint/testing';

function payingClerk(paid: string[]) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays a person.',
    input: z.object({ to: z.string() }),
    approval: { expiresInMs: 60_000 },
    run: ({ to }) => {
      paid.push(to);
      return 'paid';
    },
  });
  const model = scriptedModel((request) =>
    request.messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'pay', input: { to: 'Ada' } }] },
  );
  return defineAgent({ id: 'clerk', model, tools: [pay] });
}

describe('a test host', () => {
  it('runs an agent and answers its interrupts', async () => {
    const paid: string[] = [];
    const test = createTestHost({ agents: [payingClerk(paid)] });
    const end = await runToEnd(test.client('clerk'), { messages: 'Pay Ada.' }, (interrupt) =>
      approve(interrupt),
    );
    expect([paid, end.asked.length, end.outcome]).toEqual([['Ada'], 1, 'success']);
    const again = await runToEnd(test.client('clerk'), { messages: 'Pay Ada.' }, (interrupt) =>
      reject(interrupt),
    );
    expect([paid, again.asked.length, again.outcome]).toEqual([['Ada'], 1, 'success']);
    await test.close();
  });

  it('has clients of other persons, who see only their own scope', async () => {
    const test = createTestHost({ agents: [payingClerk([])] });
    await test.client('clerk').run({ messages: 'Pay Ada.' }).finished;
    const eve = test.client('clerk', { as: { id: 'eve', scope: 'another', roles: [] } });
    expect((await test.client('clerk').inbox.list()).interrupts).toHaveLength(1);
    expect((await eve.inbox.list()).interrupts).toHaveLength(0);
    await test.close();
  });

  it('finishes a run that an answer from the inbox continues', async () => {
    const paid: string[] = [];
    const test = createTestHost({ agents: [payingClerk(paid)] });
    const client = test.client('clerk');
    await client.run({ threadId: 't', messages: 'Pay Ada.' }).finished;
    for (const item of (await client.inbox.list()).interrupts) await client.inbox.answer('t', approve(item));
    await test.finishRuns();
    expect(paid).toEqual(['Ada']);
    await test.close();
  });

  it('expires an interrupt when the test moves the clock', async () => {
    const paid: string[] = [];
    const clock = fakeClock(0);
    const test = createTestHost({ agents: [payingClerk(paid)], clock });
    const client = test.client('clerk');
    const run = client.run({ messages: 'Pay Ada.' });
    const { interrupts } = await run.finished;
    await test.advance(120_000);
    expect(clock.now()).toBe(120_000);
    const late = client.resume(
      run,
      interrupts.map((interrupt) => approve(interrupt)),
    ).finished;
    await expect(late).rejects.toMatchObject({ code: 'INTERRUPT_EXPIRED' });
    expect(paid).toEqual([]);
    await test.close();
  });

  it('fails a test whose agent asks for ever', async () => {
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      approval: true,
      run: () => 'asked',
    });
    const model = scriptedModel(() => ({ calls: [{ name: 'ask' }] }));
    const endless = defineAgent({ id: 'endless', model, tools: [ask], maxTurns: 1000 });
    const test = createTestHost({ agents: [endless] });
    const end = runToEnd(test.client('endless'), { messages: 'Go.' }, (interrupt) => approve(interrupt));
    await expect(end).rejects.toThrow(HoldpointError);
    await test.close();
  });
});
