import type { OnExpire } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { isExpired } from '../protocol/index.ts';
import type { Row, Store } from '../store/index.ts';
import { OPERATOR_ID } from './access.ts';
import { cancelledAnswer } from './check-answer.ts';
import type { GivenAnswer, InterruptRecord } from './records.ts';
import { keepAnswers } from './stage-answer.ts';
import type { ThreadView } from './thread-view.ts';
import type { Decision } from './thread-change.ts';
import { workOnThread } from './thread-work.ts';

/**
 * Ends interrupts whose time is over by the clock of the store: marks them as expired, or answers them by their
 * `onExpire` rule, which may let their run continue. An answered interrupt does not expire. Any number of processes
 * may sweep. Returns the number of interrupts that this call ended.
 */
export async function expireDue(store: Store, options: { readonly limit?: number } = {}): Promise<number> {
  const dueBefore = (await store.now()) + 1;
  const { rows } = await store.list({
    table: 'interrupts',
    status: ['pending'],
    dueBefore,
    order: 'due',
    limit: options.limit ?? 100,
  });
  let ended = 0;
  for (const row of rows) if (await expireOne(store, row)) ended += 1;
  return ended;
}

function expireOne(store: Store, { key }: Row): Promise<boolean> {
  const { scope, thread, id } = key;
  return workOnThread(
    store,
    { key: { scope, thread }, interruptIds: [id] },
    async (view): Promise<Decision<boolean>> => {
      const record = view.interrupts.get(id);
      if (
        view.thread === undefined ||
        record?.state !== 'pending' ||
        !isExpired(record.interrupt, view.now)
      ) {
        return { result: false };
      }
      const answer = await answerOf(record.onExpire, view);
      if (answer !== undefined) {
        const { change } = keepAnswers(view, view.thread, new Map([[id, { answer }]]));
        return change === undefined ? { result: false } : { change, result: true };
      }
      const expired: InterruptRecord = { ...record, state: 'expired' };
      const fact = { what: 'expired' as const, interruptId: id, at: view.now, via: 'expiry' as const };
      return {
        change: { thread: view.thread, interrupts: new Map([[id, expired]]), history: [fact] },
        result: true,
      };
    },
  );
}

/** The answer that `onExpire` gives; undefined for `keep`: the interrupt stays until it is cancelled or asked again. */
async function answerOf(onExpire: OnExpire, view: ThreadView): Promise<GivenAnswer | undefined> {
  if (onExpire === 'keep') return undefined;
  const base = { by: OPERATOR_ID, at: view.now, via: 'expiry' as const };
  if (onExpire === 'cancel') return cancelledAnswer(base);
  const payload: JsonValue =
    onExpire === 'deny' ? { approved: false, reason: 'Nobody answered in time.' } : onExpire.answer;
  return { ...base, status: 'resolved', payload };
}
