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

/** Some files of a thread, the oldest first. */
export interface FilePage {
  readonly files: readonly StoredFile[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/** Where files are kept; the store itself when nothing else is given. */
export interface FileStore {
  put(thread: ThreadKey, file: StoredFile, data: Uint8Array<ArrayBuffer>): Promise<void>;
  get(
    thread: ThreadKey,
    id: string,
  ): Promise<{ readonly file: StoredFile; readonly data: Uint8Array<ArrayBuffer> } | undefined>;
  /** Reads no bodies. Default limit 100, at most 1,000. Throws `INPUT_INVALID` for a cursor that no page gave. */
  list(thread: ThreadKey, page?: { readonly cursor?: string; readonly limit?: number }): Promise<FilePage>;
  /** Removes all of a thread's, when it is deleted; more than once is fine. Without it they stay until somebody removes them. */
  remove?(thread: ThreadKey): Promise<void>;
}

/** How much may be uploaded. Files count until their thread is deleted. */
export interface FileQuotas {
  /** Bytes of one thread. Default 100 MiB. */
  readonly threadBytes?: number;
  /** Files of one thread. Default 1,000. */
  readonly threadFiles?: number;
  /** Bytes of one scope. Default 10 GiB. */
  readonly scopeBytes?: number;
  /** Files of one scope. Default 100,000. */
  readonly scopeFiles?: number;
}

export interface FileOptions {
  readonly store?: FileStore;
  /** Bytes of one file. Default 10 MiB. */
  readonly maxBytes?: number;
  /** Beyond them an upload is refused, with `TOO_LARGE` for bytes and `RATE_LIMITED` for the number of files. */
  readonly quotas?: FileQuotas;
  /** Media types that are taken, such as `image/*`. Default: all. */
  readonly types?: readonly string[];
  /** Origins besides the host's own whose pages may upload, such as `https://app.example`. Default: none. */
  readonly origins?: readonly string[];
}
