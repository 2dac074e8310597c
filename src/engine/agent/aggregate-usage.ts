import type { TokenUsage } from '../../protocol/index.ts';
import { aggregateTokenUsage } from '../../protocol/index.ts';

/** One entry for each provider and model; a label nobody gave stays absent. */
export function aggregateUsage(usage: readonly TokenUsage[]): TokenUsage[] {
  return aggregateTokenUsage([...usage]).map(({ provider, model, ...counts }) => ({
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...counts,
  }));
}
