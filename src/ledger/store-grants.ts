import type { Approvers, Grant, Grants } from '../content/interrupts/index.ts';
import { canonicalApprovers } from '../content/interrupts/index.ts';
import type { JsonObject } from '../core/index.ts';
import { defined, digestJson } from '../core/index.ts';
import type { Row, RowIndex, Store } from '../store/index.ts';

/** A remembered decision, with the id to revoke it. */
export interface StoredGrant extends Grant {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly grantedAt: number;
}

/** Remembered decisions of one scope, in a store: they hold in all processes until they are revoked. */
export interface StoredGrants extends Grants {
  /** All grants, oldest first. */
  list(): Promise<readonly StoredGrant[]>;
  /** Revokes a grant. Returns false for an unknown id. */
  revoke(id: string): Promise<boolean>;
}

/**
 * Remembers decisions in a store. The content of a grant is its key, so equal grants are stored once, and a check
 * needs only the few keys that would allow the call.
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
  // A grant for one thread is stored with the thread and deleted with it.
  const keyOf = async (grant: Grant) => {
    const { threadId: thread = '' } = grant;
    return { scope, thread, id: digestJson(toDoc(grant)) };
  };
  return {
    async add(grant) {
      const key = await keyOf(grant);
      await store.commit({
        puts: [{ table: 'grants', key, doc: toDoc(grant), index: indexOf(grant), expect: 0 }],
      });
    },
    async allows({ principal, ...call }) {
      const keys = await Promise.all(grantsThatAllow({ ...call, principalId: principal?.id }).map(keyOf));
      return (await store.get('grants', keys)).some((row) => row !== undefined);
    },
    async list() {
      const grants: StoredGrant[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list({
          table: 'grants',
          scope,
          ...defined({ cursor }),
        });
        grants.push(...page.rows.map(fromRow));
        cursor = page.next;
      } while (cursor !== undefined);
      return grants;
    },
    async revoke(id) {
      const [digest = '', ...thread] = id.split('/');
      const key = { scope, thread: thread.join('/'), id: digest };
      const [row] = await store.get('grants', [key]);
      if (row === undefined) return false;
      return (await store.commit({ deletes: [{ table: 'grants', key, expect: row.version }] })).ok;
    },
  };
}

function indexOf({ toolName, principalId }: Grant): RowIndex {
  return { tool: toolName, ...defined({ owner: principalId }) };
}

/** All grants that would allow a call: each member is equal or absent. */
function grantsThatAllow(call: {
  readonly agent: string;
  readonly approvers?: Approvers | undefined;
  readonly toolName: string;
  readonly input: unknown;
  readonly threadId: string;
  readonly principalId: string | undefined;
}): Grant[] {
  const { agent, approvers = {}, toolName, input, threadId, principalId } = call;
  const inputs = [{}, { input }];
  const threads = [{}, { threadId }];
  const principals = principalId === undefined ? [{}] : [{}, { principalId }];
  return inputs.flatMap((what) =>
    threads.flatMap((where) =>
      principals.map((who) => ({ agent, approvers, toolName, ...what, ...where, ...who })),
    ),
  );
}

/**
 * The stored form of a grant, from which its key is made. It always has agent and approvers, so grants of versions
 * without them never match.
 */
function toDoc({ agent, approvers, toolName, input, threadId, principalId }: Grant): JsonObject {
  return {
    agent,
    approvers: canonicalApprovers(approvers),
    toolName,
    // The arguments of a call are JSON.
    ...(input === undefined ? {} : { input: input as JsonObject }),
    ...defined({ threadId, principalId }),
  };
}

function fromRow({ key, createdAt, doc }: Row): StoredGrant {
  // Only `add` writes these rows.
  return {
    ...(doc as unknown as Grant),
    id: key.thread === '' ? key.id : `${key.id}/${key.thread}`,
    grantedAt: createdAt,
  };
}
