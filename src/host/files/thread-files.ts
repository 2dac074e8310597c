import type { Access } from '../../ledger/index.ts';
import type { FilePage, FileStore, StoredFile } from './file-options.ts';
import type { FileQuota } from './file-quota.ts';

/** The files of threads, for callers whose right to the thread was checked. */
export interface ThreadFiles {
  /** Throws `TOO_LARGE` or `RATE_LIMITED` where the quota does not suffice. */
  put(access: Access<'upload'>, file: StoredFile, data: Uint8Array<ArrayBuffer>): Promise<void>;
  get(access: Access<'read'>, id: string): ReturnType<FileStore['get']>;
  list(access: Access<'read'>, page: Parameters<FileStore['list']>[1]): Promise<FilePage>;
  remove(access: Access<'delete'>): Promise<void>;
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
  };
}
