import type { Access } from './access.ts';
import { cancelledAnswer } from './cancelled-answer.ts';
import type { HistoryFacts } from './history-chain.ts';
import { eraseSecrets } from './kept-secrets.ts';
import type { InterruptRecord } from './records.ts';
import type { ThreadDraft } from './thread-draft.ts';
import type { ThreadView } from './thread-view.ts';
import type { Decision } from './thread-change.ts';
import { workAs } from './thread-work.ts';

export interface DropQuestions {
  /** The batch they were seen in: one that has been taken since is left alone. */
  readonly batch: string;
  readonly interruptIds: readonly string[];
  readonly by: string;
  readonly reason: string;
}

/** What is left of the batch: nothing was changed, others still wait, or the thread can go on. */
export type Dropped = 'unchanged' | 'waiting' | 'ready';

/**
 * Takes questions out of the open batch that their agent no longer waits for: nobody is told an answer to them, also where
 * some have been kept for them. When none is left without an answer, the thread is ready to go on, in the same commit: with
 * the answers to the others, or with none. A batch whose last answer came first is left to it.
 */
export function dropQuestions(access: Access<never>, drop: DropQuestions): Promise<Dropped> {
  return workAs(access, [], (view): Decision<Dropped> => {
    const { thread } = view;
    if (thread?.batch === undefined || thread.batch.id !== drop.batch) return { result: 'unchanged' };
    const isTaken = [thread.active, thread.readyAt, thread.failed].some((taken) => taken !== undefined);
    const ids = thread.batch.interruptIds;
    const gone = ids.filter((id) => drop.interruptIds.includes(id));
    if (isTaken || gone.length === 0) return { result: 'unchanged' };
    const left = ids.filter((id) => !gone.includes(id));
    const isReady = left.every((id) => view.interrupts.get(id)?.answer !== undefined);
    const { interrupts, history } = withdrawn(view, drop, gone);
    const { thread: kept, deletes } = eraseSecrets(view.key, thread, (id) => gone.includes(id));
    return {
      change: {
        thread: { ...withBatch(kept, left), ...(isReady ? { readyAt: view.now } : {}) },
        interrupts,
        history,
        deletes,
      },
      result: isReady ? 'ready' : 'waiting',
    };
  });
}

/** Without any question left the turn is one that can be continued, with nothing new. */
function withBatch(thread: ThreadDraft, left: readonly string[]): ThreadDraft {
  const { batch } = thread;
  if (batch === undefined || left.length === 0) return { ...thread, batch: undefined, unfinished: true };
  return { ...thread, batch: { ...batch, interruptIds: left } };
}

function withdrawn(view: ThreadView, { by, reason }: DropQuestions, gone: readonly string[]) {
  const { now } = view;
  const interrupts = new Map<string, InterruptRecord>();
  const history: HistoryFacts[] = [];
  const nobodys = cancelledAnswer({ by, at: now, via: 'in-process', reason });
  for (const interruptId of gone) {
    const record = view.interrupts.get(interruptId);
    if (record === undefined) continue;
    const { answer = nobodys } = record;
    interrupts.set(interruptId, { ...record, answer, state: 'cancelled', endedAt: now });
    const latency = now - record.raisedAt;
    history.push({ what: 'withdrawn', interruptId, at: now, by, reason, latency });
  }
  return { interrupts, history };
}
