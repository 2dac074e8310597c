import { isApprovable } from '../../content/interrupts/index.ts';
import { systemClock } from '../../core/index.ts';
import type { AgentStreamEvent, Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { approvalOf, isRunFinished } from '../../protocol/index.ts';
import type { Agent } from '../agent/agent.ts';
import type { LoopRunner } from '../loop/run-loop.ts';
import type { Answered } from './human-wait.ts';
import { recordWaits } from './human-wait.ts';
import type { InterruptStamp } from './interrupt-stamp.ts';
import { openInterrupts, stampInterrupt, stampResult } from './interrupt-stamp.ts';
import type { RunSpan } from './run-span.ts';
import { openRunSpan, outcomeOfEvent, outcomeOfResult } from './run-span.ts';
import type { Telemetry } from './telemetry.ts';
import { tracedModel } from './traced-model.ts';
import { tracedTool } from './traced-tool.ts';

/** Runs in the span of a run: model calls and tools get their own spans, and interrupts carry the span context. */
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

/** Runs a subagent in a span of its own within the active one. */
export function subagentRunner(
  runner: LoopRunner,
  telemetry: Telemetry,
  agent: { readonly id: string; readonly name?: string },
): LoopRunner {
  return async (start, given, run) => {
    const { threadId, runId } = run;
    const resumes = start.replies !== undefined;
    const interrupts = resumes ? openInterrupts(start.messages) : [];
    const span = openRunSpan(telemetry, { agent, threadId, runId, resumes, interrupts });
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

/**
 * A foreign agent in the span of a run: its interrupts get the span context, and the waiting time is recorded if a
 * store passes `openInterrupts`.
 */
export function foreignIn(
  agent: Agent,
  telemetry: Telemetry,
  { spanContext: span }: RunSpan,
): Pick<Agent, 'run'> {
  return {
    async *run(input, context = {}) {
      const now = telemetry.now ?? (() => (context.clock ?? systemClock).now());
      const answered = answeredBy(input.resume ?? [], context.openInterrupts ?? []);
      const at = now();
      for await (const event of agent.run(input, context)) {
        const outcome = outcomeOfEvent(event);
        if (outcome !== undefined) recordWaits(answered, { outcome, at }, telemetry);
        yield stampEvent(event, { span, raisedAt: now() });
      }
    },
  };
}

function stampEvent(event: AgentStreamEvent, stamp: InterruptStamp): AgentStreamEvent {
  if (!isRunFinished(event) || event.outcome?.type !== 'interrupt') return event;
  const interrupts = event.outcome.interrupts.map((interrupt) => stampInterrupt(interrupt, stamp));
  return { ...event, outcome: { ...event.outcome, interrupts } };
}

function answeredBy(resume: readonly ResumeEntry[], open: readonly Interrupt[]): Answered[] {
  const interrupts = new Map(open.map((interrupt) => [interrupt.id, interrupt]));
  return resume.flatMap((entry) => {
    const interrupt = interrupts.get(entry.interruptId);
    if (interrupt === undefined) return [];
    const approval = approvalOf(interrupt);
    const kind = approval !== undefined || isApprovable(interrupt) ? 'approval' : 'ask';
    return [{ interrupt, kind, toolName: approval?.functionName, entry }];
  });
}
