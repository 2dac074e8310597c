import type { ThreadKey } from '../../ledger/index.ts';

/** A file that somebody gave to a thread. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly uploadedBy: string;
  readonly uploadedAt: number;
}

/** Where files are kept; the store itself when nothing else is given. */
export interface FileStore {
  put(thread: ThreadKey, file: StoredFile, data: Uint8Array<ArrayBuffer>): Promise<void>;
  get(
    thread: ThreadKey,
    id: string,
  ): Promise<{ readonly file: StoredFile; readonly data: Uint8Array<ArrayBuffer> } | undefined>;
  list(thread: ThreadKey): Promise<readonly StoredFile[]>;
  /** Removes all of a thread's, when it is deleted; more than once is fine. Without it they stay until somebody removes them. */
  remove?(thread: ThreadKey): Promise<void>;
}

export interface FileOptions {
  readonly store?: FileStore;
  /** Default 10 MiB. */
  readonly maxBytes?: number;
  /** Media types that are taken, such as `image/*`. Default: all. */
  readonly types?: readonly string[];
}
