import type { TokenUsage } from '../../protocol/index.ts';
import type { ProviderUsage } from './provider-model.ts';

type Counts = Omit<TokenUsage, 'provider' | 'model'>;

/** The token counts of a call in AG-UI's form; drops values that are not whole numbers. Undefined without a count. */
export function usageOf(usage: ProviderUsage): Counts | undefined {
  const { inputTokens: input, outputTokens: output } = usage;
  const isGrouped = typeof input === 'object';
  const inputTokens = isGrouped ? input.total : input;
  const outputTokens = typeof output === 'object' ? output.total : output;
  const counts: Record<keyof Counts, number | undefined> = {
    inputTokens,
    outputTokens,
    // AG-UI's total is a sum; the provider's total may include other counts.
    totalTokens:
      isCount(inputTokens) && isCount(outputTokens) ? inputTokens + outputTokens : usage.totalTokens,
    reasoningTokens: typeof output === 'object' ? output.reasoning : usage.reasoningTokens,
    cachedInputTokens: isGrouped ? input.cacheRead : usage.cachedInputTokens,
    cacheWriteInputTokens: isGrouped ? input.cacheWrite : undefined,
  };
  const known = Object.entries(counts).filter(([, count]) => isCount(count));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
