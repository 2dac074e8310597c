import type { TokenUsage } from '../../protocol/index.ts';
import { aggregateTokenUsage } from '../../protocol/index.ts';

/** One entry for each provider and model; a label nobody gave stays absent. */
export function aggregateUsage(usage: readonly TokenUsage[]): TokenUsage[] {
  return aggregateTokenUsage([...usage]).map((entry) => {
    const present = Object.entries(entry).filter(([, value]) => value !== undefined);
    return Object.fromEntries(present);
  });
}
