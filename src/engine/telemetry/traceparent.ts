import type { TelemetrySpanContext } from './telemetry-api.ts';

const FORM = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A span's name as W3C Trace Context §3.2 writes it; undefined for a span that nobody records anywhere. */
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
