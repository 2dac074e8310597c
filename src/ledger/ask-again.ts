import type { IdGenerator, JsonValue } from '../core/index.ts';
import { HoldpointError } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { InterruptReason, isExpired } from '../protocol/index.ts';
import type { Access } from './access.ts';
import { assertMayAnswer, unknownInterrupt } from './access.ts';
import { expiredAnswer } from './check-answer.ts';
import type { InterruptRecord } from './records.ts';
import { renameInTurn } from './restored-thread.ts';
import { workAs } from './thread-work.ts';

/**
 * Asks an open interrupt again under a new id, with new time. The old one is cancelled; if it had expired, with the answer of an
 * expiry, so that lists of decisions still have it. Only while its batch is open and it holds
 * no answer, and only for a principal who may answer it. Throws `INTERRUPT_UNKNOWN`, `INTERRUPT_CONFLICT` or `ANSWER_FORBIDDEN`.
 */
export function askAgain(
  access: Access<'answer'>,
  again: {
    readonly interruptId: string;
    readonly newId: IdGenerator;
    /** Milliseconds until the new interrupt expires. Default: as many as the old one had. */
    readonly expiresInMs?: number;
    /**
     * Milliseconds until an interrupt expires that has no expiry of its own. Does not apply to an interrupt about a
     * call in doubt.
     */
    readonly interruptTtlMs?: number | undefined;
    /** The turn of a foreign agent with the new id; undefined for a turn of ours. */
    readonly renameForeign?: (turn: JsonValue, newId: string) => JsonValue | undefined;
  },
): Promise<Interrupt> {
  const { interruptId } = again;
  return workAs(access, [interruptId], async (view) => {
    const { thread, now } = view;
    const record = view.interrupts.get(interruptId);
    if (thread === undefined || record === undefined) throw unknownInterrupt([interruptId]);
    await assertMayAnswer(access, record);
    const ids = thread.batch?.interruptIds ?? [];
    if (!ids.includes(interruptId) || record.answer !== undefined) {
      throw new HoldpointError('INTERRUPT_CONFLICT', `The interrupt ${interruptId} is no longer open.`);
    }
    const { expiresAt: _old, ...rest } = record.interrupt;
    const time = again.expiresInMs ?? timeOf(record) ?? defaultTime(record, again.interruptTtlMs);
    const interrupt: Interrupt = {
      ...rest,
      id: again.newId(),
      ...(time === undefined ? {} : { expiresAt: new Date(now + time).toISOString() }),
      metadata: { ...record.interrupt.metadata, supersedes: interruptId },
    };
    const isOver = record.state === 'expired' || isExpired(record.interrupt, now);
    const over: InterruptRecord = {
      ...record,
      state: 'cancelled',
      endedAt: now,
      supersededBy: interrupt.id,
      ...(isOver ? { answer: expiredAnswer(record, now) } : {}),
    };
    const asked: InterruptRecord = { ...record, interrupt, state: 'pending', raisedAt: now };
    const by = access.principal.id;
    return {
      change: {
        thread: {
          ...thread,
          turn:
            thread.turn === undefined
              ? undefined
              : (again.renameForeign?.(thread.turn, interrupt.id) ??
                renameInTurn(thread.turn, interruptId, interrupt)),
          batch: {
            id: thread.batch?.id ?? record.batch,
            interruptIds: ids.map((id) => (id === interruptId ? interrupt.id : id)),
          },
        },
        interrupts: new Map([
          [interruptId, over],
          [interrupt.id, asked],
        ]),
        history: [
          ...(isOver && record.state === 'pending'
            ? [{ what: 'expired' as const, interruptId, at: now, via: 'expiry' as const }]
            : []),
          { what: 'superseded', interruptId, at: now, by },
          { what: 'raised', interruptId: interrupt.id, at: now, by },
        ],
      },
      result: interrupt,
    };
  });
}

/** The lifetime of an interrupt in milliseconds; undefined if it does not expire. */
function timeOf({ interrupt, raisedAt }: InterruptRecord): number | undefined {
  const time = interrupt.expiresAt === undefined ? 0 : Date.parse(interrupt.expiresAt) - raisedAt;
  return time > 0 ? time : undefined;
}

function defaultTime({ interrupt }: InterruptRecord, milliseconds: number | undefined): number | undefined {
  return interrupt.reason === InterruptReason.ErrorRecovery ? undefined : milliseconds;
}
