import type { JsonObject } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import type { FileStore, StoredFile } from './file-options.ts';

/** Files in the store itself: one row each. Good for what people attach, not for films. */
export function storeFiles(store: Store): FileStore {
  return {
    async put(thread, file, data) {
      const doc = { ...file, data: toBase64(data) } as unknown as JsonObject;
      const index = { title: file.name, owner: file.uploadedBy };
      await store.commit({
        puts: [{ table: 'files', key: { ...thread, id: file.id }, doc, index, expect: 0 }],
      });
    },
    async get(thread, id) {
      const [row] = await store.get('files', [{ ...thread, id }]);
      if (row === undefined || typeof row.doc['data'] !== 'string') return undefined;
      return { file: toFile(row.doc), data: fromBase64(row.doc['data']) };
    },
    async list(thread) {
      const { rows } = await store.list({ table: 'files', ...thread, limit: 1000 });
      return rows.filter(({ doc }) => typeof doc['data'] === 'string').map(({ doc }) => toFile(doc));
    },
    async remove(thread) {
      for (;;) {
        const { rows, next } = await store.list({ table: 'files', ...thread });
        await store.commit({ deletes: rows.map(({ key }) => ({ table: 'files', key })) });
        if (next === undefined) return;
      }
    },
  };
}

function toFile({ data: _data, ...file }: JsonObject): StoredFile {
  return file as unknown as StoredFile;
}

const PIECE = 0x8000;

function toBase64(data: Uint8Array): string {
  let text = '';
  for (let at = 0; at < data.length; at += PIECE)
    text += String.fromCharCode(...data.subarray(at, at + PIECE));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
