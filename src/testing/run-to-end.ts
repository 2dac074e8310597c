import type { Client, Finished, Interrupt, ResumeEntry, RunRequest } from '../client/index.ts';
import { HoldpointError } from '../core/index.ts';

/** Most interrupted runs in a row; an agent that asks for ever fails the test. */
const MOST_ROUNDS = 100;

/** The end of a run, with all interrupts on the way. */
export interface RunToEnd extends Finished {
  readonly threadId: string;
  /** Every interrupt that was answered, in order. */
  readonly asked: readonly Interrupt[];
}

/**
 * Starts a run and answers each interrupt with the given function, until a run ends without one. Throws
 * `INTERRUPTS_PENDING` after 100 interrupted runs.
 *
 * @example
 * ```ts
 * import { approve, reject } from 'holdpoint';
 * import { runToEnd } from 'holdpoint/testing';
 *
 * const { asked } = await runToEnd(client, { messages: 'Pay Ada.' }, (interrupt) =>
 *   interrupt.message?.includes('Ada') === true ? approve(interrupt) : reject(interrupt, 'Not in this test.'),
 * );
 * ```
 */
export async function runToEnd(
  client: Client,
  request: RunRequest,
  answer: (interrupt: Interrupt) => ResumeEntry | Promise<ResumeEntry>,
): Promise<RunToEnd> {
  const asked: Interrupt[] = [];
  let run = client.run(request);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const finished = await run.finished;
    if (finished.outcome !== 'interrupt') return { ...finished, threadId: run.threadId, asked };
    asked.push(...finished.interrupts);
    run = client.resume(
      run,
      await Promise.all(finished.interrupts.map(async (interrupt) => answer(interrupt))),
    );
  }
  throw new HoldpointError('INTERRUPTS_PENDING', `The agent was still asking after ${MOST_ROUNDS} answers.`);
}
