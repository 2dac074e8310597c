import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileStore } from '../files/file-options.ts';
import { objectFiles } from '../files/object-files.ts';

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
  return objectFiles({
    async put(key, data) {
      const path = join(folder, key);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.part`, data);
      await rename(`${path}.part`, path);
    },
    async get(key) {
      const data = await readFile(join(folder, key)).catch(unlessMissing);
      return data === undefined ? undefined : new Uint8Array(data);
    },
    async list(prefix) {
      const names = (await readdir(join(folder, prefix)).catch(unlessMissing)) ?? [];
      return names.map((name) => `${prefix}${name}`);
    },
    async delete(key) {
      const path = join(folder, key);
      await rm(path, { force: true });
      // The folder of a thread goes with its last file.
      await rmdir(dirname(path)).catch(() => undefined);
    },
  });
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
