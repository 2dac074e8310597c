import type { JsonObject } from '../../core/index.ts';
import type { Row } from '../store.ts';
import type { TextRow } from './connect.ts';
import { fromColumn, keyFromColumns } from './key-columns.ts';

/** What a query selects to make a {@link Row} of it. */
export const ROW_COLUMNS =
  'scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc';

/** A row as it is given out. */
export function toRow(columns: TextRow): Row {
  const { status = null, agent = null, reason = null, due_at: dueAt = null } = columns;
  return {
    key: keyFromColumns({
      scope: columns['scope'] ?? '',
      thread: columns['thread'] ?? '',
      id: columns['id'] ?? '',
      fullKey: columns['full_key'] ?? null,
    }),
    version: Number(columns['version']),
    createdAt: Number(columns['created_at']),
    index: {
      ...(status === null ? {} : { status: fromColumn(status) }),
      ...(agent === null ? {} : { agent: fromColumn(agent) }),
      ...(reason === null ? {} : { reason: fromColumn(reason) }),
      ...(dueAt === null ? {} : { dueAt: Number(dueAt) }),
    },
    doc: JSON.parse(columns['doc'] ?? '{}') as JsonObject,
  };
}
