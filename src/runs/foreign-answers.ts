import { isRecord } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import type { Reconciled } from './host-agent.ts';
import type { ForeignRun } from './foreign-speech.ts';
import type { ForeignTurn } from './foreign-turn.ts';

/** What is to be done with the answers of a run. */
export type HandOver =
  | { readonly type: 'hand-over'; readonly entries: readonly ResumeEntry[] }
  | { readonly type: 'ask'; readonly entries: readonly ResumeEntry[] }
  /** A person said that they were taken: there is nothing more to do. */
  | { readonly type: 'drop' };

/** Answers of a run that was lost may have reached the agent: only those are handed over again of which it says that they may be. */
export async function answersToHandOver(run: ForeignRun, turn: ForeignTurn): Promise<HandOver> {
  const { answers, claimed, recovers } = run.claim;
  if (turn.inDoubt !== undefined && !recovers) {
    const [decision] = answers;
    const payload: unknown = decision?.payload;
    const action =
      decision?.status === 'cancelled' ? 'abort' : isRecord(payload) ? payload['action'] : 'abort';
    return action === 'retry' ? { type: 'hand-over', entries: turn.inDoubt } : { type: 'drop' };
  }
  const entries = turn.inDoubt ?? answers;
  if (!recovers || entries.length === 0) return { type: 'hand-over', entries };
  // The second doubt about the same answers is again for a person: what they decided may have been done.
  if (turn.inDoubt !== undefined) return { type: 'ask', entries };
  const states = await Promise.all(
    claimed.map(({ interrupt }) =>
      reconcile(run, { ...interrupt, id: turn.names[interrupt.id] ?? interrupt.id }),
    ),
  );
  return states.every((state) => state === 'waiting' || state === 'taken')
    ? { type: 'hand-over', entries }
    : { type: 'ask', entries };
}

/** An agent that cannot say what became of an answer does not know. */
async function reconcile({ agent, claim, onError }: ForeignRun, interrupt: Interrupt): Promise<Reconciled> {
  try {
    return (await agent.reconcile?.(interrupt, claim.lease.key)) ?? 'unknown';
  } catch (error) {
    onError(error);
    return 'unknown';
  }
}
