/** What an attribute may be. */
export type TelemetryAttributes = Record<string, string | number | boolean | string[]>;

/** Carries the active span from one piece of work to those it starts. */
export interface TelemetryContext {
  getValue(key: symbol): unknown;
}

/** Names a span, in this process or another. */
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

/** The slice of `@opentelemetry/api` that is used here; `import * as api` of version 1.9 or later is one. */
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

/** `SpanKind` of the API, by number: to read its enum the package would have to be loaded. */
export const SPAN_KIND = { internal: 0, client: 2 } as const;

/** `SpanStatusCode.ERROR` of the API. */
export const STATUS_ERROR = 2;
