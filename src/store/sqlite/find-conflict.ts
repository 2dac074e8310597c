import { logKey } from '../row-text.ts';
import type { CommitResult } from '../store.ts';
import { nextOf, versionOf } from './apply-batch.ts';
import type { Connection } from './connection.ts';
import type { FrozenBatch } from './freeze-batch.ts';

type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

/** The first thing in a batch that is not as it expects, in the order of the contract: checks, puts, deletes, appends. */
export function findConflict(connection: Connection, batch: FrozenBatch): Conflict | undefined {
  for (const { table, key, expect } of [
    ...batch.checks,
    ...batch.puts,
    ...batch.replaced,
    ...batch.deletes,
  ]) {
    if (expect !== undefined && versionOf(connection, table, key) !== expect) return { table, ...key };
  }
  for (const append of batch.appends) {
    const { expectNext } = append;
    if (expectNext !== undefined && nextOf(connection, append) !== expectNext) {
      return logKey(append.log, append);
    }
  }
  return undefined;
}

/** A batch of which it is known that everything is as it expects. */
export function withoutExpectations(batch: FrozenBatch): FrozenBatch {
  const anyVersion = <Row extends object>(row: Row) => ({ ...row, expect: undefined });
  return {
    ...batch,
    checks: [],
    puts: batch.puts.map(anyVersion),
    replaced: batch.replaced.map(anyVersion),
    deletes: batch.deletes.map(anyVersion),
    appends: batch.appends.map((append) => ({ ...append, expectNext: undefined })),
  };
}
