import { expect, it } from 'vitest';

import { usageOf } from './from-stream.ts';

it('drops counts that are not whole numbers', () => {
  expect(usageOf({ inputTokens: Number.NaN, outputTokens: 3, totalTokens: undefined })).toEqual({
    outputTokens: 3,
  });
  expect(
    usageOf({
      inputTokens: { total: undefined, cacheRead: -1, cacheWrite: 1.5 },
      outputTokens: { total: Infinity, reasoning: undefined },
    }),
  ).toBeUndefined();
});

it("takes the provider's total only without a sum", () => {
  expect(usageOf({ inputTokens: 2, outputTokens: 3, totalTokens: 99 })).toMatchObject({ totalTokens: 5 });
  expect(usageOf({ inputTokens: undefined, outputTokens: undefined, totalTokens: 99 })).toEqual({
    totalTokens: 99,
  });
});

it('reads groups with missing counts', () => {
  const usage = usageOf({
    inputTokens: { total: 7, cacheRead: 0, cacheWrite: undefined },
    outputTokens: { total: undefined, reasoning: undefined },
  });
  expect(usage).toEqual({ inputTokens: 7, cachedInputTokens: 0 });
});
