import type { JsonValue } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import type { Access } from './access.ts';
import type { HistoryFacts } from './history-chain.ts';
import type { InterruptRecord } from './records.ts';
import { newThread } from './thread-change.ts';
import { workAs } from './thread-work.ts';

/**
 * Takes questions into the ledger that an agent holds open itself and that nobody here has heard of: asked before there was a
 * host, or elsewhere. Only where the thread neither waits nor works. Says whether it did.
 */
export function adoptQuestions(
  access: Access<'read' | 'run' | 'answer'>,
  adopt: {
    readonly agent: string;
    readonly interrupts: readonly Interrupt[];
    readonly batch: string;
    /** What the agent needs to go on from the answers. */
    readonly turn?: JsonValue;
  },
): Promise<boolean> {
  const { agent, interrupts, batch, turn } = adopt;
  const { principal } = access;
  const interruptIds = interrupts.map(({ id }) => id);
  return workAs(access, interruptIds, (view) => {
    const { askers: _before, ...thread } = view.thread ?? newThread(agent);
    const isBusy = thread.batch !== undefined || thread.active !== undefined || thread.unfinished === true;
    // A deleted thread begins anew with a run, not because somebody looks at it.
    if (thread.pruned !== undefined) return { result: false };
    const isKnown = interrupts.some(({ id }) => view.interrupts.has(id));
    if (isBusy || isKnown || interrupts.length === 0) return { result: false };
    const now = view.now;
    const records = interrupts.map((interrupt): [string, InterruptRecord] => [
      interrupt.id,
      {
        interrupt,
        state: 'pending',
        batch,
        agent,
        runId: '',
        askedBy: principal.id,
        raisedAt: now,
        onExpire: 'keep',
        foreign: true,
      },
    ]);
    const history = interruptIds.map((interruptId): HistoryFacts => ({
      what: 'raised',
      interruptId,
      at: now,
    }));
    return {
      change: {
        thread: {
          owner: principal.id,
          ...thread,
          agent,
          principal,
          batch: { id: batch, interruptIds },
          ...(turn === undefined ? {} : { turn }),
        },
        interrupts: new Map(records),
        history,
      },
      result: true,
    };
  });
}
