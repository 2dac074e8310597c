import type { InterruptRecord, QuestionPage } from '../../ledger/index.ts';

/** A question as the inbox shows it. */
export function toItem(threadId: string, record: InterruptRecord): object {
  const { interrupt, state, agent, askedBy, raisedAt, answer, endedAt, approvers, runId } = record;
  const time = (at: number) => new Date(at).toISOString();
  return {
    threadId,
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

/** A page of the inbox. */
export function toPage({ questions, next }: QuestionPage): object {
  const interrupts = questions.map(({ key, ...record }) => toItem(key.thread, record));
  return { interrupts, ...(next === undefined ? {} : { next }) };
}
