import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { AuditFinding } from './admin/index.ts';
import { anchorAll, erasePerson, verifyAll, verifyHistory } from './admin/index.ts';
import { bound } from './testing-support/bound-store.ts';
import {
  ana,
  end,
  finished,
  key,
  newInterrupt,
  started,
  STORES,
  waiting,
  yes,
} from './testing-support/ledger-world.ts';

async function found(store: Store, options: Parameters<typeof verifyAll>[1] = {}): Promise<AuditFinding[]> {
  const findings: AuditFinding[] = [];
  for await (const finding of verifyAll(store, options)) findings.push(finding);
  return findings;
}

/** Changes the row of an interrupt past the ledger. */
async function change(store: Store, id: string, to: (doc: JsonObject) => JsonObject): Promise<void> {
  const [row] = await store.get('interrupts', [{ ...key, id }]);
  await store.commit({
    puts: [{ table: 'interrupts', key: row!.key, doc: to(row!.doc), index: row!.index }],
  });
}

describe.each(STORES)('an audit over the store %s', (_name, create) => {
  it('names the thread, the interrupt and the member of a changed row', async () => {
    const store = create();
    await finished(store);
    expect(await found(store)).toEqual([]);
    await change(store, 'q', (doc) => ({ ...doc, answer: { ...(doc['answer'] as JsonObject), by: 'eve' } }));
    const finding = {
      key,
      interruptId: 'q',
      field: 'answer by',
      says: 'The interrupt q has another answer by in its row than in the history.',
    };
    expect(await found(store)).toEqual([finding]);
    expect(await verifyHistory(store, key)).toEqual(finding);
  });

  it('accepts the outcome that a call gets after its interrupt was settled, and no other', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q', { metadata: { functionName: 'pay' } })]);
    const run = await started(store, { entries: [yes('q')] });
    const recovery = newInterrupt('again', { reason: 'error_recovery' });
    await end(store, run, {
      outcome: 'interrupt',
      settled: ['q'],
      raised: [{ ...recovery, follows: ['q'] }],
      turn: {},
    });
    expect(await found(store)).toEqual([]);
    const answered = await started(store, { entries: [yes('again')] });
    await end(store, answered, { turn: null, settled: ['again'] });
    expect(await found(store)).toEqual([]);
    await change(store, 'q', ({ failed: _failed, ...doc }) => ({ ...doc, uncertain: true }));
    expect(await found(store)).toMatchObject([{ interruptId: 'q', field: 'outcome' }]);
  });

  it('finds a thread that was removed after it was anchored, and says what is not anchored', async () => {
    const store = create();
    await finished(store);
    const unanchored: unknown[] = [];
    expect(await found(store, { onUnanchored: (one) => unanchored.push(one) })).toEqual([]);
    expect(unanchored).toEqual([{ key, entries: 4 }]);
    const kept = await anchorAll(store);
    expect(await anchorAll(store)).toEqual(kept);
    await store.trim({ log: 'history', ...key, through: 4 });
    await store.commit({
      deletes: [
        { table: 'threads', key: { ...key, id: '' } },
        { table: 'interrupts', key: { ...key, id: 'q' } },
      ],
    });
    expect(await found(store)).toMatchObject([
      { key, says: 'The thread was removed: the chain of anchors has its history with 4 entries.' },
    ]);
    expect(await found(store, { scope: key.scope, thread: key.thread })).toHaveLength(1);
  });

  it('keeps the ends of two processes that anchor at once, in one chain', async () => {
    const store = create();
    await finished(store);
    let isFirst = true;
    const late: Store = {
      ...bound(store),
      async commit(batch) {
        if (isFirst) {
          isFirst = false;
          // Between the read and the commit of the one, the other anchors more.
          await finished(store, { key: { scope: 's', thread: 'u' } });
          await anchorAll(store);
        }
        return store.commit(batch);
      },
    };
    expect(await anchorAll(late)).toMatchObject({ count: 1 });
    const unanchored: unknown[] = [];
    expect(await found(store, { onUnanchored: (one) => unanchored.push(one) })).toEqual([]);
    expect(unanchored).toEqual([]);
  });

  it('throws THREAD_UNKNOWN if the choice has no thread', async () => {
    const store = create();
    await finished(store);
    await expect(found(store, { thread: 'typo' })).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
    await expect(found(store, { scope: 'typo' })).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
    expect(await found(create())).toEqual([]);
  });

  it('keeps no digest from which the asker of a request could be guessed, after an erasure', async () => {
    const store = create();
    // The thread belongs to another person.
    await finished(store, { principal: { id: 'bob', scope: 's' } });
    const run = await started(store, { principal: ana, newMessages: ['more'] });
    await end(store, run, { outcome: 'interrupt', raised: [newInterrupt('r')], turn: {} });
    const again = await started(store, { principal: { id: 'bob', scope: 's' }, entries: [yes('r')] });
    await end(store, again, { turn: null, settled: ['r'] });
    expect(await found(store)).toEqual([]);
    expect(await erasePerson(store, { scope: 's', person: 'ana' })).toMatchObject({ others: 1, busy: [] });
    expect(await found(store)).toEqual([]);
    const entries = (await store.read({ log: 'history', ...key })).map(({ item }) => item as JsonObject);
    const raised = entries.findLast(({ what }) => what === 'raised');
    expect([raised?.['erased'], raised?.['salt']]).toEqual([true, undefined]);
    expect(entries.at(-1)).toMatchObject({ what: 'erased', erases: expect.arrayContaining([[5, 5]]) });
  });
});
