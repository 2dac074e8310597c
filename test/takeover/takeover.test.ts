import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { approve } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readThread } from '../../src/ledger/testing-support/as-operator.ts';
import type { LeaseOwner, Store } from '../../src/store/index.ts';
import { openEffects } from '../processes/effects.ts';
import { until } from '../processes/processes.ts';
import { openPlace } from '../processes/store-place.ts';
import { useProgram } from '../processes/use-program.ts';
import type { TakeoverPlan } from './child.ts';
import { clerk, LEASE_MS } from './scenario.ts';

const { program, places } = useProgram(import.meta.dirname);

describe.each(Object.entries(places))('a lease over %s', (name, place) => {
  let store: Store;
  beforeAll(async () => {
    store = openPlace(place());
    await store.now();
  });
  afterAll(() => store.close());

  /** Starts a process that is in a call of a run and has its thread for an hour. */
  const atWork = async (threadId: string) => {
    const file = join(program().folder, `${name} effects`);
    const effects = openEffects(file);
    const agent = clerk(effects);
    const given = { store, threadId, leaseMs: LEASE_MS };
    const { interrupts } = await agent.generate({ ...given, prompt: 'go' });
    const resume = interrupts.map(({ interrupt }) => approve(interrupt));
    const plan: TakeoverPlan = { ...place(), effects: file, threadId, resume };
    const child = program().start(plan);
    const calls = () => effects.lines.filter((effect) => effect.startsWith(`${threadId} `));
    await until(() => calls().length === 1);
    return { child, agent, calls, given, resume };
  };
  const kill = async (child: ChildProcess) => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const keyOf = (threadId: string) => ({ scope: 'default', thread: threadId });
  /** Changes the owner of a lease in the store. */
  const changeOwner = async (threadId: string, owner: Partial<LeaseOwner>) => {
    const [row] = await store.get('threads', [{ ...keyOf(threadId), id: '' }]);
    const { active } = row!.doc as unknown as { active: { owner: LeaseOwner } };
    const doc = { ...row!.doc, active: { ...active, owner: { ...active.owner, ...owner } } };
    await store.commit({ puts: [{ table: 'threads', key: row!.key, index: row!.index, doc }] });
  };

  it('a lease of a killed process is taken over at once', async () => {
    const { child, agent, calls, given } = await atWork('killed');
    await kill(child);
    expect((await agent.generate(given)).text).toBe('All done.');
    expect(calls()).toHaveLength(2);
    expect(new Set(calls()).size).toBe(1);
  });

  it('a lease of a killed process is taken over by the sweep of a host', async () => {
    const { child, agent, calls } = await atWork('swept');
    await kill(child);
    const host = createHost({ agents: [agent], store, sweepMs: 0 });
    await host.sweep();
    await until(async () => (await readThread(store, keyOf('swept')))?.active === undefined);
    await host.close();
    expect(calls()).toHaveLength(2);
  });

  it('a lease of a killed process is taken over by a caller that waits with the same answer', async () => {
    const { child, agent, calls, given, resume } = await atWork('followed');
    const followed = agent.generate({ ...given, resume });
    await kill(child);
    expect((await followed).text).toBe('All done.');
    expect(calls()).toHaveLength(2);
  });

  it('a lease of a paused process is not taken over: another input gets RUN_CONFLICT', async () => {
    const { child, agent, calls, given } = await atWork('paused');
    child.kill('SIGSTOP');
    await expect(agent.generate({ ...given, prompt: 'me too' })).rejects.toMatchObject({
      code: 'RUN_CONFLICT',
    });
    const host = createHost({ agents: [agent], store, sweepMs: 0 });
    await host.sweep();
    await host.close();
    expect(calls()).toHaveLength(1);
    await kill(child);
    expect((await agent.generate(given)).text).toBe('All done.');
  });

  it('a lease of a process of another place is not taken over, although no such process runs here', async () => {
    const { child, agent, calls, given } = await atWork('elsewhere');
    await kill(child);
    await changeOwner('elsewhere', { place: 'another' });
    await expect(agent.generate({ ...given, prompt: 'me too' })).rejects.toMatchObject({
      code: 'RUN_CONFLICT',
    });
    expect(calls()).toHaveLength(1);
  });

  it('a lease of a killed process is taken over although another process has its pid', async () => {
    const { child, agent, given } = await atWork('reused');
    await kill(child);
    await changeOwner('reused', { pid: process.pid });
    expect((await agent.generate(given)).text).toBe('All done.');
  });
});
