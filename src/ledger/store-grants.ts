import type { Grant, Grants, GrantUse } from '../content/interrupts/index.ts';
import { addUse, grantMatch, hasRoom, matchesOf } from '../content/interrupts/index.ts';
import type { JsonObject } from '../core/index.ts';
import { defined, digestJson, everyPage } from '../core/index.ts';
import type { PutRow, Row, RowIndex, RowKey, Store } from '../store/index.ts';

/** A grant in a store, with its uses so far and the id to revoke it. */
export interface StoredGrant extends Grant, GrantUse {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly grantedAt: number;
}

/** A page of grants. */
export interface GrantPage {
  readonly grants: readonly StoredGrant[];
  /** The cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/** The grants of one scope, in a store: they hold in all processes until they are revoked. */
export interface StoredGrants extends Grants {
  readonly isStored: true;
  /** All grants that are not revoked, oldest first. */
  list(): Promise<readonly StoredGrant[]>;
  /**
   * A page of {@link list}: at most `limit` grants (default 100, at most 1,000) from `cursor` on, the `next` of the page before. A page may
   * be short, because revoked grants count too. Throws `INPUT_INVALID` for an invalid cursor.
   */
  page(query?: { readonly cursor?: string; readonly limit?: number }): Promise<GrantPage>;
  /** The grant of this id; undefined if it is unknown or revoked. */
  get(id: string): Promise<StoredGrant | undefined>;
  /** Revokes a grant: no call starts by it after this resolves. Returns false for an unknown id. */
  revoke(id: string): Promise<boolean>;
}

/**
 * Keeps grants in a store. The calls that a grant allows are its key, so a check reads only the few keys that would
 * allow the call.
 *
 * @example
 * ```ts
 * import { storeGrants } from 'holdpoint';
 * import { sqliteStore } from 'holdpoint/store/sqlite';
 *
 * const grants = storeGrants(sqliteStore('holdpoint.db'), 'acme');
 * for (const { id } of await grants.list()) await grants.revoke(id);
 * ```
 */
export function storeGrants(store: Store, scope: string): StoredGrants {
  /** Changes a row until no other process changes it in between. `toPut`: undefined changes nothing. */
  const change = async (id: string, toPut: (row: Row | undefined) => PutRow | undefined) => {
    const key = grantKey(scope, id);
    for (;;) {
      const [row] = await store.get('grants', [key]);
      const put = toPut(row);
      if (put === undefined) return false;
      if ((await store.commit({ puts: [put] })).ok) return true;
    }
  };
  const page: StoredGrants['page'] = async (query = {}) => {
    const { rows, next } = await store.list({ ...query, table: 'grants', scope });
    return { grants: rows.filter((row) => !isRevoked(row)).map(fromRow), ...defined({ next }) };
  };
  return {
    isStored: true,
    page,
    async add(grant) {
      const id = grantId(grantMatch(grant));
      const grantedAt = await store.now();
      await change(id, (row) => {
        // The answer has already given its grant, which may be used or revoked since.
        if (grant.interruptId !== undefined && row?.doc['interruptId'] === grant.interruptId)
          return undefined;
        const doc = { ...grantMatch(grant), ...limitsOf(grant), grantedAt, used: 0, spent: 0 };
        return {
          table: 'grants',
          key: grantKey(scope, id),
          doc,
          index: indexOf(grant),
          expect: row?.version ?? 0,
        };
      });
    },
    async find(call) {
      const ids = matchesOf(call).map(grantId);
      const rows = await store.get(
        'grants',
        ids.map((id) => grantKey(scope, id)),
      );
      const found = rows.flatMap((row) => (row === undefined || isRevoked(row) ? [] : [fromRow(row)]));
      // Most grants have no end: then skip reading the time.
      const now = found.some(({ until }) => until !== undefined) ? await store.now() : 0;
      const usable = found.filter((grant) => hasRoom(grant, grant, { now, amount: call.amount }));
      return usable.map((grant) => ({ id: grant.id, grant }));
    },
    async use(id, amount) {
      const now = await store.now();
      return change(id, (row) => useGrant(row, { now, amount })?.put);
    },
    async list() {
      const all: StoredGrant[] = [];
      for await (const { grants } of everyPage(page)) all.push(...grants);
      return all;
    },
    async get(id) {
      const [row] = await store.get('grants', [grantKey(scope, id)]);
      return row === undefined || isRevoked(row) ? undefined : fromRow(row);
    },
    // The row stays, so that a run that is continued does not give the grant of its answer again.
    revoke: (id) =>
      change(id, (row) =>
        row === undefined || isRevoked(row)
          ? undefined
          : {
              table: 'grants',
              key: row.key,
              doc: row.doc,
              index: { ...row.index, status: 'revoked' },
              expect: row.version,
            },
      ),
  };
}

/** One more use of a stored grant: the row to write, and the grant. Undefined if it no longer allows the call. */
export function useGrant(
  row: Row | undefined,
  call: { readonly now: number; readonly amount: number | undefined },
): { readonly put: PutRow; readonly grant: StoredGrant } | undefined {
  if (row === undefined || isRevoked(row)) return undefined;
  const grant = fromRow(row);
  if (!hasRoom(grant, grant, call)) return undefined;
  const doc: JsonObject = { ...row.doc, ...addUse(grant, call.amount) };
  return { put: { table: 'grants', key: row.key, doc, index: row.index, expect: row.version }, grant };
}

/** The id of the grants that match these calls. A grant for one thread is stored with the thread and deleted with it. */
function grantId(match: JsonObject): string {
  const { threadId } = match;
  const digest = digestJson(match);
  return typeof threadId === 'string' ? `${digest}/${threadId}` : digest;
}

/** The key of a grant by its id. */
export function grantKey(scope: string, grant: string): RowKey {
  const [id = '', ...thread] = grant.split('/');
  return { scope, thread: thread.join('/'), id };
}

function indexOf({ agent, toolName, principalId, givenBy, until }: Grant): RowIndex {
  return {
    status: 'active',
    agent,
    tool: toolName,
    ...defined({ owner: principalId, askedBy: givenBy, dueAt: until }),
  };
}

function limitsOf({ givenBy, interruptId, until, maxUses, maxTotal }: Grant): JsonObject {
  return defined({ givenBy, interruptId, until, maxUses, maxTotal });
}

function isRevoked({ index }: Row): boolean {
  return index.status === 'revoked';
}

function fromRow({ key, createdAt, doc }: Row): StoredGrant {
  // Only `add` writes these rows; grants of earlier versions have no uses.
  const grant = doc as unknown as Grant & Partial<GrantUse> & { readonly grantedAt?: number };
  return {
    ...grant,
    used: grant.used ?? 0,
    spent: grant.spent ?? 0,
    id: key.thread === '' ? key.id : `${key.id}/${key.thread}`,
    grantedAt: grant.grantedAt ?? createdAt,
  };
}
