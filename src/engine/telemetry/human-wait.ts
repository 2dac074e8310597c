import type { InterruptKind } from '../../content/interrupts/index.ts';
import { isApproved } from '../../content/interrupts/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { openParts, openTurn } from '../loop/open-turn.ts';
import type { LoopRunner, LoopStart } from '../loop/run-loop.ts';
import { raisedAt } from './interrupt-stamp.ts';
import type { RunOutcome } from './run-span.ts';
import { outcomeOfError, outcomeOfResult } from './run-span.ts';
import type { Telemetry } from './telemetry.ts';
import { attributes } from './telemetry.ts';

/** In seconds; people take from five seconds to a week. */
const BOUNDARIES = [5, 15, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800];

/** Codes of rejected answers, after which people are still waited for. */
const REFUSALS = new Set([
  'ANSWER_INVALID',
  'INPUT_INVALID',
  'INTERRUPT_UNKNOWN',
  'INTERRUPTS_UNANSWERED',
  'TOOL_UNKNOWN',
]);

/** An interrupt and its answer. */
export interface Answered {
  readonly interrupt: Interrupt;
  readonly kind: InterruptKind;
  readonly toolName: string | undefined;
  readonly entry: ResumeEntry;
}

/**
 * Records in `holdpoint.human.wait` the seconds that people took, until `at`, for each answered interrupt. Rejected
 * answers and repeated interrupts do not count.
 */
export function recordWaits(
  answered: readonly Answered[],
  { outcome, at }: { readonly outcome: RunOutcome; readonly at: number },
  telemetry: Telemetry,
): void {
  if (outcome.type === 'error' && REFUSALS.has(outcome.code)) return;
  const again = outcome.type === 'interrupt' ? outcome.interruptIds : [];
  const timed = answered.flatMap((pending) => {
    const raised = raisedAt(pending.interrupt);
    if (raised === undefined || again.includes(pending.interrupt.id)) return [];
    return [{ pending, seconds: Math.max(0, at - raised) / 1000 }];
  });
  if (timed.length === 0) return;
  const histogram = telemetry.meter().createHistogram('holdpoint.human.wait', {
    description: 'How long a person took to answer an interrupt.',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  for (const { pending, seconds } of timed) histogram.record(seconds, waitAttributes(pending));
}

function waitAttributes({ kind, toolName, entry }: Answered) {
  return attributes({
    'gen_ai.tool.name': toolName,
    'holdpoint.interrupt.kind': kind,
    'holdpoint.decision': decisionOf(kind, entry),
  });
}

function decisionOf(kind: InterruptKind, { status, payload }: ResumeEntry): string {
  if (status === 'cancelled') return 'cancelled';
  if (kind !== 'approval') return 'answered';
  return isApproved(payload) ? 'approved' : 'rejected';
}

/** Records the waiting time of the answers that a run of ours continues with. */
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
  return (turn === undefined ? [] : openParts(turn)).flatMap(({ interrupt, kind, toolName }) => {
    const entry = entries.get(interrupt.id);
    if (entry === undefined) return [];
    // An interrupt of plain code has no call and no tool.
    return [{ interrupt, kind, entry, toolName: interrupt.toolCallId === undefined ? undefined : toolName }];
  });
}
