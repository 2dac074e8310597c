import { HoldpointError } from '../../core/index.ts';
import type {
  TelemetryApi,
  TelemetryAttributes,
  TelemetryContext,
  TelemetryMeter,
  TelemetrySpan,
  TelemetrySpanOptions,
} from './telemetry-api.ts';
import { STATUS_ERROR } from './telemetry-api.ts';

export interface TelemetryOptions {
  /** All of `@opentelemetry/api`, imported as `* as api` by the application, so that nobody else loads it. */
  readonly api: TelemetryApi;
  /** The name of the tracer and of the meter. Default `holdpoint`. */
  readonly tracerName?: string;
  /** Puts prompts, arguments, results and the text of errors into the spans. Default false. */
  readonly captureContent?: boolean;
  /** Milliseconds since the Unix epoch, for the time people take. Default: the clock of the run. */
  readonly now?: () => number;
}

/** A span, and the context that makes what runs in it its child. */
export interface OpenSpan {
  readonly span: TelemetrySpan;
  readonly context: TelemetryContext;
}

/** What the parts that measure share. */
export interface Telemetry {
  readonly api: TelemetryApi;
  readonly captureContent: boolean;
  readonly now: (() => number) | undefined;
  /** Starts a span in what is active; in `fallback` where nothing is, as without a context manager. */
  open(name: string, options: TelemetrySpanOptions, fallback?: TelemetryContext): OpenSpan;
  /** Says that a span failed: the kind of error, and its text only where content may be shown. */
  fail(span: TelemetrySpan, error: unknown): void;
  meter(): TelemetryMeter;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { api, tracerName = 'holdpoint', captureContent = false, now } = options;
  const tracer = api.trace.getTracer(tracerName);
  return {
    api,
    captureContent,
    now,
    open(name, spanOptions, fallback) {
      const active = api.context.active();
      const parent = api.trace.getSpan(active) === undefined ? (fallback ?? active) : active;
      const span = tracer.startSpan(name, spanOptions, parent);
      return { span, context: api.trace.setSpan(parent, span) };
    },
    fail(span, error) {
      failWith(span, errorType(error));
      if (captureContent && error instanceof Error) span.recordException(error);
    },
    // Asked for each time: a meter taken before the application has set its provider records nothing, ever.
    meter: () => api.metrics.getMeter(tracerName),
  };
}

/** Marks a span as failed with a code. */
export function failWith(span: TelemetrySpan, code: string): void {
  span.setAttributes({ 'error.type': code });
  span.setStatus({ code: STATUS_ERROR, message: code });
}

/** A name of few values for what went wrong: our code, or the class of the error. */
export function errorType(error: unknown): string {
  if (HoldpointError.is(error)) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}

/** Leaves out the attributes that have no value. */
export function attributes(
  given: Readonly<Record<string, TelemetryAttributes[string] | undefined>>,
): TelemetryAttributes {
  const present: TelemetryAttributes = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) present[name] = value;
  return present;
}
