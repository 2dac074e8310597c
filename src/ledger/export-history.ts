import { csvCell } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { ThreadChoice } from './read-ledger.ts';
import { everyThread } from './read-ledger.ts';
import type { HistoryEntry, ThreadKey } from './records.ts';

export interface ExportHistory extends ThreadChoice {
  /** `jsonl`: one stored entry on each line; `csv`: for spreadsheets. */
  readonly format: 'jsonl' | 'csv';
  /** Called before each page of entries; `exported` includes that page. */
  readonly onProgress?: (progress: { readonly exported: number }) => void;
  readonly signal?: AbortSignal;
}

/** An entry with its thread and position. */
interface PlacedEntry extends HistoryEntry {
  readonly scope: string;
  readonly thread: string;
  readonly sequence: number;
}

/** The columns of the CSV file, in order. */
const COLUMNS = [
  'scope',
  'thread',
  'sequence',
  'what',
  'interruptId',
  'at',
  'by',
  'via',
  'status',
  'payload',
  'reason',
  'latency',
  'runId',
  'grant',
  'toolCallId',
  'erased',
  'tool',
  'state',
  'outcome',
  'digests',
  'kept',
  'erases',
  'salt',
  'seal',
  'previous',
  'hash',
] as const satisfies readonly (keyof PlacedEntry)[];

/**
 * The history of all threads, pruned ones included, in the order of each thread. Yields pieces of whole lines, so
 * memory use is bounded. The history contains no secrets.
 */
export async function* exportHistory(
  store: Store,
  { format, onProgress, signal, ...choice }: ExportHistory,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS);
  const lineOf = format === 'csv' ? csvEntry : (entry: PlacedEntry) => `${JSON.stringify(entry)}\n`;
  let exported = 0;
  for await (const key of everyHistory(store, choice)) {
    for (let after = 0; ;) {
      signal?.throwIfAborted();
      const items = await store.read({ log: 'history', ...key, after });
      const last = items.at(-1);
      if (last === undefined) break;
      exported += items.length;
      onProgress?.({ exported });
      yield items
        // Only the ledger writes these items.
        .map(({ sequence, item }) => lineOf({ ...key, sequence, ...(item as unknown as HistoryEntry) }))
        .join('');
      after = last.sequence;
    }
  }
}

/** The threads of a store, and at the end those whose row was removed past the store. */
async function* everyHistory(store: Store, choice: ThreadChoice): AsyncGenerator<ThreadKey> {
  yield* everyThread(store, choice);
  for (const { scope, thread, table, column } of await store.findStrays(choice))
    if (table === 'history' && column === undefined) yield { scope, thread };
}

function csvEntry(entry: PlacedEntry): string {
  return csvLine(
    COLUMNS.map((column) => {
      const value = entry[column];
      if (column === 'at') return new Date(entry.at).toISOString();
      if (value === undefined || typeof value === 'string' || typeof value === 'number') return value ?? '';
      return JSON.stringify(value);
    }),
  );
}

function csvLine(cells: readonly (string | number)[]): string {
  const texts = cells.map((cell) => (typeof cell === 'number' ? String(cell) : csvCell(cell)));
  return `${texts.join(',')}\r\n`;
}
