import { answerEffect } from '../content/interrupts/index.ts';
import { isRecord } from '../core/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { InterruptReason } from '../protocol/index.ts';
import type { InterruptRecord } from './records.ts';

/** What became of a call: it ran, it failed, or a lost run may have made it. */
export type CallOutcome = 'ran' | 'failed' | 'uncertain';

const BY_SEVERITY: readonly CallOutcome[] = ['ran', 'failed', 'uncertain'];

/** Whether an interrupt is about a call that failed, or that a lost run may have made. */
export function isRecovery({ reason }: Interrupt): boolean {
  return reason === InterruptReason.ErrorRecovery;
}

/** Whether the outcome of a call is the outcome of this interrupt: an approval, or a recovery. */
export function hasOutcome(interrupt: Interrupt): boolean {
  return isRecovery(interrupt) || interrupt.metadata?.['functionName'] !== undefined;
}

/** What is known of a call while its recovery waits, and after a person ends the call there. */
export function outcomeBeforeRecovery({ metadata, responseSchema }: Interrupt): 'failed' | 'uncertain' {
  const properties = isRecord(responseSchema) ? responseSchema['properties'] : undefined;
  const action = isRecord(properties) ? properties['action'] : undefined;
  const actions = isRecord(action) && Array.isArray(action['enum']) ? action['enum'] : [];
  // Only an interrupt about a call in doubt offers that it has finished.
  return metadata?.['code'] === 'RUN_LOST' || actions.includes('finished') ? 'uncertain' : 'failed';
}

/** The outcome of a call that ended after the answer of its interrupt. `isFailed`: its result is an error. */
export function outcomeAfter({ interrupt, answer }: InterruptRecord, isFailed: boolean): CallOutcome {
  if (isRecovery(interrupt) && answer !== undefined) {
    const { status, payload } = answer;
    const effect = answerEffect('recovery', { interruptId: interrupt.id, status, payload });
    if (['cancelled', 'output', 'abort'].includes(effect.type)) return outcomeBeforeRecovery(interrupt);
  }
  return isFailed ? 'failed' : 'ran';
}

/** The outcome of a call with several interrupts: the one that is known least. */
export function leastKnown(one: CallOutcome, other: CallOutcome): CallOutcome {
  return BY_SEVERITY.indexOf(one) > BY_SEVERITY.indexOf(other) ? one : other;
}

/** An interrupt with the outcome of its call. */
export function withOutcome(record: InterruptRecord, outcome: CallOutcome): InterruptRecord {
  const { failed: _failed, uncertain: _uncertain, ...rest } = record;
  if (outcome === 'ran') return rest;
  return outcome === 'failed' ? { ...rest, failed: true } : { ...rest, uncertain: true };
}
