import { setTimeout as delay } from 'node:timers/promises';
import type { CommitResult } from '../store.ts';
import { queryRows, withClient } from './connect.ts';
import type { PostgresPool } from './driver.ts';
import type { BatchAnswer, EncodedBatch } from './encode-batch.ts';
import { isRetryable, storeFailure, unknownOutcome, wasUndone } from './errors.ts';
import type { SchemaNames } from './schema.ts';

const MOST_TRIES = 6;

/**
 * Commits batches in one transaction and one round trip, each by itself: one that PostgreSQL cannot take fails alone.
 * A transaction that was undone because of others is tried again. Gives a result or an error for each batch.
 */
export async function commitBatches(
  pool: PostgresPool,
  names: SchemaNames,
  batches: readonly EncodedBatch[],
): Promise<(CommitResult | Error)[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await callFunction(pool, names, batches);
    } catch (error) {
      if (isRetryable(error) && tries < MOST_TRIES) {
        await delay(Math.random() * 10 * 2 ** tries);
        continue;
      }
      if (!wasUndone(error) || batches.length === 1) {
        return batches.map(() => storeFailure('commit', error));
      }
      const results: (CommitResult | Error)[] = [];
      for (const batch of batches) results.push(...(await commitBatches(pool, names, [batch])));
      return results;
    }
  }
}

async function callFunction(
  pool: PostgresPool,
  { name, quoted }: SchemaNames,
  batches: readonly EncodedBatch[],
): Promise<CommitResult[]> {
  const locks = [...mergeLocks(batches)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return withClient(pool, async (client) => {
    const [row] = await queryRows(client, `SELECT ${quoted}.commit_batches_2($1, $2, $3) AS answers`, [
      `[${batches.map(({ text }) => text).join(',')}]`,
      locks.map(([lock]) => `${name} ${lock}`),
      locks.map(([, exclusive]) => exclusive),
    ]).catch((error: unknown) => {
      throw wasUndone(error) ? error : unknownOutcome(error);
    });
    const answers = JSON.parse(row?.['answers'] ?? '[]') as BatchAnswer[];
    return batches.map(({ toResult }, index) => toResult(answers[index] ?? {}));
  });
}

function mergeLocks(batches: readonly EncodedBatch[]): ReadonlyMap<string, boolean> {
  const merged = new Map<string, boolean>();
  for (const { locks } of batches) {
    for (const [lock, exclusive] of locks) merged.set(lock, exclusive || merged.get(lock) === true);
  }
  return merged;
}
