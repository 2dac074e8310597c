import { defined } from '../../core/index.ts';
import type { Interrupt, Message } from '../../protocol/index.ts';
import { withCallState } from '../calls/call-state.ts';
import { openParts, openTurn } from '../loop/open-turn.ts';
import type { LoopResult } from '../loop/run-loop.ts';
import type { TelemetrySpanContext } from './telemetry.ts';

/** The span that raised an interrupt, and the time. */
export interface InterruptStamp {
  readonly span: TelemetrySpanContext;
  /** Milliseconds since the Unix epoch. */
  readonly raisedAt: number;
}

/**
 * Adds `traceparent` and `raisedAt` to the metadata of an interrupt. An interrupt that has them, such as one of a
 * subagent or one that is asked again, keeps them.
 */
export function stampInterrupt(interrupt: Interrupt, { span, raisedAt }: InterruptStamp): Interrupt {
  const traceparent = formatTraceparent(span);
  const origin = {
    ...defined({ traceparent }),
    raisedAt: new Date(raisedAt).toISOString(),
  };
  return { ...interrupt, metadata: { ...origin, ...interrupt.metadata } };
}

/** The span that raised an interrupt, if its metadata has it. */
export function raisedIn({ metadata = {} }: Interrupt): TelemetrySpanContext | undefined {
  return parseTraceparent(metadata['traceparent']);
}

/** The time at which an interrupt was raised, if its metadata has it. */
export function raisedAt({ metadata = {} }: Interrupt): number | undefined {
  const { raisedAt: written } = metadata;
  const time = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A span context in the form of W3C Trace Context §3.2; undefined for a span that is not recorded. */
export function formatTraceparent({ traceId, spanId, traceFlags }: TelemetrySpanContext): string | undefined {
  const text = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  return FORM.test(text) ? text : undefined;
}

/** Undefined for anything that is not a traceparent of version 00. */
export function parseTraceparent(value: unknown): TelemetrySpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof value === 'string' ? FORM.exec(value) : null) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Stamps the interrupts of a loop result in the stored turn, so that all readers see the same. */
export function stampResult(result: LoopResult, stamp: InterruptStamp): LoopResult {
  const turn = openTurn(result.messages);
  if (result.finishReason !== 'interrupted' || turn === undefined) return result;
  const toolCalls = turn.calls.map(({ call, state }) => {
    if (state?.status !== 'waiting') return call;
    const interrupts = state.interrupts.map((pending) => ({
      ...pending,
      interrupt: stampInterrupt(pending.interrupt, stamp),
    }));
    return withCallState(call, { ...state, interrupts });
  });
  const stamped: Message = { ...turn.message, toolCalls };
  const messages = result.messages.map((message) => (message === turn.message ? stamped : message));
  const open = openTurn(messages);
  return { ...result, messages, interrupts: open === undefined ? [] : openParts(open) };
}

/** The interrupts that a conversation waits for. */
export function openInterrupts(messages: readonly Message[]): Interrupt[] {
  const turn = openTurn(messages);
  return turn === undefined ? [] : openParts(turn).map(({ interrupt }) => interrupt);
}
