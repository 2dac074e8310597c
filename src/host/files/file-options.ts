import type { FileInfo } from '../../content/interrupts/index.ts';
import type { Bytes } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';

/** An uploaded file of a thread. */
export interface StoredFile extends FileInfo {
  readonly uploadedBy: string;
  /** Milliseconds since the epoch. */
  readonly uploadedAt: number;
}

/** A page of the files of a thread, oldest first. */
export interface FilePage {
  readonly files: readonly StoredFile[];
  /** The cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/** Stores files. Default: the store of the host. */
export interface FileStore {
  put(thread: ThreadKey, file: StoredFile, data: Bytes): Promise<void>;
  get(
    thread: ThreadKey,
    id: string,
  ): Promise<{ readonly file: StoredFile; readonly data: Bytes } | undefined>;
  /** The description of a file, without its body. Without this function, the host reads the body too. */
  describe?(thread: ThreadKey, id: string): Promise<StoredFile | undefined>;
  /** Lists files without bodies. Default limit 100, at most 1,000. Throws `INPUT_INVALID` for an invalid cursor. */
  list(thread: ThreadKey, page?: { readonly cursor?: string; readonly limit?: number }): Promise<FilePage>;
  /** Removes all files of a deleted thread; safe to repeat. Without it, the files stay. */
  remove?(thread: ThreadKey): Promise<void>;
}

/** Limits for uploads. Files count until their thread is deleted. */
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

/** The option `files` of a host: where uploads are kept, and how much of them. */
export interface FileOptions {
  /** Keeps the files. Default: the store of the host. */
  readonly store?: FileStore;
  /** Bytes of one file. Default 10 MiB. */
  readonly maxBytes?: number;
  /**
   * Limits. Beyond them an upload is rejected, with `TOO_LARGE` for bytes and `RATE_LIMITED` for the number of
   * files.
   */
  readonly quotas?: FileQuotas;
  /** Accepted media types, such as `image/*`. Default: all. */
  readonly types?: readonly string[];
  /** Origins besides those in `cors` whose pages may upload, such as `https://app.example`. Default: none. */
  readonly origins?: readonly string[];
}
