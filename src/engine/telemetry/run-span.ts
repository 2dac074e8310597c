import type { AgentStreamEvent, Interrupt } from '../../protocol/index.ts';
import { interruptsOf, isRunError, isRunFinished, isRunStarted, outcomeOf } from '../../protocol/index.ts';
import type { LoopResult } from '../loop/run-loop.ts';
import { raisedIn } from './interrupt-stamp.ts';
import type { Telemetry, TelemetryAttributes, TelemetryContext, TelemetrySpanContext } from './telemetry.ts';
import { attributes, errorType, failWith, SPAN_KIND } from './telemetry.ts';

/** The facts of a run before it begins. */
export interface RunToTrace {
  readonly agent: { readonly id: string; readonly name?: string };
  readonly threadId?: string | undefined;
  readonly runId?: string | undefined;
  readonly parentRunId?: string | undefined;
  readonly resumes: boolean;
  /** The interrupts that the run answers, if they are known. */
  readonly interrupts: readonly Interrupt[];
}

/** The span of a run, `invoke_agent <agent id>`. */
export interface RunSpan {
  /** The context in which child spans start. */
  readonly context: TelemetryContext;
  readonly spanContext: TelemetrySpanContext;
  /** Counts an event and reads the ids and the outcome of the run from it. */
  saw(event: AgentStreamEvent): void;
  settled(outcome: RunOutcome): void;
  failed(error: unknown): void;
  /** A run without a final event was left by its reader and counts as cancelled. */
  end(): void;
}

export function openRunSpan(telemetry: Telemetry, run: RunToTrace): RunSpan {
  const { agent, resumes } = run;
  const { span, context } = telemetry.open(`invoke_agent ${agent.id}`, {
    kind: SPAN_KIND.internal,
    attributes: {
      ...attributes({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agent.id,
        'gen_ai.agent.name': agent.name,
        'ag_ui.continuation': resumes,
      }),
      ...identity(run),
    },
    links: raisingSpans(run.interrupts).map((raising) => ({
      context: raising,
      attributes: { 'holdpoint.link': 'interrupted_run' },
    })),
  });
  let events = 0;
  let outcome: RunOutcome = { type: 'cancelled' };
  return {
    context,
    spanContext: span.spanContext(),
    saw(event) {
      events += 1;
      if (isRunStarted(event)) span.setAttributes(identity(event));
      outcome = outcomeOfEvent(event) ?? outcome;
    },
    settled(how) {
      outcome = how;
    },
    failed(error) {
      outcome = outcomeOfError(error);
    },
    end() {
      span.setAttributes(
        attributes({
          'ag_ui.outcome': outcome.type,
          'ag_ui.event_count': events === 0 ? undefined : events,
          'ag_ui.interrupt_ids': outcome.type === 'interrupt' ? [...outcome.interruptIds] : undefined,
        }),
      );
      if (outcome.type === 'error') failWith(span, outcome.code);
      span.end();
    },
  };
}

function identity({
  threadId,
  runId,
  parentRunId,
}: Pick<RunToTrace, 'threadId' | 'runId' | 'parentRunId'>): TelemetryAttributes {
  return attributes({
    'gen_ai.conversation.id': threadId,
    'ag_ui.thread_id': threadId,
    'ag_ui.run_id': runId,
    'ag_ui.parent_run_id': parentRunId,
  });
}

/** The spans that raised the interrupts, each once. */
function raisingSpans(interrupts: readonly Interrupt[]): TelemetrySpanContext[] {
  const spans = new Map<string, TelemetrySpanContext>();
  for (const interrupt of interrupts) {
    const raising = raisedIn(interrupt);
    if (raising !== undefined) spans.set(`${raising.traceId}-${raising.spanId}`, raising);
  }
  return [...spans.values()];
}

/** The outcome of a run in its span. */
export type RunOutcome =
  | { readonly type: 'success' | 'cancelled' }
  | { readonly type: 'interrupt'; readonly interruptIds: readonly string[] }
  | { readonly type: 'error'; readonly code: string };

/** The outcome in an event; undefined for all but the last event. */
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
