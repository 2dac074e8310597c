import type { JsonObject } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import type { SqlValue } from './dialect.ts';
import type { RowIndex, TableName } from './store.ts';
import { EVERYBODY } from './store.ts';
import type { IndexMember } from './tables.ts';
import { TABLES } from './tables.ts';

/** Reports the progress of a migration. */
export type Progress = (progress: { readonly done: number; readonly total: number }) => void;

/** Rows that a migration reads at once. */
export const PIECE = 1000;

/** Where the documents of earlier schemas have the members of an index. A later path counts if the earlier ones lead to nothing. */
const PATHS: Readonly<Partial<Record<TableName, Partial<Record<IndexMember, readonly string[]>>>>> = {
  threads: { title: ['title'], owner: ['principal.id'] },
  runs: { askedBy: ['principal.id'] },
  grants: { owner: ['principalId'] },
  files: { title: ['name'] },
  interrupts: {
    tool: ['interrupt.metadata.toolName', 'interrupt.metadata.functionName'],
    title: ['interrupt.metadata.title'],
    message: ['interrupt.message'],
    askedBy: ['askedBy'],
    owner: ['askedBy'],
    approverRoles: ['approvers.roles'],
    approverUsers: ['approvers.principals'],
    answeredBy: ['answer.by'],
    answeredAt: ['answer.at'],
  },
};

const IS_TYPE = {
  text: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number',
  list: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

/**
 * The index of a row of an earlier schema, which kept a status, an agent, a reason and a time in columns and the rest in the document.
 * Only migrations read documents; the ledger fills the index of the rows that it writes.
 */
export function indexEarlierRow(
  table: TableName,
  doc: JsonObject,
  [status, agent, reason, dueAt]: readonly SqlValue[],
): RowIndex {
  const kept: Partial<Record<IndexMember, unknown>> = {
    status: table === 'executions' ? (doc['outcome'] === undefined ? 'started' : 'ended') : status,
    agent,
    // The reason of a grant was its tool.
    [table === 'grants' ? 'tool' : 'reason']: reason,
    dueAt: typeof dueAt === 'string' ? Number(dueAt) : dueAt,
  };
  const index: Record<string, unknown> = {};
  for (const { member, type } of TABLES[table]) {
    const found = (PATHS[table]?.[member] ?? []).map((path) => valueAt(doc, path));
    const value = [kept[member], ...found].find((one) => one !== undefined && one !== null);
    if (IS_TYPE[type](value)) index[member] = value;
  }
  const isForOthers = table === 'interrupts' && valueAt(doc, 'approvers.notAsker') === true;
  if (isForOthers && index['approverRoles'] === undefined) index['approverUsers'] ??= [EVERYBODY];
  return index;
}

function valueAt(doc: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), doc);
}
