import type { Interrupt } from '../../protocol/index.ts';
import type { TelemetrySpanContext } from './telemetry-api.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

/** Which span raised a question, and when. */
export interface QuestionStamp {
  readonly span: TelemetrySpanContext;
  /** Milliseconds since the Unix epoch. */
  readonly raisedAt: number;
}

/**
 * Writes into the metadata of a question where it comes from, `traceparent` and `raisedAt`: JSON that goes wherever
 * the question goes. A question that says so already, such as a subagent's or one that is asked again, keeps what it
 * says.
 */
export function stampInterrupt(interrupt: Interrupt, { span, raisedAt }: QuestionStamp): Interrupt {
  const traceparent = formatTraceparent(span);
  const origin = {
    ...(traceparent === undefined ? {} : { traceparent }),
    raisedAt: new Date(raisedAt).toISOString(),
  };
  return { ...interrupt, metadata: { ...origin, ...interrupt.metadata } };
}

/** The span that raised a question, where the question says so. */
export function raisedIn({ metadata = {} }: Interrupt): TelemetrySpanContext | undefined {
  return parseTraceparent(metadata['traceparent']);
}

/** When a question was raised, where it says so. */
export function raisedAt({ metadata = {} }: Interrupt): number | undefined {
  const { raisedAt: written } = metadata;
  const time = typeof written === 'string' ? Date.parse(written) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
