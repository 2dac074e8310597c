import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HoldpointError } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { threadName } from '../../ledger/index.ts';
import type { FileStore, StoredFile } from '../files/file-options.ts';

/**
 * Keeps uploads in a folder: one folder for each thread, named by a hash, so that no id becomes a path.
 *
 * @example
 * ```ts
 * import { folderFiles } from 'holdpoint/node';
 *
 * const files = folderFiles('uploads');
 * ```
 */
export function folderFiles(folder: string): FileStore {
  const nameOf = (id: string) => createHash('sha256').update(id).digest('hex');
  const placeOf = (key: ThreadKey) => join(folder, nameOf(threadName(key)));
  return {
    async put(thread, file, data) {
      const place = placeOf(thread);
      await mkdir(place, { recursive: true });
      const path = join(place, nameOf(file.id));
      // The description is written last and atomically, so a described file is complete.
      await writeFile(`${path}.data`, data);
      await writeFile(`${path}.part`, JSON.stringify(file));
      await rename(`${path}.part`, `${path}.json`);
    },
    async get(thread, id) {
      const path = join(placeOf(thread), nameOf(id));
      try {
        const file = JSON.parse(await readFile(`${path}.json`, 'utf8')) as StoredFile;
        return { file, data: new Uint8Array(await readFile(`${path}.data`)) };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async list(thread, { cursor, limit = 100 } = {}) {
      const place = placeOf(thread);
      const names = await readdir(place).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      const described = names.filter((name) => name.endsWith('.json'));
      const files = await Promise.all(described.map((name) => readFile(join(place, name), 'utf8')));
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const rest = files
        .map((text) => JSON.parse(text) as StoredFile)
        .toSorted(compare)
        .filter((file) => after === undefined || compare(file, after) > 0);
      const page = rest.slice(0, Math.min(limit, 1000));
      const last = page.at(-1);
      if (last === undefined || page.length === rest.length) return { files: page };
      return { files: page, next: JSON.stringify([last.uploadedAt, last.id]) };
    },
    remove: (thread) => rm(placeOf(thread), { recursive: true, force: true }),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
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
