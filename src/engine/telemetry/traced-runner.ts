import type { LoopRunner } from '../agent/loop-runner.ts';
import { openInterrupts } from './open-interrupts.ts';
import { outcomeOfResult } from './run-outcome.ts';
import type { RunSpan } from './run-span.ts';
import { openRunSpan } from './run-span.ts';
import { stampResult } from './stamp-result.ts';
import type { Telemetry } from './telemetry.ts';
import { tracedModel } from './traced-model.ts';
import { tracedTool } from './traced-tool.ts';

/** Runs in the span of a run: its model calls and tools get spans of their own, its questions say who raised them. */
export function tracedRunner(runner: LoopRunner, telemetry: Telemetry, runSpan: RunSpan): LoopRunner {
  const { context, spanContext } = runSpan;
  return async (start, given, run) => {
    const { wrapModel = (model) => model } = given;
    const result = await telemetry.api.context.with(context, () =>
      runner(
        start,
        { ...given, wrapModel: (model) => tracedModel(wrapModel(model), telemetry, context) },
        { ...run, toolMiddleware: [tracedTool(telemetry, context), ...run.toolMiddleware] },
      ),
    );
    return stampResult(result, {
      span: spanContext,
      raisedAt: telemetry.now?.() ?? run.clock.now(),
    });
  };
}

/** Runs an agent that is a tool of another: a span of its own within whatever is active. */
export function subagentRunner(
  runner: LoopRunner,
  telemetry: Telemetry,
  agent: { readonly id: string; readonly name?: string },
): LoopRunner {
  return async (start, given, run) => {
    const { threadId, runId } = run;
    const resumes = start.replies !== undefined;
    const questions = resumes ? openInterrupts(start.messages) : [];
    const span = openRunSpan(telemetry, { agent, threadId, runId, resumes, questions });
    try {
      const result = await tracedRunner(runner, telemetry, span)(start, given, run);
      span.settled(outcomeOfResult(result));
      return result;
    } catch (error) {
      if (!run.signal.aborted) span.failed(error);
      throw error;
    } finally {
      span.end();
    }
  };
}
