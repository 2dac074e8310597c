import type { Access } from '../../ledger/index.ts';
import type { FileStore, StoredFile } from './file-options.ts';

/** The files of threads, for callers whose right to the thread was checked. */
export interface ThreadFiles {
  put(access: Access<'upload'>, file: StoredFile, data: Uint8Array<ArrayBuffer>): Promise<void>;
  get(access: Access<'read'>, id: string): ReturnType<FileStore['get']>;
  list(access: Access<'read'>): Promise<readonly StoredFile[]>;
  remove(access: Access<'delete'>): Promise<void>;
}

export function threadFiles(files: FileStore): ThreadFiles {
  return {
    put: ({ key }, file, data) => files.put(key, file, data),
    get: ({ key }, id) => files.get(key, id),
    list: ({ key }) => files.list(key),
    remove: async ({ key }) => files.remove?.(key),
  };
}
