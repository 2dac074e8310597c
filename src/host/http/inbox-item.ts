import type { InterruptRecord } from '../../ledger/index.ts';
import type { Row } from '../../store/index.ts';
import type { Resource } from '../host-options.ts';

/** A question as the ledger wrote it. */
export function recordOf(row: Row): InterruptRecord {
  return row.doc as unknown as InterruptRecord;
}

/** A question as the inbox shows it. */
export function toItem(row: Row): object {
  const { interrupt, state, agent, askedBy, raisedAt, answer, endedAt, approvers, runId } = recordOf(row);
  const time = (at: number) => new Date(at).toISOString();
  return {
    threadId: row.key.thread,
    interrupt,
    status: state,
    agent,
    runId,
    askedBy,
    raisedAt: time(raisedAt),
    ...(approvers === undefined ? {} : { approvers }),
    ...(answer === undefined
      ? {}
      : {
          answer: {
            status: answer.status,
            ...(answer.payload === undefined ? {} : { payload: answer.payload }),
            by: answer.by,
            at: time(answer.at),
            via: answer.via,
          },
        }),
    ...(endedAt === undefined ? {} : { endedAt: time(endedAt) }),
  };
}

/** A question as the application is asked about it. */
export function resourceOf(row: Row): Resource {
  const interrupt = recordOf(row);
  return { thread: row.key.thread, agent: interrupt.agent, interrupt };
}
