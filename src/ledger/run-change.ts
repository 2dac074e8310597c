import type { JsonValue } from '../core/index.ts';
import { askedBy } from './askers.ts';
import type { Lease } from './begin-request.ts';
import { MAX_ATTEMPTS } from './begin-request.ts';
import type { HistoryFacts } from './history-chain.ts';
import type { DeleteRow } from '../store/index.ts';
import type { ExecutionRecord, InterruptRecord, RunFailure, RunRecord, ThreadRecord } from './records.ts';
import type { EndRun, RaisedQuestion, RunChange } from './run-writes.ts';
import { eraseSecrets } from './kept-secrets.ts';
import { markersIn } from './secret-markers.ts';
import type { ThreadChange } from './thread-change.ts';
import type { ThreadDraft } from './thread-draft.ts';
import type { ThreadView } from './thread-view.ts';

/** What a run's writes come to, on a thread as it was read. */
export function toThreadChange(
  view: ThreadView & { readonly thread: ThreadRecord },
  lease: Lease,
  writes: { readonly changes: readonly RunChange[]; readonly end?: EndRun | undefined },
): ThreadChange {
  const draft = createDraft(view, lease);
  for (const change of writes.changes) draft.keep(change);
  if (writes.end !== undefined) {
    draft.keep(writes.end);
    draft.end(writes.end);
  }
  return draft.change();
}

function createDraft(view: ThreadView & { readonly thread: ThreadRecord }, lease: Lease) {
  const { now } = view;
  const { runId, epoch } = lease;
  const thread: ThreadDraft = { ...view.thread };
  const interrupts = new Map<string, InterruptRecord>();
  const executions = new Map<string, ExecutionRecord | undefined>();
  const runs = new Map<string, RunRecord>();
  const facts: HistoryFacts[] = [];
  const messages: JsonValue[] = [];
  const events: JsonValue[] = [];
  const deletes: DeleteRow[] = [];
  const recordOf = (id: string) => interrupts.get(id) ?? view.interrupts.get(id);

  const erase = (isOver: (id: string) => boolean) => {
    const erased = eraseSecrets(view.key, thread, isOver);
    thread.secrets = erased.thread.secrets;
    deletes.push(...erased.deletes);
  };
  const settle = (id: string) => {
    const record = recordOf(id);
    if (record?.state !== 'claimed') return;
    const state = record.answer?.status === 'cancelled' ? ('cancelled' as const) : ('resolved' as const);
    interrupts.set(id, { ...record, state, endedAt: now });
    facts.push({ what: 'settled', interruptId: id, at: now, runId });
  };
  /** Open again: without its answer, or with it where nobody is there to give it again. */
  const release = (id: string, keepAnswer: boolean) => {
    const record = recordOf(id);
    if (record === undefined) return;
    const { answer, claimedBy: _run, ...open } = record;
    interrupts.set(
      id,
      keepAnswer && answer !== undefined
        ? { ...open, answer, state: 'answered' }
        : { ...open, state: 'pending' },
    );
    facts.push({ what: 'released', interruptId: id, at: now, runId });
  };
  const raise = (question: RaisedQuestion, batch: string) => {
    const { interrupt, onExpire = 'keep', approvers, foreign } = question;
    const { id } = interrupt;
    if (recordOf(id)?.state === 'claimed') return release(id, false);
    interrupts.set(id, {
      interrupt,
      state: 'pending',
      batch,
      agent: thread.agent,
      runId,
      ...askedBy(thread),
      raisedAt: now,
      onExpire,
      ...(approvers === undefined ? {} : { approvers }),
      ...(foreign === undefined ? {} : { foreign }),
    });
    facts.push({ what: 'raised', interruptId: id, at: now, runId });
  };

  return {
    keep(change: RunChange): void {
      const { turn, state, settled = [] } = change;
      for (const id of settled) settle(id);
      if (state !== undefined) thread.state = state;
      if (turn !== undefined) thread.turn = turn ?? undefined;
      if (turn === null) thread.turnMayHaveRun = undefined;
      if (change.inputTaken === true) thread.input = undefined;
      if (settled.length > 0) {
        const left = (thread.claimed ?? []).filter((id) => !settled.includes(id));
        thread.claimed = left.length === 0 ? undefined : left;
      }
      erase((id) => turn === null || (change.erased ?? []).includes(id));
      for (const [id, record] of change.executions ?? []) executions.set(id, record ?? undefined);
      messages.push(...(change.messages ?? []));
      events.push(...(change.events ?? []));
      if (state !== undefined && thread.active !== undefined) {
        const stateAt = thread.logs.events + events.length;
        thread.active = { ...thread.active, stateAt };
      }
    },

    end(end: EndRun): void {
      const { outcome, questions = [], error, summary } = end;
      const { active, claimed = [], attempts } = thread;
      const inBackground = attempts !== undefined;
      Object.assign(thread, NOT_AT_WORK);
      let open: readonly string[] = [];
      if (outcome === 'error' && end.release !== true) {
        thread.unfinished = true;
        if (claimed.length > 0) thread.claimed = claimed;
      } else if (end.release === true) {
        for (const id of claimed) release(id, inBackground);
        open = claimed;
      } else {
        // Its calls have ended, or a person is asked about them.
        thread.turnMayHaveRun = undefined;
        for (const { interrupt } of questions)
          if (claimed.includes(interrupt.id)) release(interrupt.id, false);
        for (const id of claimed) settle(id);
        for (const question of questions)
          if (!claimed.includes(question.interrupt.id)) raise(question, end.batch ?? runId);
        open = questions.map(({ interrupt }) => interrupt.id);
      }
      if (thread.unfinished !== true && thread.secrets !== undefined) {
        // What the turn that waits has in its journal, and what answers that were kept hold, is needed; nothing else is.
        const needed = markersIn(thread.turn);
        for (const id of open) if (interrupts.get(id)?.answer !== undefined) needed.add(id);
        erase((id) => !needed.has(id));
      }
      if (open.length > 0) thread.batch = { id: end.batch ?? runId, interruptIds: open };
      if (outcome === 'error' && attempts !== undefined) {
        Object.assign(thread, afterFailure({ attempts, now, error }));
      }
      const { unfinished, batch, readyAt, failed } = thread;
      thread.restedAt = now;
      if ((unfinished ?? batch ?? readyAt ?? failed) === undefined) thread.endedAt = now;
      runs.set(runId, {
        agent: thread.agent,
        status: outcome,
        epoch,
        principal: thread.principal ?? { id: '', scope: '' },
        startedAt: active?.startedAt ?? now,
        endedAt: now,
        ...(error === undefined ? {} : { error }),
        ...(summary === undefined ? {} : { summary }),
      });
    },

    change: (): ThreadChange => ({
      thread,
      interrupts,
      runs,
      executions,
      messages,
      events,
      history: facts,
      deletes,
    }),
  };
}

/** What a thread does not say of itself when its run is over, until the end says it anew. */
const NOT_AT_WORK: Partial<ThreadDraft> = {
  active: undefined,
  claimed: undefined,
  unfinished: undefined,
  readyAt: undefined,
  attempts: undefined,
  batch: undefined,
};

/** What failed in the background is tried again, later each time, until it was tried often enough. */
function afterFailure(failure: {
  readonly attempts: number;
  readonly now: number;
  readonly error: RunFailure | undefined;
}): Pick<ThreadDraft, 'attempts' | 'readyAt' | 'failed'> {
  const { attempts, now, error } = failure;
  if (attempts < MAX_ATTEMPTS) return { attempts, readyAt: now + 1000 * 2 ** attempts };
  return { attempts, failed: error ?? { code: 'INTERNAL', message: 'The run failed.' } };
}
