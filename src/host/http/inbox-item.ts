import type { InterruptRecord, QuestionPage } from '../../ledger/index.ts';

/** A question as the inbox shows it to a principal: `answer.you` is true for their own answer. */
export function toItem(threadId: string, record: InterruptRecord, viewer: string): object {
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
            ...(answer.by === viewer ? { you: true } : {}),
            at: time(answer.at),
            via: answer.via,
          },
        }),
    ...(endedAt === undefined ? {} : { endedAt: time(endedAt) }),
  };
}

/** A page of the inbox. */
export function toPage({ questions, next }: QuestionPage, viewer: string): object {
  const interrupts = questions.map(({ key, ...record }) => toItem(key.thread, record, viewer));
  return { interrupts, ...(next === undefined ? {} : { next }) };
}
