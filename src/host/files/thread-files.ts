import type { FileReader } from '../../content/interrupts/index.ts';
import { everyPage, HoldpointError } from '../../core/index.ts';
import type { Access, ThreadKey } from '../../ledger/index.ts';
import type { Row, RowKey, Store } from '../../store/index.ts';
import type { FilePage, FileQuotas, FileStore, StoredFile } from './file-options.ts';

/** The files of threads, for callers with a checked permission. */
export interface ThreadFiles {
  /** Throws `TOO_LARGE` or `RATE_LIMITED` beyond the quota. */
  put(access: Access<'upload'>, file: StoredFile, data: Uint8Array<ArrayBuffer>): Promise<void>;
  get(access: Access<'read'>, id: string): ReturnType<FileStore['get']>;
  list(access: Access<'read'>, page: Parameters<FileStore['list']>[1]): Promise<FilePage>;
  remove(access: Access<'delete'>): Promise<void>;
  /** Reads the files that an answer names. */
  readerOf(access: Access<'answer'>): FileReader;
}

export function threadFiles(files: FileStore, quota: FileQuota): ThreadFiles {
  return {
    async put({ key }, file, data) {
      const release = await quota.reserve(key, file.size);
      try {
        await files.put(key, file, data);
      } catch (error) {
        await release().catch(() => undefined);
        throw error;
      }
    },
    get: ({ key }, id) => files.get(key, id),
    list: ({ key }, page) => files.list(key, page),
    remove: async ({ key }) => files.remove?.(key),
    readerOf: ({ key }) => fileReader(files, key),
  };
}

/** Reads the files of a thread for its runs. */
export function fileReader(files: FileStore, key: ThreadKey): FileReader {
  return {
    async describe(id) {
      if (files.describe !== undefined) return files.describe(key, id);
      return (await files.get(key, id))?.file;
    },
    async read(id) {
      const found = await files.get(key, id);
      return found === undefined ? undefined : { ...found.file, data: found.data };
    },
  };
}

/** The uploaded bytes and files. */
interface Usage {
  readonly bytes: number;
  readonly files: number;
}

/** Counts uploads in the store, wherever the files are kept. */
export interface FileQuota {
  /**
   * Reserves quota for a file before it is stored; the returned function releases it. Throws `TOO_LARGE` beyond the
   * bytes of the thread or scope, `RATE_LIMITED` beyond the number of files; then nothing is reserved.
   */
  reserve(thread: ThreadKey, bytes: number): Promise<() => Promise<void>>;
}

const MIB = 1024 * 1024;
const THREAD_USAGE = 'usage';
const SCOPE_USAGE = 'scope-usage';
const EMPTY: Usage = { bytes: 0, files: 0 };

/**
 * One commit changes the row of the thread and the row of the scope against their versions, so concurrent uploads
 * cannot pass the quota together. Deleting a thread deletes its row; the row of the scope is recounted from those of
 * its threads when it is full.
 */
export function createFileQuota(store: Store, files: FileStore, quotas: FileQuotas = {}): FileQuota {
  const {
    threadBytes = 100 * MIB,
    threadFiles = 1000,
    scopeBytes = 10_240 * MIB,
    scopeFiles = 100_000,
  } = quotas;
  const keysOf = ({ scope, thread }: ThreadKey): [RowKey, RowKey] => [
    { scope, thread, id: THREAD_USAGE },
    { scope, thread: '', id: SCOPE_USAGE },
  ];

  /** Adds to both counts; false after a concurrent change. */
  const add = async (key: ThreadKey, added: Usage, isChecked: boolean): Promise<boolean> => {
    const [threadKey, scopeKey] = keysOf(key);
    const [threadRow, scopeRow] = await store.get('files', [threadKey, scopeKey]);
    const thread = sum(threadRow === undefined ? await countFiles(files, key) : usageOf(threadRow), added);
    // The files that the thread had before the first count are new to the scope too.
    const isNew = threadRow === undefined;
    let scope = sum(scopeRow === undefined ? EMPTY : usageOf(scopeRow), isNew ? thread : added);
    if (isChecked) {
      assertRoom(thread, { bytes: threadBytes, files: threadFiles }, 'thread');
      const limit = { bytes: scopeBytes, files: scopeFiles };
      if (isOver(scope, limit) || scopeRow === undefined) {
        const others = await countThreads(store, key);
        scope = sum(others, thread);
      }
      assertRoom(scope, limit, 'scope');
    }
    const put = (rowKey: RowKey, row: Row | undefined, usage: Usage) => ({
      table: 'files' as const,
      key: rowKey,
      doc: { ...usage },
      index: { status: rowKey.id },
      expect: row?.version ?? 0,
    });
    const puts = [put(threadKey, threadRow, thread), put(scopeKey, scopeRow, scope)];
    return (await store.commit({ puts })).ok;
  };
  const addSurely = async (key: ThreadKey, added: Usage, isChecked: boolean): Promise<void> => {
    while (!(await add(key, added, isChecked)));
  };
  return {
    async reserve(key, bytes) {
      await addSurely(key, { bytes, files: 1 }, true);
      return () => addSurely(key, { bytes: -bytes, files: -1 }, false);
    },
  };
}

/** The usage of a thread without a count. */
async function countFiles(files: FileStore, key: ThreadKey): Promise<Usage> {
  let counted = EMPTY;
  for await (const page of everyPage((from) => files.list(key, { limit: 1000, ...from })))
    for (const { size } of page.files) counted = sum(counted, { bytes: size, files: 1 });
  return counted;
}

/** The usage of the other threads of a scope. */
async function countThreads(store: Store, { scope, thread }: ThreadKey): Promise<Usage> {
  let counted = EMPTY;
  const query = { table: 'files', scope, status: [THREAD_USAGE], limit: 1000 } as const;
  for await (const page of everyPage((from) => store.list({ ...query, ...from })))
    for (const row of page.rows) if (row.key.thread !== thread) counted = sum(counted, usageOf(row));
  return counted;
}

function usageOf({ doc }: Row): Usage {
  return { bytes: Number(doc['bytes']), files: Number(doc['files']) };
}

function sum(one: Usage, other: Usage): Usage {
  return { bytes: Math.max(0, one.bytes + other.bytes), files: Math.max(0, one.files + other.files) };
}

function isOver(usage: Usage, limit: Usage): boolean {
  return usage.bytes > limit.bytes || usage.files > limit.files;
}

function assertRoom(usage: Usage, limit: Usage, where: 'thread' | 'scope'): void {
  if (usage.bytes > limit.bytes) {
    const sentence = `The files of a ${where} have at most ${limit.bytes} bytes. Delete threads with files, or send less.`;
    throw new HoldpointError('TOO_LARGE', sentence, { details: { limit: limit.bytes, per: where } });
  }
  if (usage.files > limit.files) {
    const sentence = `A ${where} has at most ${limit.files} files. Delete threads with files first.`;
    throw new HoldpointError('RATE_LIMITED', sentence, { details: { limit: limit.files, per: where } });
  }
}
