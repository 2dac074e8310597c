import { expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from './interrupt-stamp.ts';

const SPAN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };

it('formatTraceparent and parseTraceparent round-trip a span context', () => {
  const text = formatTraceparent(SPAN);
  expect(text).toBe(`00-${SPAN.traceId}-${SPAN.spanId}-01`);
  expect(parseTraceparent(text)).toEqual({ ...SPAN, isRemote: true });
});

it('formatTraceparent returns undefined for a span that is not recorded', () => {
  expect(formatTraceparent({ ...SPAN, traceId: '0'.repeat(32) })).toBeUndefined();
  expect(formatTraceparent({ ...SPAN, spanId: '0'.repeat(16) })).toBeUndefined();
});

it('parseTraceparent returns undefined for anything else', () => {
  const upper = `00-${SPAN.traceId.toUpperCase()}-${SPAN.spanId}-01`;
  const zeros = `00-${'0'.repeat(32)}-${SPAN.spanId}-01`;
  for (const value of [
    undefined,
    null,
    1,
    {},
    '',
    'x',
    upper,
    zeros,
    `01-${SPAN.traceId}-${SPAN.spanId}-01`,
  ]) {
    expect(parseTraceparent(value)).toBeUndefined();
  }
});
