import type { AgentStreamEvent } from '../../protocol/index.ts';
import { interruptsOf, isRunError, isRunFinished, outcomeOf } from '../../protocol/index.ts';
import type { LoopResult } from '../loop/run-loop.ts';
import { errorType } from './telemetry.ts';

/** How a run ended, as its span says it. */
export type RunOutcome =
  | { readonly type: 'success' | 'cancelled' }
  | { readonly type: 'interrupt'; readonly interruptIds: readonly string[] }
  | { readonly type: 'error'; readonly code: string };

/** The outcome that an event announces; undefined for all but the last. */
export function outcomeOfEvent(event: AgentStreamEvent): RunOutcome | undefined {
  if (isRunError(event)) return { type: 'error', code: event.code ?? '_OTHER' };
  if (!isRunFinished(event)) return undefined;
  const type = outcomeOf(event);
  if (type !== 'interrupt') return { type };
  return { type, interruptIds: interruptsOf(event).map(({ id }) => id) };
}

export function outcomeOfResult({ finishReason, interrupts }: LoopResult): RunOutcome {
  if (finishReason === 'cancelled') return { type: 'cancelled' };
  if (finishReason !== 'interrupted') return { type: 'success' };
  return { type: 'interrupt', interruptIds: interrupts.map(({ interrupt }) => interrupt.id) };
}

export function outcomeOfError(error: unknown): RunOutcome {
  return { type: 'error', code: errorType(error) };
}
