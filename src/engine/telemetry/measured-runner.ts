import type { LoopRunner } from '../agent/loop-runner.ts';
import { openQuestions, openTurn } from '../loop/open-turn.ts';
import type { LoopStart } from '../loop/run-loop.ts';
import type { Answered } from './human-wait.ts';
import { recordWaits } from './human-wait.ts';
import { outcomeOfError, outcomeOfResult } from './run-outcome.ts';
import type { Telemetry } from './telemetry.ts';

/** Records how long people took to give the answers that a run of ours goes on with. */
export function measuredRunner(runner: LoopRunner, telemetry: Telemetry): LoopRunner {
  return async (start, given, run) => {
    const answered = answeredBy(start);
    const at = telemetry.now?.() ?? run.clock.now();
    try {
      const result = await runner(start, given, run);
      recordWaits(answered, { outcome: outcomeOfResult(result), at }, telemetry);
      return result;
    } catch (error) {
      recordWaits(answered, { outcome: outcomeOfError(error), at }, telemetry);
      throw error;
    }
  };
}

function answeredBy({ messages, replies = [] }: LoopStart): Answered[] {
  const turn = openTurn(messages);
  const entries = new Map(replies.map((entry) => [entry.interruptId, entry]));
  return (turn === undefined ? [] : openQuestions(turn)).flatMap(({ interrupt, kind, toolName }) => {
    const entry = entries.get(interrupt.id);
    if (entry === undefined) return [];
    // What an agent's own code asks belongs to no call, and so to no tool.
    return [{ interrupt, kind, entry, toolName: interrupt.toolCallId === undefined ? undefined : toolName }];
  });
}
