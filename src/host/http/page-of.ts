import { HoldpointError } from '../../core/index.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** Where a page begins and how long it is. Throws `INPUT_INVALID`. */
export function pageOf(query: Readonly<Record<string, string>>): {
  readonly cursor?: string;
  readonly limit: number;
} {
  const { cursor, limit } = query;
  const wanted = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isSafeInteger(wanted) || wanted < 1) {
    throw new HoldpointError('INPUT_INVALID', 'limit is a number from 1 to 500.');
  }
  return { ...(cursor === undefined ? {} : { cursor }), limit: Math.min(wanted, MAX_LIMIT) };
}
