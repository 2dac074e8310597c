import type { JsonValue } from '../core/index.ts';
import { defined, isRecord, newId } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import type { Incarnation } from '../store/index.ts';
import { OPERATOR_ID } from './access.ts';
import { eraseSecrets } from './kept-secrets.ts';
import type { HistoryFacts, InterruptRecord, ThreadRecord } from './records.ts';
import { giveUpLease } from './start-run.ts';
import type { ThreadChange } from './thread-change.ts';
import type { ThreadView } from './thread-view.ts';

/** The warning in the message of a restored interrupt. */
const MAY_HAVE_RUN = 'This was restored from a backup: its call may already have run.';
const REASON = 'The database was restored from a backup.';

/**
 * What a thread from a backup becomes in a restored database, which does not know whether calls ran after the backup was made.
 * Undefined where nothing waits or is at work, and where the thread belongs to the database already.
 * - An open interrupt is asked again under a new id, with a warning: an answer to the old id is refused, so each answer comes from a
 *   person who saw the warning. Its staged answer is dropped, and it is not approved by its own expiry rule. Interrupts of foreign
 *   agents keep their ids.
 * - A run at work is lost, and every call of its turn without a result is in doubt.
 */
export function markedThread(view: ThreadView, incarnation: Partial<Incarnation>): ThreadChange | undefined {
  const { thread, now } = view;
  const { id: database, restoredAt = now } = incarnation;
  if (thread === undefined || thread.pruned !== undefined || isOf(thread, incarnation)) return undefined;
  const isAtWork = thread.active !== undefined || thread.claimed !== undefined || thread.unfinished === true;
  if (!isAtWork && thread.batch === undefined && thread.readyAt === undefined) return undefined;
  const interrupts = new Map<string, InterruptRecord>();
  const history: HistoryFacts[] = [];
  const reopened = new Set<string>();
  let { turn } = thread;
  const interruptIds = (thread.batch?.interruptIds ?? []).map((id) => {
    const record = view.interrupts.get(id);
    if (record === undefined) return id;
    reopened.add(id);
    const asked = askedAgain(record, restoredAt);
    const facts = { at: now, by: OPERATOR_ID, reason: REASON };
    interrupts.set(asked.interrupt.id, asked);
    if (asked.interrupt.id === id) {
      history.push({ what: 'released', interruptId: id, ...facts });
      return id;
    }
    const { answer: _dropped, ...superseded } = record;
    interrupts.set(id, { ...superseded, state: 'cancelled', endedAt: now });
    history.push({ what: 'superseded', interruptId: id, ...facts });
    history.push({ what: 'raised', interruptId: asked.interrupt.id, ...facts });
    turn = turn === undefined ? undefined : renameInTurn(turn, id, asked.interrupt);
    return asked.interrupt.id;
  });
  const { thread: kept, deletes } = eraseSecrets(view.key, thread, (id) => reopened.has(id));
  const given = thread.active === undefined ? undefined : giveUpLease(thread, now);
  return {
    ...given,
    thread: {
      ...kept,
      ...given?.thread,
      secrets: kept.secrets,
      turn,
      batch: thread.batch === undefined ? undefined : { ...thread.batch, interruptIds },
      readyAt: undefined,
      turnMayHaveRun: isAtWork && turn !== undefined ? true : undefined,
      database,
    },
    interrupts,
    history,
    deletes,
  };
}

/** Whether a thread was last changed in this database. Only a restored database is named in its threads. */
function isOf({ database }: ThreadRecord, { id, restoredAt }: Partial<Incarnation>): boolean {
  if (id === undefined) return false;
  return database === id || (database === undefined && restoredAt === undefined);
}

/** The interrupt without its answer, with a warning that every page shows, and under a new id where an answer could name the old one. */
function askedAgain(record: InterruptRecord, restoredAt: number): InterruptRecord {
  const { answer: _dropped, ...open } = record;
  const { id, message = '', metadata } = record.interrupt;
  const isExpired = record.state === 'expired';
  const hasNewId = !isExpired && record.foreign !== true;
  return {
    ...open,
    state: isExpired ? 'expired' : 'pending',
    onExpire: typeof record.onExpire === 'object' ? 'keep' : record.onExpire,
    interrupt: {
      ...record.interrupt,
      id: hasNewId ? newId() : id,
      message: message.includes(MAY_HAVE_RUN) ? message : `${message} ${MAY_HAVE_RUN}`.trim(),
      metadata: { ...metadata, mayHaveRun: true, restoredAt, ...(hasNewId ? { supersedes: id } : {}) },
    },
  };
}

/** The turn that waits for an interrupt, after that was asked again as another: wherever it waits for the one, it waits for the other. */
export function renameInTurn(turn: JsonValue, from: string, asked: Interrupt): JsonValue {
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        name === 'interrupt' && isRecord(member) && member['id'] === from
          ? withNewFields(member, asked)
          : rename(member),
      ]),
    );
  };
  // The result is JSON, because the turn is.
  return rename(turn) as JsonValue;
}

/** The interrupt of a turn with the fields that asking again changes. */
function withNewFields(
  old: Readonly<Record<string, unknown>>,
  { id, message, expiresAt, metadata }: Interrupt,
): object {
  const { expiresAt: _old, ...rest } = old;
  return {
    ...rest,
    id,
    ...defined({ message, expiresAt, metadata }),
  };
}

/** Whether a database was restored, so that a thread may come from its backup. */
export function isRestored(incarnation: Incarnation | undefined): incarnation is Required<Incarnation> {
  return incarnation?.restoredAt !== undefined;
}
