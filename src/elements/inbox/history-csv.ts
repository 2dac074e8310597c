import type { UnknownRecord } from '../../core/index.ts';
import { csvCell } from '../../core/index.ts';

const COLUMNS = ['at', 'what', 'interruptId', 'by', 'via', 'status', 'payload', 'reason', 'runId', 'hash'];

/** A history as CSV. */
export function historyAsCsv(entries: readonly UnknownRecord[]): string {
  return toCsv(COLUMNS, entries);
}

/** Records as CSV (RFC 4180). A number in a column `at` is a time in milliseconds. */
export function toCsv(columns: readonly string[], records: readonly UnknownRecord[]): string {
  const lines = records.map((record) => columns.map((column) => cell(column, record[column])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

function cell(column: string, value: unknown): string {
  if (value === undefined) return '';
  const time = column === 'at' && typeof value === 'number' ? new Date(value).toISOString() : undefined;
  return csvCell(time ?? (typeof value === 'string' ? value : JSON.stringify(value)));
}
