import type { JsonObject } from '../../core/index.ts';
import { defined, everyPage, fromBase64, toBase64 } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { Row, Store } from '../../store/index.ts';
import type { FileStore, StoredFile } from './file-options.ts';

/** The status of rows that describe a file. Lists read these rows, not the rows with bodies. */
const DESCRIBED = 'file';

/** Marks a thread in which every file has a descriptive row. */
const MARKER = 'described';

/** Bodies to read at once, where rows can only be found by reading them. */
const FEW = 2;

/**
 * Keeps files in the store. Each has two rows: one with its body, as in earlier versions, and one that describes it,
 * so that lists load no bodies. Meant for attachments, not for large media.
 */
export function storeFiles(store: Store): FileStore {
  const describe = (thread: ThreadKey, file: StoredFile) =>
    ({
      table: 'files',
      key: { ...thread, id: `file:${file.id}` },
      doc: { ...file } as unknown as JsonObject,
      index: { status: DESCRIBED, title: file.name, owner: file.uploadedBy },
    }) as const;
  const marker = (thread: ThreadKey) =>
    ({ table: 'files', key: { ...thread, id: MARKER }, doc: {} }) as const;

  const isDescribed = async (thread: ThreadKey): Promise<boolean> =>
    (await store.get('files', [marker(thread).key]))[0] !== undefined;

  /** Adds descriptive rows for files of an earlier version, one at a time. */
  const describeEarlier = async (thread: ThreadKey): Promise<void> => {
    let found = false;
    for await (const { doc } of rowsOf(thread, 1)) {
      if (typeof doc['data'] !== 'string') continue;
      found = true;
      await store.commit({ puts: [describe(thread, toFile(doc))] });
    }
    if (found) await store.commit({ puts: [marker(thread)] });
  };
  async function* rowsOf(thread: ThreadKey, limit: number): AsyncGenerator<Row, void, undefined> {
    const query = { table: 'files', ...thread, limit } as const;
    for await (const page of everyPage((from) => store.list({ ...query, ...from }))) yield* page.rows;
  }

  return {
    async put(thread, file, data) {
      if (!(await isDescribed(thread))) await describeEarlier(thread);
      const doc = { ...file, data: toBase64(data) } as unknown as JsonObject;
      const body = { table: 'files', key: { ...thread, id: file.id }, doc, expect: 0 } as const;
      await store.commit({ puts: [body, describe(thread, file), marker(thread)] });
    },
    async get(thread, id) {
      const [row] = await store.get('files', [{ ...thread, id }]);
      if (row === undefined || typeof row.doc['data'] !== 'string') return undefined;
      return { file: toFile(row.doc), data: fromBase64(row.doc['data']) };
    },
    async describe(thread, id) {
      const [row] = await store.get('files', [{ ...thread, id: `file:${id}` }]);
      // A file of an earlier version has only a body.
      return row === undefined ? (await this.get(thread, id))?.file : toFile(row.doc);
    },
    async list(thread, page = {}) {
      if (!(await isDescribed(thread))) await describeEarlier(thread);
      const { rows, next } = await store.list({ table: 'files', ...thread, status: [DESCRIBED], ...page });
      return { files: rows.map(({ doc }) => toFile(doc)), ...defined({ next }) };
    },
    async remove(thread) {
      for (;;) {
        const { rows } = await store.list({ table: 'files', ...thread, status: [DESCRIBED] });
        if (rows.length === 0) break;
        const keys = rows.flatMap(({ key, doc }) => [key, { ...key, id: toFile(doc).id }]);
        await store.commit({ deletes: keys.map((key) => ({ table: 'files', key })) });
      }
      for await (const { key } of rowsOf(thread, FEW))
        await store.commit({ deletes: [{ table: 'files', key }] });
    },
  };
}

function toFile({ data: _data, ...file }: JsonObject): StoredFile {
  return file as unknown as StoredFile;
}
