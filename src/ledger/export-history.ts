import type { Store } from '../store/index.ts';
import type { ThreadChoice } from './read-ledger.ts';
import { everyThread } from './read-ledger.ts';
import type { HistoryEntry } from './records.ts';

export interface ExportHistory extends ThreadChoice {
  /** `jsonl`: an entry a line, as it is kept; `csv`: for people and their spreadsheets. */
  readonly format: 'jsonl' | 'csv';
  /** Told before each piece of entries is given. */
  readonly onProgress?: (progress: { readonly exported: number }) => void;
  readonly signal?: AbortSignal;
}

/** An entry, and where it stands. */
interface PlacedEntry extends HistoryEntry {
  readonly scope: string;
  readonly thread: string;
  readonly sequence: number;
}

/** The columns of a table, in their order. */
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
  'previous',
  'hash',
] as const satisfies readonly (keyof PlacedEntry)[];

/**
 * Who decided what and when, on every thread, in the order it happened on each; those that were pruned too. Comes in pieces
 * of whole lines, so that nothing large is ever in memory. Secrets are not in it: they never were in the history.
 */
export async function* exportHistory(
  store: Store,
  { format, onProgress, signal, ...choice }: ExportHistory,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS);
  const lineOf = format === 'csv' ? csvEntry : (entry: PlacedEntry) => `${JSON.stringify(entry)}\n`;
  let exported = 0;
  for await (const key of everyThread(store, choice)) {
    for (let after = 0; ;) {
      signal?.throwIfAborted();
      const items = await store.read({ log: 'history', ...key, after });
      const last = items.at(-1);
      if (last === undefined) break;
      exported += items.length;
      onProgress?.({ exported });
      yield items
        // Written by the ledger, as entries.
        .map(({ sequence, item }) => lineOf({ ...key, sequence, ...(item as unknown as HistoryEntry) }))
        .join('');
      after = last.sequence;
    }
  }
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

/** RFC 4180: text in quotes, quotes doubled, lines ended by CR LF. */
function csvLine(cells: readonly (string | number)[]): string {
  const texts = cells.map((cell) =>
    typeof cell === 'number' ? String(cell) : `"${harmless(cell).replaceAll('"', '""')}"`,
  );
  return `${texts.join(',')}\r\n`;
}

/**
 * A spreadsheet takes a cell that begins so for a formula, and runs it: an apostrophe before it says that it is text. All of
 * this was written by people and models that nobody vouches for.
 */
function harmless(text: string): string {
  return /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
}
