import type { EncodedBatch } from '../encode-batch.ts';
import { conflictAt } from '../encode-batch.ts';
import { GroupCommits } from '../group-commits.ts';
import type { CommitResult } from '../store.ts';
import type { Connection } from './connect.ts';
import { queryPrepared } from './connect.ts';
import { isPassing, MalformedResult, unknownOutcome, wasUndone } from './errors.ts';
import type { SchemaNames } from './schema.ts';
import type { PlacedBatch } from './waves.ts';
import { toWaves } from './waves.ts';

/** Commits batches in shared transactions, each by itself and all in one round trip. */
export function groupBatches(
  connection: () => Promise<Connection>,
  names: SchemaNames,
): GroupCommits<EncodedBatch, CommitResult> {
  return new GroupCommits<EncodedBatch, CommitResult>({
    commitAll: async (batches) => callFunction(await connection(), names, batches),
    wasUndone: wasOneRefused,
    mostTransactions: 2,
    mostJobs: 64,
    sizeOf: charactersOf,
  });
}

/** The result of `commit_batches_5` for one wave. */
interface WaveResult {
  readonly now: number;
  /** The number of a batch, and a place in it that is not as the batch expects. */
  readonly conflicts: readonly (readonly [batch: number, place: number])[];
  /** The number of a batch, the number of a log in it, and the sequence of its first new item. */
  readonly firsts: readonly (readonly [batch: number, log: number, first: number])[];
}

/** Whether PostgreSQL refused one of several jobs for good, so that the others may succeed without it. */
export function wasOneRefused(error: unknown): boolean {
  return wasUndone(error) && !isPassing(error);
}

async function callFunction(
  connection: Connection,
  { name, quoted, dialect }: SchemaNames,
  batches: readonly EncodedBatch[],
): Promise<CommitResult[]> {
  const { waves, placed, locks } = toWaves(dialect, batches);
  const sorted = [...locks].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = `SELECT ${quoted}.commit_batches_5($1, $2, $3)`;
  const values = [
    JSON.stringify(waves),
    sorted.map(([lock]) => `${name} ${lock}`),
    sorted.map(([, isExclusive]) => isExclusive),
  ];
  return connection.run(async (client) => {
    try {
      const [row] = await queryPrepared(client, { kind: 'commit', text }, values);
      const results = JSON.parse(row?.[0] ?? '') as WaveResult[];
      return placed.map((one) => toResult(one, results[one.wave]));
    } catch (error) {
      throw wasUndone(error) ? error : unknownOutcome(error);
    }
  });
}

function toResult({ batch, number, appends }: PlacedBatch, result: WaveResult | undefined): CommitResult {
  if (result === undefined) throw new MalformedResult();
  const { now, conflicts, firsts } = result;
  const refused = conflicts.flatMap(([of, place]) => (of === number ? [place] : []));
  if (refused.length > 0) return conflictAt(batch, Math.min(...refused));
  const starts = new Map(firsts.flatMap(([of, log, first]) => (of === number ? [[log, first]] : [])));
  return { ok: true, now, sequences: appends.map(({ log, before }) => (starts.get(log) ?? 1) + before) };
}

/** The characters of the documents of a batch. */
function charactersOf({ puts, appends }: EncodedBatch): number {
  let characters = 0;
  for (const { values } of puts) characters += String(values[0]).length;
  for (const { rows } of appends) for (const [, doc] of rows) characters += doc.length;
  return characters;
}
