import { canonicalJson, faultPoint, hasFaultHook, HoldpointError } from '../core/index.ts';
import type { Batch, Incarnation, Store } from '../store/index.ts';
import type { Access } from './access.ts';
import { confirm, storeOf } from './access.ts';
import { noteChange } from './anchor.ts';
import { currentMoment } from './lease.ts';
import { isRestored, markedThread } from './restored-thread.ts';
import type { ThreadKey } from './records.ts';
import type { Decision, ThreadChange } from './thread-change.ts';
import { prepareChange } from './thread-change.ts';
import type { ReadThread, ThreadLook, ThreadPlace, ThreadView } from './thread-view.ts';
import { readView } from './thread-view.ts';

const MAX_CONFLICTS = 20;

/**
 * Reads a thread, lets `decide` decide, and commits against what was read; after a conflict, reads and decides
 * again. Every change of a thread goes this way, so two of them never mix, in one process or in many.
 */
export async function workOnThread<Result>(
  store: Store,
  place: ThreadPlace,
  decide: (view: ThreadView) => Promise<Decision<Result>> | Decision<Result>,
): Promise<Result> {
  return (await changeThread(store, place, decide)).result;
}

/** As {@link workOnThread}, for a caller: confirms the permission for the thread that it changes. */
export async function workAs<Result>(
  access: Access,
  interruptIds: readonly string[],
  decide: (view: ThreadView) => Promise<Decision<Result>> | Decision<Result>,
): Promise<Result> {
  return (await changeAs(access, { interruptIds }, decide)).result;
}

/** Reads a thread for a decision of its caller, and for the change that follows. */
export async function lookAtThread(
  access: Access<'run' | 'answer'>,
  place: Omit<ThreadPlace, 'key'>,
): Promise<ThreadLook> {
  const found = await look(storeOf(access), { ...place, key: access.key });
  await confirm(access, found.view.thread);
  return found;
}

async function look(store: Store, place: ThreadPlace): Promise<ThreadLook> {
  const since = currentMoment();
  const read = await readView(store, place);
  return { ...read, since, database: store.incarnation?.id };
}

/** Where a change takes place; `look`: an earlier read, which the change rests on if nothing has changed since. */
type ChangePlace = ThreadPlace & { readonly look?: ThreadLook | undefined };

/** As {@link workAs}, and gives the thread as it is afterwards, and the messages that were read with it. */
export function changeAs<Result>(
  access: Access,
  place: Omit<ChangePlace, 'key'>,
  decide: (view: ThreadView) => Promise<Decision<Result>> | Decision<Result>,
): Promise<Changed<Result>> {
  return changeThread(storeOf(access), { ...place, key: access.key }, async (view) => {
    await confirm(access, view.thread);
    return decide(view);
  });
}

interface Changed<Result> extends Pick<ThreadLook, 'messages' | 'since' | 'database'> {
  readonly result: Result;
  readonly after: ReadThread;
}

/**
 * As {@link workOnThread}, and returns the thread as it is afterwards. A thread from the backup of a restored database is marked
 * first, so that no decision rests on what the backup says; `marks: false` leaves that to `decide`.
 */
export async function changeThread<Result>(
  store: Store,
  place: ChangePlace & { readonly marks?: false },
  decide: (view: ThreadView) => Promise<Decision<Result>> | Decision<Result>,
): Promise<Changed<Result>> {
  for (let conflict = 0; conflict < MAX_CONFLICTS; conflict += 1) {
    const given = conflict === 0 ? place.look : undefined;
    const isGiven = given !== undefined && given.database === store.incarnation?.id;
    const { messages, since, database, ...read } = isGiven ? given : await look(store, place);
    const { incarnation } = store;
    const marked =
      place.marks !== false && isRestored(incarnation) ? markedThread(read.view, incarnation) : undefined;
    if (marked !== undefined) {
      await commitSurely(store, place.key, prepareChange(read, marked).batch);
      continue;
    }
    const { change, result } = await decide(read.view);
    if (change === undefined) return { result, after: read, messages, since, database };
    const { batch, after } = prepareChange(read, inDatabase(change, incarnation));
    if (hasFaultHook()) await faultPoint('change:before-commit');
    const isMade = await commitSurely(store, place.key, batch);
    if (hasFaultHook()) await faultPoint('change:after-commit');
    if (isMade) return { result, after, messages, since, database };
  }
  throw new HoldpointError(
    'STORE_FAILED',
    `The thread ${place.key.thread} is changed too often to be changed now.`,
  );
}

/** A thread that is changed in a restored database names it, so that it is not marked again. */
function inDatabase(change: ThreadChange, incarnation: Incarnation | undefined): ThreadChange {
  if (incarnation === undefined) return change;
  const database = isRestored(incarnation) ? incarnation.id : undefined;
  return change.thread.database === database ? change : { ...change, thread: { ...change.thread, database } };
}

/** How often a commit with an unknown outcome is repeated. */
const MOST_COMMITS = 3;

/**
 * Commits a change and returns whether it succeeded. After a lost connection the outcome is unknown: the same commit
 * again succeeds if the first one failed; otherwise the thread shows the first one.
 */
async function commitSurely(store: Store, key: ThreadKey, batch: Batch): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      if ((await store.commit(batch)).ok) return true;
      return tries > 1 && (await wasMade(store, batch));
    } catch (error) {
      const isUnknown = HoldpointError.is(error, 'STORE_FAILED') && error.details?.['outcome'] === 'unknown';
      if (!isUnknown || tries === MOST_COMMITS) throw error;
    } finally {
      noteChange(store, key, batch);
    }
  }
}

async function wasMade(store: Store, { puts = [] }: Batch): Promise<boolean> {
  const put = puts.find(({ table }) => table === 'threads');
  if (put === undefined) return false;
  const [row] = await store.get('threads', [put.key]);
  return row?.version === (put.expect ?? 0) + 1 && canonicalJson(row.doc) === canonicalJson(put.doc);
}
