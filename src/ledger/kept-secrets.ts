import type { JsonValue } from '../core/index.ts';
import type { ResumeEntry } from '../protocol/index.ts';
import type { DeleteRow, PutRow, Store } from '../store/index.ts';
import type { ClaimedRun } from './begin-request.ts';
import type { NewAnswer } from './check-answer.ts';
import type { ThreadKey, ThreadRecord } from './records.ts';
import type { ThreadChange, ThreadDraft } from './thread-change.ts';
import type { Vault } from './vault.ts';
import { hasMarkers, noKey, openMarkers, wrongKey } from './vault.ts';

/** Stores the secrets of new answers beside their thread, and removes those of replaced answers. */
export function keepSecrets(
  key: ThreadKey,
  thread: ThreadDraft,
  answers: ReadonlyMap<string, NewAnswer>,
): Pick<ThreadChange, 'thread' | 'puts' | 'deletes'> {
  const hasNone = (id: string) => answers.has(id) && answers.get(id)?.sealed === undefined;
  const { thread: rest, deletes } = eraseSecrets(key, thread, hasNone);
  const added: { readonly id: string; readonly keyId: string }[] = [];
  const puts: PutRow[] = [];
  for (const [id, { sealed }] of answers) {
    if (sealed === undefined) continue;
    added.push({ id, keyId: sealed.keyId });
    puts.push({ table: 'secrets', key: { ...key, id }, doc: sealed });
  }
  if (puts.length === 0) return { thread: rest, deletes };
  const others = (rest.secrets ?? []).filter(({ id }) => !answers.has(id));
  return { thread: { ...rest, secrets: [...others, ...added] }, puts, deletes };
}

/** Erases secrets of a thread, by interrupt. */
export function eraseSecrets(
  key: ThreadKey,
  thread: ThreadDraft,
  isOver: (interruptId: string) => boolean,
): { readonly thread: ThreadDraft; readonly deletes: readonly DeleteRow[] } {
  const { secrets } = thread;
  const over = secrets?.filter(({ id }) => isOver(id)) ?? [];
  if (secrets === undefined || over.length === 0) return { thread, deletes: [] };
  const left = secrets.filter((secret) => !over.includes(secret));
  return {
    thread: { ...thread, secrets: left.length === 0 ? undefined : left },
    deletes: over.map(({ id }): DeleteRow => ({ table: 'secrets', key: { ...key, id } })),
  };
}

/** Throws `INPUT_INVALID` unless the secrets of the thread can be opened. Called before a run claims them. */
export function assertCanOpen({ secrets = [] }: ThreadDraft, vault: Vault | undefined): void {
  for (const { id, keyId } of secrets) {
    if (vault === undefined) throw noKey(id);
    if (vault.keyId !== keyId) throw wrongKey(id);
  }
}

/** The secrets of a thread, by interrupt: only for the run that has claimed their answers. */
export async function openSecrets(
  store: Store,
  { key, thread }: { readonly key: ThreadKey; readonly thread: ThreadRecord },
  vault: Vault | undefined,
): Promise<ReadonlyMap<string, readonly JsonValue[]>> {
  const ids = (thread.secrets ?? []).map(({ id }) => id);
  if (ids.length === 0 || vault === undefined) return new Map();
  const places = ids.map((id) => ({ ...key, id }));
  const rows = await store.get('secrets', places);
  const opened = rows.flatMap((row) =>
    row === undefined ? [] : [vault.open(row.key, row.doc).then((secrets) => [row.key.id, secrets] as const)],
  );
  return new Map(await Promise.all(opened));
}

/** The answers of a run with their secrets in place, for an agent that keeps its own checkpoint. */
export async function openAnswers(
  store: Store,
  { lease, thread, answers }: Pick<ClaimedRun, 'lease' | 'thread' | 'answers'>,
  vault: Vault | undefined,
): Promise<readonly ResumeEntry[]> {
  if (thread.view.thread?.secrets === undefined) return answers;
  const secrets = await openSecrets(store, { key: lease.key, thread: thread.view.thread }, vault);
  return answers.map((entry) =>
    hasMarkers(entry.payload) ? { ...entry, payload: openMarkers(entry.payload, secrets) } : entry,
  );
}
