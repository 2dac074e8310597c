import type { Client, InboxItem } from '../../client/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { translate } from '../base/strings.ts';
import { visibleText } from '../base/visible-text.ts';
import type { GivenAnswer } from '../interrupt/card-status.ts';
import { givenAnswerOf } from './given-answer.ts';

/** An interrupt of the thread with its state on the host, and its answer once it has one. */
export interface InterruptEntry {
  readonly interrupt: Interrupt;
  /** `pending`, `answered`, `claimed`, `resolved`, `cancelled` or `expired`. */
  readonly status: string;
  readonly answered: GivenAnswer | undefined;
  /** Who may answer, if the viewer may not: "finance". */
  readonly waitingFor: string | undefined;
  /** True when the viewer has asked it and can still take it back. */
  readonly mayWithdraw: boolean;
  /** True when the run of its call was lost, and it is not known whether the call was made. Default false. */
  readonly isUncertain?: boolean;
}

/** The interrupts of one thread that the host has on record. */
export interface Records {
  /** A new list after each change. */
  list(): readonly InterruptEntry[];
  get(id: string): InterruptEntry | undefined;
  /** Reads all of them; a host without an inbox has none. False when the host could not be reached. */
  load(): Promise<boolean>;
  /** Reads one again; without an entry when it cannot be read. */
  look(id: string): Promise<{ readonly entry?: InterruptEntry; readonly isReached: boolean }>;
  put(entry: InterruptEntry): void;
}

const PAGE = 500;

/** Creates the records of one thread. */
export function createRecords(client: Client, threadId: string): Records {
  const entries = new Map<string, InterruptEntry>();
  /** Ids that changed since the newest load began. */
  const changed = new Set<string>();
  let list: readonly InterruptEntry[] | undefined;
  const put = (entry: InterruptEntry) => {
    entries.set(entry.interrupt.id, entry);
    changed.add(entry.interrupt.id);
    list = undefined;
  };
  return {
    list: () => (list ??= [...entries.values()]),
    get: (id) => entries.get(id),
    put,
    async load() {
      changed.clear();
      let cursor: string | undefined;
      let isReached = true;
      do {
        const more = cursor === undefined ? {} : { cursor };
        const page = await client.inbox
          .list({ thread: threadId, status: 'all', limit: PAGE, ...more })
          .catch((error: unknown) => {
            isReached = !HoldpointError.is(error, 'RUN_LOST');
            return { interrupts: [], next: undefined };
          });
        for (const item of page.interrupts)
          // An interrupt of a deleted thread is not of the thread that has its id now.
          if (item.threadDeleted === undefined && !changed.has(item.interrupt.id))
            entries.set(item.interrupt.id, toRecord(item));
        cursor = page.next;
      } while (cursor !== undefined);
      list = undefined;
      return isReached;
    },
    async look(id) {
      let isReached = true;
      const item = await client.inbox.get(threadId, id).catch((error: unknown) => {
        isReached = !HoldpointError.is(error, 'RUN_LOST');
        return undefined;
      });
      if (item === undefined || item.threadDeleted !== undefined) return { isReached };
      const entry = toRecord(item);
      put(entry);
      return { entry, isReached };
    },
  };
}

/** The record of an inbox item. */
export function toRecord(item: InboxItem): InterruptEntry {
  const { interrupt, status } = item;
  return {
    interrupt,
    status: typeof status === 'string' ? status : 'pending',
    answered: givenAnswerOf(item),
    waitingFor: item.mayAnswer === false ? whoMayAnswer(item) : undefined,
    mayWithdraw: item.mayWithdraw === true,
    ...(item.uncertain === true ? { isUncertain: true } : {}),
  };
}

/** Who may answer an interrupt: "finance", "Ana or Bob", "another person of finance, because you asked". */
export function whoMayAnswer({
  approvers,
  barredAsAsker = false,
}: Pick<InboxItem, 'approvers' | 'barredAsAsker'>): string {
  const { roles = [], principals = [] } = approvers ?? {};
  const names = [...roles, ...principals].map(visibleText).join(` ${translate('or')} `);
  if (names === '') return translate(barredAsAsker ? 'another person, because you asked' : 'another person');
  if (!barredAsAsker) return names;
  return translate(
    principals.length === 0 ? 'another person of {0}, because you asked' : '{0} (not you, because you asked)',
    names,
  );
}
