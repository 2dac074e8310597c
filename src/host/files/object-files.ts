import type { Bytes } from '../../core/index.ts';
import { digestText, HoldpointError } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { threadName } from '../../ledger/index.ts';
import type { FileStore, StoredFile } from './file-options.ts';

/** The part of an object store that files need: S3, R2, GCS or Azure behind four functions. Keys have no `..` and no `//`. */
export interface ObjectStore {
  /** Writes an object as a whole: a reader sees all of it or nothing. */
  put(key: string, data: Bytes, type: string): Promise<void>;
  /** Returns undefined for a missing object. */
  get(key: string): Promise<Bytes | undefined>;
  /** Returns all keys that begin with the prefix, in any order. */
  list(prefix: string): Promise<readonly string[]>;
  /** Deletes an object; a missing object is no error. */
  delete(key: string): Promise<void>;
}

/**
 * Keeps uploads in an object store: a body and a description for each file, under keys made of hashes.
 *
 * @example
 * ```ts
 * import { objectFiles } from 'holdpoint/host';
 *
 * const objects = new Map<string, Uint8Array<ArrayBuffer>>();
 * const files = objectFiles({
 *   put: async (key, data) => void objects.set(key, data),
 *   get: async (key) => objects.get(key),
 *   list: async (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)),
 *   delete: async (key) => void objects.delete(key),
 * });
 * ```
 */
export function objectFiles(objects: ObjectStore): FileStore {
  const folderOf = (thread: ThreadKey) => `${digestText(threadName(thread))}/`;
  const placeOf = (thread: ThreadKey, id: string) => `${folderOf(thread)}${digestText(id)}`;
  const described = async (key: string): Promise<StoredFile | undefined> => {
    const text = await objects.get(key);
    // Only `put` writes it.
    return text === undefined ? undefined : (JSON.parse(new TextDecoder().decode(text)) as StoredFile);
  };
  return {
    async put(thread, file, data) {
      const place = placeOf(thread, file.id);
      // The description is written last, so a described file is complete.
      await objects.put(`${place}.data`, data, file.type);
      const text = new TextEncoder().encode(JSON.stringify(file));
      await objects.put(`${place}.json`, text, 'application/json');
    },
    async get(thread, id) {
      const place = placeOf(thread, id);
      const file = await described(`${place}.json`);
      const data = file === undefined ? undefined : await objects.get(`${place}.data`);
      return file === undefined || data === undefined ? undefined : { file, data };
    },
    describe: (thread, id) => described(`${placeOf(thread, id)}.json`),
    async list(thread, { cursor, limit = 100 } = {}) {
      const keys = (await objects.list(folderOf(thread))).filter((key) => key.endsWith('.json'));
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const files = await Promise.all(keys.map(described));
      const rest = files
        .filter((file) => file !== undefined)
        .toSorted(compare)
        .filter((file) => after === undefined || compare(file, after) > 0);
      const page = rest.slice(0, Math.min(limit, 1000));
      const last = page.at(-1);
      if (last === undefined || page.length === rest.length) return { files: page };
      return { files: page, next: JSON.stringify([last.uploadedAt, last.id]) };
    },
    async remove(thread) {
      const keys = await objects.list(folderOf(thread));
      await Promise.all(keys.map((key) => objects.delete(key)));
    },
  };
}

type Place = Pick<StoredFile, 'uploadedAt' | 'id'>;

function compare(one: Place, other: Place): number {
  return one.uploadedAt - other.uploadedAt || (one.id < other.id ? -1 : Number(one.id > other.id));
}

function readCursor(cursor: string): Place {
  try {
    const [uploadedAt, id] = JSON.parse(cursor) as unknown[];
    if (typeof uploadedAt === 'number' && typeof id === 'string') return { uploadedAt, id };
  } catch {
    // Rejected below.
  }
  throw new HoldpointError('INPUT_INVALID', 'The cursor is not valid. Use `next` of the page before.');
}
