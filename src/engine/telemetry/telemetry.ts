import { HoldpointError } from '../../core/index.ts';

/** The options of {@link useTelemetry}. */
export interface TelemetryOptions {
  /** `@opentelemetry/api`, imported by the application as `* as api`, so that Holdpoint does not load it. */
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
  /** Starts a span in the active context; in `fallback` without one, as without a context manager. */
  open(name: string, options: TelemetrySpanOptions, fallback?: TelemetryContext): OpenSpan;
  /** Marks a span as failed with the error type, and with its text only if content may be shown. */
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
    // Requested each time, because a meter from before the provider was set records nothing.
    meter: () => api.metrics.getMeter(tracerName),
  };
}

/** Marks a span as failed with a code. */
export function failWith(span: TelemetrySpan, code: string): void {
  span.setAttributes({ 'error.type': code });
  span.setStatus({ code: STATUS_ERROR, message: code });
}

/** A low-cardinality name of an error: our code, or its class. */
export function errorType(error: unknown): string {
  if (HoldpointError.is(error)) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}

/** Removes attributes without a value. */
export function attributes(
  given: Readonly<Record<string, TelemetryAttributes[string] | undefined>>,
): TelemetryAttributes {
  const present: TelemetryAttributes = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) present[name] = value;
  return present;
}

/** The values of an attribute. */
export type TelemetryAttributes = Record<string, string | number | boolean | string[]>;

/** Carries the active span to the work that it starts. */
export interface TelemetryContext {
  getValue(key: symbol): unknown;
}

/** Identifies a span, in this process or another. */
export interface TelemetrySpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
}

export interface TelemetrySpan {
  spanContext(): TelemetrySpanContext;
  setAttributes(attributes: TelemetryAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(exception: Error): void;
  end(): void;
}

export interface TelemetrySpanOptions {
  readonly kind: number;
  readonly attributes: TelemetryAttributes;
  readonly links?: { readonly context: TelemetrySpanContext; readonly attributes?: TelemetryAttributes }[];
}

export interface TelemetryTracer {
  startSpan(name: string, options?: TelemetrySpanOptions, context?: TelemetryContext): TelemetrySpan;
}

export interface TelemetryMeter {
  createHistogram(
    name: string,
    options?: {
      readonly description: string;
      readonly unit: string;
      readonly advice: { readonly explicitBucketBoundaries: number[] };
    },
  ): { record(value: number, attributes?: TelemetryAttributes): void };
}

/**
 * The part of `@opentelemetry/api` that is used; `import
 *
 * as api` of version 1.9 or later fits.
 */
export interface TelemetryApi {
  readonly trace: {
    getTracer(name: string): TelemetryTracer;
    getSpan(context: TelemetryContext): TelemetrySpan | undefined;
    setSpan(context: TelemetryContext, span: TelemetrySpan): TelemetryContext;
  };
  readonly context: {
    active(): TelemetryContext;
    with<Result>(context: TelemetryContext, work: () => Result): Result;
  };
  readonly metrics: { getMeter(name: string): TelemetryMeter };
}

/** `SpanKind` of the API as numbers, so that the package need not be loaded. */
export const SPAN_KIND = { internal: 0, client: 2 } as const;

/** `SpanStatusCode.ERROR` of the API. */
export const STATUS_ERROR = 2;

/** Reads values in a context: each step of the producer runs in it. Closes the source when the reader leaves. */
export async function* iterateIn<Value>(
  api: TelemetryApi,
  context: TelemetryContext,
  open: () => AsyncIterable<Value>,
): AsyncGenerator<Value, void, undefined> {
  const iterator = api.context.with(context, () => open()[Symbol.asyncIterator]());
  let reading = false;
  try {
    for (;;) {
      reading = false;
      const step = await api.context.with(context, () => iterator.next());
      if (step.done === true) return;
      reading = true;
      yield step.value;
    }
  } finally {
    if (reading) await api.context.with(context, () => iterator.return?.());
  }
}
