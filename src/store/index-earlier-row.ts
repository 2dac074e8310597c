import type { JsonObject } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import type { RowIndex, TableName } from './store.ts';

/**
 * The index of a row that an earlier schema kept with a state, an agent, a reason and a time alone: the rest is in its document.
 * Only migrations read documents; the ledger fills the index of what it writes.
 */
export function indexEarlierRow(table: TableName, index: RowIndex, doc: JsonObject): RowIndex {
  const { status, agent, reason, dueAt } = index;
  const state = status === undefined ? {} : { status };
  const ofAgent = agent === undefined ? {} : { agent };
  const due = dueAt === undefined ? {} : { dueAt };
  const principal = record(doc['principal']);
  switch (table) {
    case 'threads':
      return {
        ...state,
        ...ofAgent,
        ...due,
        ...text('title', doc['title']),
        ...text('owner', principal['id']),
      };
    case 'runs':
      return { ...state, ...ofAgent, ...text('askedBy', principal['id']) };
    case 'executions':
      return { status: doc['outcome'] === undefined ? 'started' : 'ended' };
    case 'grants':
      return { ...ofAgent, ...text('tool', reason), ...text('owner', doc['principalId']) };
    case 'secrets':
      return {};
    case 'files':
      return { ...state, ...ofAgent, ...text('reason', reason), ...text('title', doc['name']) };
    case 'interrupts': {
      const interrupt = record(doc['interrupt']);
      const metadata = record(interrupt['metadata']);
      const answer = record(doc['answer']);
      const approvers = record(doc['approvers']);
      const answeredAt = typeof answer['at'] === 'number' ? { answeredAt: answer['at'] } : {};
      return {
        ...state,
        ...ofAgent,
        ...due,
        ...text('reason', reason),
        ...text('tool', metadata['toolName'] ?? metadata['functionName']),
        ...text('title', metadata['title']),
        ...text('message', interrupt['message']),
        ...text('askedBy', doc['askedBy']),
        ...text('owner', doc['askedBy']),
        ...list('approverRoles', approvers['roles']),
        ...list('approverUsers', approvers['principals']),
        ...text('answeredBy', answer['by']),
        ...answeredAt,
      };
    }
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function text<Name extends string>(name: Name, value: unknown): { readonly [key in Name]?: string } {
  return typeof value === 'string' ? ({ [name]: value } as { readonly [key in Name]?: string }) : {};
}

function list<Name extends string>(name: Name, value: unknown): { readonly [key in Name]?: string[] } {
  if (!Array.isArray(value)) return {};
  const texts = value.filter((one) => typeof one === 'string');
  return { [name]: texts } as { readonly [key in Name]?: string[] };
}
