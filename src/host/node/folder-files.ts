import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ThreadKey } from '../../ledger/index.ts';
import type { FileStore, StoredFile } from '../files/file-options.ts';

/** Keeps uploads in a folder: one for each thread, named by a hash, so that no name of anybody's becomes a path. */
export function folderFiles(folder: string): FileStore {
  const placeOf = ({ scope, thread }: ThreadKey) =>
    join(
      folder,
      createHash('sha256')
        .update(JSON.stringify([scope, thread]))
        .digest('hex'),
    );
  const nameOf = (id: string) => createHash('sha256').update(id).digest('hex');
  return {
    async put(thread, file, data) {
      const place = placeOf(thread);
      await mkdir(place, { recursive: true });
      const path = join(place, nameOf(file.id));
      // What is described is there: the description comes last, and whole.
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
    async list(thread) {
      const place = placeOf(thread);
      const names = await readdir(place).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      const described = names.filter((name) => name.endsWith('.json'));
      const files = await Promise.all(described.map((name) => readFile(join(place, name), 'utf8')));
      return files
        .map((text) => JSON.parse(text) as StoredFile)
        .toSorted((one, other) => one.uploadedAt - other.uploadedAt);
    },
    remove: (thread) => rm(placeOf(thread), { recursive: true, force: true }),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
