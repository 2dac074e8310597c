import { isApprovable } from '../../content/interrupts/index.ts';
import { systemClock } from '../../core/index.ts';
import type { AgentStreamEvent, Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { approvalOf, isRunFinished } from '../../protocol/index.ts';
import type { Agent } from '../agent/agent.ts';
import type { Answered } from './human-wait.ts';
import { recordWaits } from './human-wait.ts';
import type { QuestionStamp } from './question-stamp.ts';
import { stampInterrupt } from './question-stamp.ts';
import { outcomeOfEvent } from './run-outcome.ts';
import type { RunSpan } from './run-span.ts';
import type { Telemetry } from './telemetry.ts';

/**
 * An agent whose inside we do not know, in the span of a run: its questions are stamped as they pass, and the time
 * people took is recorded where a store keeps the questions and hands them over as `openInterrupts`.
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

function stampEvent(event: AgentStreamEvent, stamp: QuestionStamp): AgentStreamEvent {
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
