import type { BeginRun } from './begin-request.ts';
import type { InterruptRecord, Principal, ThreadRecord } from './records.ts';
import type { ThreadDraft } from './thread-change.ts';

/** Whose words the runs of a thread come from. */
export function askersOf({ askers, principal }: ThreadDraft): readonly string[] {
  return askers ?? (principal === undefined ? [] : [principal.id]);
}

/** Who asked, once a run begins. Whoever only answers has not; the one who did would else be free to answer what comes next. */
export function nextAskers(
  thread: ThreadRecord,
  { principal, newMessages }: Pick<BeginRun, 'newMessages'> & { readonly principal: Principal },
  continues: boolean,
): readonly string[] {
  if (!continues) return [principal.id];
  const before = askersOf(thread);
  if (before.length > 0 && newMessages.length === 0) return before;
  return [...new Set([...before, principal.id])];
}

/** Who asked, as a question keeps it. */
export function askedBy(thread: ThreadDraft): Pick<InterruptRecord, 'askedBy' | 'alsoAskedBy'> {
  const [first = '', ...others] = askersOf(thread);
  return others.length === 0 ? { askedBy: first } : { askedBy: first, alsoAskedBy: others };
}
