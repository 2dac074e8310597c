import type { Client, InboxItem } from '../../src/client/index.ts';
import { HoldpointError } from '../../src/client/index.ts';
import type { Decision, Text } from '../../src/elements/index.ts';
import {
  errorSentence,
  givenAnswerOf,
  itemKey,
  plainAnswer,
  rowTitle,
  toRow,
  translate,
} from '../../src/elements/index.ts';
import { isDroppedCall } from '../../src/elements/interrupt/decision.ts';
import { isQuestion } from '../../src/elements/interrupt/verdict-body.ts';

/** Milliseconds in which a decision of the inbox can be undone. */
export const UNDO_MS = 5000;
/** Answers that are sent at the same time. */
const AT_ONCE = 6;
/** Most refused requests that a notice names. */
const MOST_NAMED = 2;
/** Decisions of other people that a list allows for before a request is read by itself. */
const SPARE = 20;
/** Most requests in one answer of the server. */
const MOST = 500;

/** Several requests that are decided together. */
export interface Bulk {
  readonly items: readonly InboxItem[];
  readonly approved: boolean;
  readonly reason: string;
}

/** The requests that something was done to, and a sentence about it. */
export interface Outcome {
  readonly items: readonly InboxItem[];
  readonly text: string;
  /** What was decided; absent when decisions were taken back. */
  readonly decision?: Decision;
  /** The reason of a rejection of several requests, to have it again after an undo. */
  readonly reason?: string;
  /** True when the requests are not as the person wanted them. */
  readonly hasFailed?: boolean;
  /** Why requests were not decided, by their keys. */
  readonly refused?: ReadonlyMap<string, string>;
  /** The requests whose undo did not reach the server: another one may. */
  readonly unreached?: readonly InboxItem[];
}

/**
 * Decided requests as the server has them, by their keys; without those that could not be read. `erased`: the server has none, because
 * its conversation was erased.
 */
export async function readRequests(
  inbox: Client['inbox'],
  items: readonly InboxItem[],
): Promise<ReadonlyMap<string, InboxItem | 'erased'>> {
  const now = new Map<string, InboxItem | 'erased'>();
  const wanted = new Set(items.map(itemKey));
  if (items.length > 1) {
    const limit = Math.min(items.length + SPARE, MOST);
    const page = await inbox.list({ status: 'all', order: 'answered', limit }).catch(() => undefined);
    for (const item of page?.interrupts ?? [])
      if (wanted.has(itemKey(item)) && item['status'] !== 'pending') now.set(itemKey(item), item);
  }
  const rest = items.filter((item) => !now.has(itemKey(item)));
  await Promise.all(
    rest.map(async (item) => {
      const read = await inbox
        .get(item.threadId, item.interrupt.id)
        .catch((error: unknown) =>
          HoldpointError.is(error, 'INTERRUPT_UNKNOWN') ? ('erased' as const) : undefined,
        );
      if (read !== undefined) now.set(itemKey(item), read);
    }),
  );
  return now;
}

/** Answers requests together. A request that fails does not hold up the others. */
export async function decideRequests(
  inbox: Client['inbox'],
  { items, approved, reason }: Bulk,
): Promise<Outcome> {
  const done: InboxItem[] = [];
  let staged = 0;
  const refused = new Map<string, string>();
  const queue = [...items];
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      const entry = plainAnswer(toRow(item), approved, reason);
      if (entry === undefined) continue;
      try {
        const { state } = await inbox.answer(item.threadId, entry, { undoMs: UNDO_MS });
        if (state === 'staged') staged += 1;
        done.push(item);
      } catch (error) {
        refused.set(itemKey(item), errorSentence(error, { isAnswer: true }));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // The last answer of a turn lets its agent continue.
  const open = new Set(items.map(({ threadId }) => threadId)).size - (done.length - staged);
  const waiting =
    open <= 0 || staged === 0
      ? ''
      : ` ${translate('{0} agent continues when the other requests are answered.|{0} agents continue when the other requests are answered.', open)}`;
  const rest = items.flatMap((item) => {
    const why = refused.get(itemKey(item));
    return why === undefined
      ? []
      : [
          ` ${translate(approved ? '“{0}” was not approved: {1}' : '“{0}” was not rejected: {1}', rowTitle(toRow(item).facts), why)}`,
        ];
  });
  const more = rest.length > MOST_NAMED ? ` ${translate('… and {0} more', rest.length - MOST_NAMED)}` : '';
  const decision = approved ? 'approved' : 'rejected';
  return {
    items: done,
    text: `${decidedSentence(decision, done.length)}${waiting}${rest.slice(0, MOST_NAMED).join('')}${more}`,
    decision,
    reason,
    hasFailed: refused.size > 0,
    refused,
  };
}

/** "2 requests approved." */
export function decidedSentence(decision: Decision, count: number): string {
  switch (decision) {
    case 'approved':
    case 'changed':
      return translate('{0} request approved.|{0} requests approved.', count);
    case 'rejected':
      return translate('{0} request rejected.|{0} requests rejected.', count);
    default:
      return translate('{0} request decided.|{0} requests decided.', count);
  }
}

/** Takes decisions back whose runs have not continued yet. */
export async function takeBack(
  inbox: Client['inbox'],
  { items, decision }: Outcome,
  isHeld: boolean,
): Promise<Outcome> {
  const results = await Promise.allSettled(
    items.map(({ threadId, interrupt }) => inbox.takeBack(threadId, interrupt.id)),
  );
  const back = items.filter((_item, index) => results[index]?.status === 'fulfilled');
  const failed = results.findIndex((result) => result.status === 'rejected');
  const failure: unknown = results.find((result) => result.status === 'rejected')?.reason;
  const done = backSentence(back, decision);
  if (failure === undefined) return { items: back, text: done };
  if (HoldpointError.is(failure, 'INTERRUPT_CONFLICT')) {
    const stands = tooLate(
      decision,
      items.some(({ interrupt }) => isQuestion(interrupt)),
    );
    const why = `${translate(stands, items.length - back.length)} ${translate('The agent has already continued.')}`;
    return { items: back, text: `${done} ${why}`.trim(), hasFailed: true };
  }
  const deleted = await deletedSentence(inbox, items[failed], { decision, isHeld });
  const why = translate('Not undone: {0}', deleted ?? errorSentence(failure));
  const unreached = deleted === undefined ? items.filter((item) => !back.includes(item)) : [];
  return { items: back, text: `${done} ${why}`.trim(), hasFailed: true, unreached };
}

/** "Taken back: Pay $22 to Zoe." or "2 decisions taken back."; empty for none. */
function backSentence(back: readonly InboxItem[], decision: Decision | undefined): string {
  const [first, ...others] = back;
  if (first === undefined) return '';
  if (others.length === 0)
    return translate('Taken back: {0}', rowTitle(toRow(first).facts)).replace(/[^.!?]$/, '$&.');
  return translate(
    decision === 'answered'
      ? '{0} answer taken back.|{0} answers taken back.'
      : '{0} decision taken back.|{0} decisions taken back.',
    back.length,
  );
}

/** Says that the host has no such request any more. `isHeld`: its answer was still held for an undo, so no call of it has begun. */
export function erasedSentence(decision: Decision | undefined, isHeld: boolean): string {
  return translate(
    isHeld && (decision === 'approved' || decision === 'changed')
      ? 'Its conversation was erased before the call ran, or you may not see it any more.'
      : 'Its conversation was erased, or you may not see it any more.',
  );
}

/** Says that the conversation of a decided request was deleted or erased, and that its call was not run; undefined while it exists. */
async function deletedSentence(
  inbox: Client['inbox'],
  item: InboxItem | undefined,
  { decision, isHeld }: { readonly decision: Decision | undefined; readonly isHeld: boolean },
): Promise<string | undefined> {
  if (item === undefined) return undefined;
  const now = (await readRequests(inbox, [item])).get(itemKey(item));
  if (now === 'erased') return erasedSentence(decision, isHeld);
  if (now?.threadDeleted === undefined) return undefined;
  return translate(
    isDroppedCall(givenAnswerOf(now) ?? {})
      ? 'The conversation was deleted, and the call was not run.'
      : 'The conversation was deleted.',
  );
}

/** The sentence about a decision that can no longer be taken back. */
function tooLate(decision: Decision | undefined, isAboutQuestion: boolean): Text {
  switch (decision) {
    case 'approved':
    case 'changed':
      return 'Too late: the approval stands.|Too late: {0} approvals stand.';
    case 'rejected':
      return 'Too late: the rejection stands.|Too late: {0} rejections stand.';
    case 'cancelled':
      return isAboutQuestion
        ? 'Too late: the question stays cancelled.|Too late: {0} questions stay cancelled.'
        : 'Too late: the request stays cancelled.|Too late: {0} requests stay cancelled.';
    default:
      return 'Too late: the answer stands.|Too late: {0} answers stand.';
  }
}
