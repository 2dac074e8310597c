import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../files/object-files.ts';
import { objectFiles } from '../files/object-files.ts';
import { storeFiles } from '../files/store-files.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { folderFiles } from './folder-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An object store in memory. */
function objectsInMemory(): ObjectStore {
  const objects = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    put: async (key, bytes) => void objects.set(key, bytes),
    get: async (key) => objects.get(key),
    list: async (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)),
    delete: async (key) => void objects.delete(key),
  };
}

describe.each([
  ['an object store', () => objectFiles(objectsInMemory())],
  ['a folder', () => folderFiles(folder)],
  ['the store', () => storeFiles(memoryStore())],
])('files in %s', (_name, create) => {
  const file = (id: string) => ({
    id,
    name: '../a.txt',
    type: 'text/plain',
    size: 3,
    uploadedBy: 'ana',
    uploadedAt: 1,
  });
  const data = new Uint8Array([0, 255, 7]);

  it('stored files are returned unchanged, only to their own thread, whatever its id', async () => {
    const files = create();
    const key = { scope: '../..', thread: '/etc/passwd' };
    await files.put(key, file('../../x'), data);
    expect(await files.get(key, '../../x')).toEqual({ file: file('../../x'), data });
    expect(await files.describe?.(key, '../../x')).toEqual(file('../../x'));
    expect(await files.describe?.({ ...key, scope: 'other' }, '../../x')).toBeUndefined();
    expect(await files.list(key)).toEqual({ files: [file('../../x')] });
    expect(await files.get({ ...key, scope: 'other' }, '../../x')).toBeUndefined();
    expect(await files.list({ ...key, thread: 'other' })).toEqual({ files: [] });
    expect(await files.get(key, 'none')).toBeUndefined();
  });

  it('stored files are listed in pages, oldest first', async () => {
    const files = create();
    const key = { scope: 's', thread: 'paged' };
    for (let n = 0; n < 5; n += 1) await files.put(key, { ...file(`f${n}`), uploadedAt: n }, data);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await files.list(key, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.files.length).toBeLessThanOrEqual(2);
      seen.push(...page.files.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(['f0', 'f1', 'f2', 'f3', 'f4']);
    await expect(files.list(key, { cursor: 'nonsense' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('stored files are removed with their thread, and no others are', async () => {
    const files = create();
    const [gone, stays] = [
      { scope: 's', thread: 'gone' },
      { scope: 's', thread: 'stays' },
    ];
    for (let n = 0; n < 120; n += 1) await files.put(gone, file(`f${n}`), data);
    await files.put(stays, file('f0'), data);
    await files.remove?.(gone);
    await files.remove?.(gone);
    expect([await files.list(gone), await files.get(gone, 'f0')]).toEqual([{ files: [] }, undefined]);
    expect(await files.list(stays)).toEqual({ files: [file('f0')] });
  });
});
