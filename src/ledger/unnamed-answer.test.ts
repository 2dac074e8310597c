import { describe, expect, it } from 'vitest';
import { openSession } from './index.ts';
import { beginRun, openQuestions, stageAnswer } from './testing-support/as-operator.ts';
import {
  ana,
  end,
  key,
  question,
  runOf,
  started,
  STORES,
  waiting,
  yes,
} from './testing-support/ledger-world.ts';

describe.each(STORES)('an answer that names no question, over the store %s', (_name, create) => {
  it('is for the only one that is open, and the same again follows the run that has it', async () => {
    const store = create();
    await waiting(store, [question('q')]);
    const run = await started(store, { entries: [yes('')] });
    expect(run.answers).toEqual([yes('q')]);
    expect(await beginRun(store, runOf({ entries: [yes('')] }))).toEqual({
      type: 'follow',
      runId: run.lease.runId,
    });
    await end(store, run, { settled: ['q'], turn: null });
    await expect(beginRun(store, runOf({ entries: [yes('')] }))).rejects.toMatchObject({
      code: 'INTERRUPT_UNKNOWN',
    });
  });

  it('is refused where it could be for several, and fills the last gap where one is left', async () => {
    const store = create();
    await waiting(store, [question('q1'), question('q2')]);
    const stage = (id: string) => stageAnswer(store, { key, entry: yes(id), principal: ana, via: 'inbox' });
    await expect(stage('')).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      details: { interruptIds: ['q1', 'q2'] },
    });
    await stage('q1');
    expect(await stage('')).toEqual({ state: 'complete', open: [] });
  });

  it('is for the question that has no id itself, each time such a one is asked', async () => {
    const store = create();
    await waiting(store, [question(''), question('q')]);
    for (const round of [1, 2, 3]) {
      const run = await started(store, { entries: [yes(''), yes('q')] });
      expect(run.answers.map(({ interruptId }) => interruptId)).toEqual(['', 'q']);
      await end(store, run, { turn: null, settled: ['', 'q'] });
      expect(await beginRun(store, runOf({ entries: [yes('')] }))).toEqual({ type: 'as-is' });
      const next = await started(store, { newMessages: [`round ${round}`] });
      const again = openSession(store, next, { leaseMs: 1000 });
      const questions = [question(''), question('q')];
      await again.end({ outcome: 'interrupt', questions, batch: `batch ${round}`, turn: { round } });
      expect(await openQuestions(store, key)).toHaveLength(2);
    }
  });
});
