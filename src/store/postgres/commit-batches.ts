import { setTimeout as delay } from 'node:timers/promises';
import { HoldpointError } from '../../core/index.ts';
import type { Dialect } from '../dialect.ts';
import type { EncodedBatch } from '../encode-batch.ts';
import { conflictAt } from '../encode-batch.ts';
import { GroupCommits } from '../group-commits.ts';
import type { CommitResult, LogName, RowKey, TableName } from '../store.ts';
import { queryRows, withClient } from './connect.ts';
import type { PostgresPool } from './driver.ts';
import { isRetryable, unknownOutcome, wasUndone } from './errors.ts';
import type { SchemaNames } from './schema.ts';

const MOST_TRIES = 6;

/** A batch as text, which `commit_batches_4` takes. Documents are strings in it: jsonb would refuse NUL and sort members. */
export interface BatchText {
  readonly batch: EncodedBatch;
  readonly text: string;
}

/** Writes a batch as text. */
export function toText(dialect: Dialect, encoded: EncodedBatch): BatchText {
  const { places: _places, changes, ...batch } = encoded;
  const changed = changes.map((change) => dialect.key({ ...change, id: '' }));
  return { batch: encoded, text: JSON.stringify({ ...batch, changes: changed }) };
}

/**
 * Commits batches in shared transactions, each by itself and all in one round trip. A transaction that was undone because of others
 * is tried again.
 */
export function groupBatches(
  pool: () => Promise<PostgresPool>,
  names: SchemaNames,
): GroupCommits<BatchText, CommitResult> {
  return new GroupCommits<BatchText, CommitResult>({
    async commitAll(batches) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await callFunction(await pool(), names, batches);
        } catch (error) {
          if (!isRetryable(error) || tries === MOST_TRIES) throw error;
        }
        await delay(Math.random() * 10 * 2 ** tries);
      }
    },
    wasUndone,
    mostTransactions: 2,
    mostJobs: 64,
    sizeOf: ({ text }) => text.length,
  });
}

/** The result of `commit_batches_4` for one batch: its time, or the first unexpected place. */
interface BatchAnswer {
  readonly now?: number;
  readonly firsts?: readonly number[];
  readonly conflict?: number;
}

async function callFunction(
  pool: PostgresPool,
  { name, quoted }: SchemaNames,
  batches: readonly BatchText[],
): Promise<CommitResult[]> {
  const locks = [...lockNames(batches)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return withClient(pool, async (client) => {
    const [row] = await queryRows(client, `SELECT ${quoted}.commit_batches_4($1, $2, $3)`, [
      `[${batches.map(({ text }) => text).join(',')}]`,
      locks.map(([lock]) => `${name} ${lock}`),
      locks.map(([, exclusive]) => exclusive),
    ]).catch((error: unknown) => {
      throw wasUndone(error) ? error : unknownOutcome(error);
    });
    const answers = JSON.parse(row?.[0] ?? '[]') as BatchAnswer[];
    return batches.map(({ batch }, at) => toResult(batch, answers[at] ?? {}));
  });
}

function toResult(batch: EncodedBatch, { now, firsts = [], conflict }: BatchAnswer): CommitResult {
  if (conflict !== undefined) return conflictAt(batch, conflict);
  if (now !== undefined) return { ok: true, now, sequences: firsts };
  throw new HoldpointError('STORE_FAILED', 'PostgreSQL returned an unknown result for a commit.');
}

/**
 * The names to lock, with true for those that a batch changes. A thread is locked as a whole: its commits share rows and logs
 * anyway, and most batches then take one lock. A row outside threads has a lock of its own. Rows that are only checked are shared.
 */
function lockNames(batches: readonly BatchText[]): ReadonlyMap<string, boolean> {
  const locks = new Map<string, boolean>();
  for (const { batch } of batches) {
    const { places, checks } = batch;
    for (const [at, place] of places.entries()) {
      const name = lockName(place);
      locks.set(name, at >= checks.length || locks.get(name) === true);
    }
  }
  return locks;
}

/** All releases must give the same name to the same lock. */
export function lockName(place: RowKey & { readonly table: TableName | LogName }): string {
  const { table, scope, thread, id } = place;
  return JSON.stringify(thread === '' ? [scope, table, id] : [scope, thread]);
}
