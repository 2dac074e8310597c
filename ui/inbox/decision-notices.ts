import type { Client, InboxItem } from '../../src/client/index.ts';
import { defined } from '../../src/core/index.ts';
import type { HoldpointInboxElement } from '../../src/elements/index.ts';
import {
  announce,
  answeredWords,
  browserStorage,
  cardFacts,
  decisionOf,
  givenAnswerOf,
  itemKey,
  rowTitle,
  translate,
} from '../../src/elements/index.ts';
import { isAgainst, isDroppedCall } from '../../src/elements/interrupt/decision.ts';
import type { Outcome } from './decide-requests.ts';
import { decidedSentence, erasedSentence, readRequests, takeBack, UNDO_MS } from './decide-requests.ts';
import { FailedCalls } from './failed-calls.ts';
import { draftKeyOf } from './request-pane.ts';
import { readDecisions, writeDecisions } from './stored-decisions.ts';

/** Milliseconds between two looks at decisions that can be undone: the list does not report a withdrawal. */
const LOOK_MS = 1000;

/**
 * What was decided or taken back in the last seconds, what can be undone, which calls failed, and what is selected. Belongs to the
 * app: a person who leaves the inbox and comes back finds the same, and the same undo also after a reload.
 */
export class DecisionNotices {
  readonly #inbox: Client['inbox'];
  readonly #listeners = new Set<() => void>();
  #notices: readonly Outcome[] = [];
  /** The newest decision; an undo after its notice says that it stands. */
  #latest: Outcome | undefined;
  /** What was entered in decided cards, by its place in the storage. */
  readonly #drafts = new Map<string, string>();
  /** When each notice goes away, on the clock of the page. */
  readonly #ends = new WeakMap<Outcome, number>();
  #look: ReturnType<typeof setInterval> | undefined;
  /** Keys of requests that were decided here; the list of the server may still have them. */
  readonly decided = new Set<string>();

  /** What was selected in the list when the inbox was left. */
  selection: HoldpointInboxElement['selection'] = { keys: [], reason: '' };

  /** The calls of decided requests that failed. */
  readonly failed: FailedCalls;

  constructor(inbox: Client['inbox']) {
    this.#inbox = inbox;
    this.failed = new FailedCalls(inbox, () => this.#report());
    this.#restore();
  }

  /** Calls the listener after each change; returns the end of it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The newest notice. */
  get newest(): Outcome | undefined {
    return this.#notices.at(-1);
  }

  /** The notice whose decisions the next undo takes back. */
  get undoable(): Outcome | undefined {
    return this.#notices.findLast(({ items }) => items.length > 0);
  }

  /** Shows a notice for as long as a decision can be undone. */
  say(notice: Outcome, forMs = UNDO_MS): void {
    const { items, text } = notice;
    if (items.length > 0) this.#latest = notice;
    if (notice.decision !== undefined && !isAgainst(notice.decision)) void this.failed.follow(items, forMs);
    if (items.length === 0) announce(text);
    else announce(`${text} ${translate('Press u to undo.')}`, forMs);
    this.#show(notice, forMs);
  }

  /** Shows a decision whose response took as long as the undo time: its call may have run, and it is not offered to be undone. */
  sayLate(notice: Outcome): void {
    const { items, decision } = notice;
    if (decision !== undefined && !isAgainst(decision)) void this.failed.follow(items, 0);
    this.say({ ...notice, items: [] });
  }

  #show(notice: Outcome, forMs: number): void {
    this.#ends.set(notice, performance.now() + forMs);
    this.#set([...this.#notices, notice]);
    setTimeout(() => void this.#end(notice), forMs);
  }

  /** Shows the notices of the page before a reload for their remaining time, and follows the calls of its decisions. */
  #restore(): void {
    const { notices, followed, drafts } = readDecisions();
    const now = Date.now();
    for (const [key, draft] of Object.entries(drafts)) this.#drafts.set(key, draft);
    for (const { endsAt, ...notice } of notices) {
      const leftMs = Math.min(endsAt - now, UNDO_MS);
      if (leftMs <= 0) continue;
      this.#latest = notice;
      this.#show(notice, leftMs);
    }
    // Decisions that were made together are read together.
    for (const from of new Set(followed.map((one) => one.from))) {
      const items = followed.filter((one) => one.from === from).map(({ item }) => item);
      void this.failed.follow(items, Math.min(Math.max(0, from - now), UNDO_MS));
    }
  }

  #store(): void {
    const undoable = this.#notices.filter(({ items }) => items.length > 0);
    const drafts = new Map<string, string>();
    for (const key of undoable.flatMap(({ items }) => items.map(draftKeyOf))) {
      const draft = this.#drafts.get(key);
      if (draft !== undefined) drafts.set(key, draft);
    }
    writeDecisions({
      notices: undoable.map((notice) => ({
        items: notice.items,
        text: notice.text,
        ...defined({ decision: notice.decision, reason: notice.reason }),
        hasFailed: notice.hasFailed === true,
        endsAt: Date.now() + this.#leftMs(notice),
      })),
      followed: this.failed.followed,
      drafts: Object.fromEntries(drafts),
    });
  }

  keepDraft(item: InboxItem, draft: string): void {
    this.#drafts.set(draftKeyOf(item), draft);
  }

  /** Takes the newest decision back, and shows its draft again. Returns the requests that are open again. */
  async undo(): Promise<readonly InboxItem[]> {
    const last = this.undoable ?? this.#latest;
    if (last === undefined) return [];
    const isHeld = this.#isHeld(last);
    this.#remove(last);
    const atWork: Outcome = { text: translate('Taking back …'), items: [] };
    this.#set([...this.#notices, atWork]);
    const { items, text, hasFailed = false, unreached = [] } = await takeBack(this.#inbox, last, isHeld);
    this.#remove(atWork);
    if (!hasFailed && last === this.#latest) this.#latest = undefined;
    for (const item of items) {
      this.decided.delete(itemKey(item));
      const draft = this.#drafts.get(draftKeyOf(item));
      if (draft !== undefined) browserStorage()?.setItem(draftKeyOf(item), draft);
    }
    const leftMs = this.#leftMs(last);
    if (unreached.length > 0 && leftMs > 0)
      this.say({ ...last, text, items: unreached, hasFailed, unreached }, leftMs);
    else
      this.say({
        text: unreached.length > 0 && items.length === 0 ? timeIsOver() : text,
        items: [],
        hasFailed,
      });
    return items;
  }

  /** Corrects the notices whose requests are no longer as they were decided here. */
  async check(): Promise<void> {
    const undoable = this.#notices.filter(({ items }) => items.length > 0);
    const items = undoable.flatMap((notice) => notice.items);
    const now = await readRequests(this.#inbox, items);
    for (const notice of undoable) if (this.#notices.includes(notice)) this.#correct(notice, now);
  }

  #correct(notice: Outcome, now: ReadonlyMap<string, InboxItem | 'erased'>): void {
    const isHeld = this.#isHeld(notice);
    const back: InboxItem[] = [];
    const sentences: string[] = [];
    const kept: InboxItem[] = [];
    for (const item of notice.items) {
      const current = now.get(itemKey(item));
      const words =
        current === 'erased'
          ? `${rowTitle(cardFacts(item.interrupt))}: ${erasedSentence(notice.decision, isHeld)}`
          : current === undefined
            ? undefined
            : otherDecision(current, notice);
      if (current !== 'erased' && current?.['status'] === 'pending') back.push(item);
      else if (words === undefined) kept.push(item);
      else sentences.push(words);
    }
    if (kept.length === notice.items.length) return;
    for (const item of back) this.decided.delete(itemKey(item));
    if (this.#latest === notice) this.#latest = undefined;
    const text = [
      ...(kept.length === 0 || notice.decision === undefined
        ? []
        : [decidedSentence(notice.decision, kept.length)]),
      ...(back.length === 0
        ? []
        : [
            translate(
              notice.decision === 'answered'
                ? '{0} answer was taken back in another window.|{0} answers were taken back in another window.'
                : '{0} decision was taken back in another window.|{0} decisions were taken back in another window.',
              back.length,
            ),
          ]),
      ...sentences,
    ].join(' ');
    // The decisions that stand can be undone for no longer than before.
    const leftMs = this.#leftMs(notice);
    this.#remove(notice);
    this.say({ ...notice, items: kept, text, hasFailed: true }, kept.length === 0 ? UNDO_MS : leftMs);
  }

  /**
   * True while the host surely holds the answer of a notice: its time counts from before the answer was sent. Several answers are sent
   * one after another, and the time counts from the last one.
   */
  #isHeld(notice: Outcome): boolean {
    return notice.items.length === 1 && this.#leftMs(notice) > 0;
  }

  /** Milliseconds until a notice goes away. */
  #leftMs(notice: Outcome): number {
    return (this.#ends.get(notice) ?? 0) - performance.now();
  }

  async #end(notice: Outcome): Promise<void> {
    if (notice.items.length > 0 && this.#notices.includes(notice)) await this.check();
    const isUnreached = this.#notices.includes(notice) && notice.unreached !== undefined;
    this.#remove(notice);
    if (isUnreached) this.say({ text: timeIsOver(), items: [], hasFailed: true });
  }

  #remove(notice: Outcome): void {
    this.#set(this.#notices.filter((one) => one !== notice));
  }

  #set(notices: readonly Outcome[]): void {
    this.#notices = notices;
    if (this.undoable === undefined) {
      clearInterval(this.#look);
      this.#look = undefined;
    } else this.#look ??= setInterval(() => void this.check(), LOOK_MS);
    this.#report();
  }

  #report(): void {
    this.#store();
    for (const listener of this.#listeners) listener();
  }
}

function timeIsOver(): string {
  return translate('Not undone: {0}', translate('The time to undo is over.'));
}

/** "Pay $70 to ACME: Withdrawn by asker. It was not run." for a request with another decision than the notice says. */
function otherDecision(item: InboxItem, { decision }: Outcome): string | undefined {
  const answered = givenAnswerOf(item);
  if (item['status'] === 'pending' || answered === undefined) return undefined;
  const facts = cardFacts(item.interrupt);
  if (isDroppedCall(answered))
    return `${rowTitle(facts)}: ${translate('The conversation was deleted, and the call was not run.')}`;
  const current = decisionOf(answered);
  if (current === decision) return undefined;
  const { at: _at, ...untimed } = answered;
  const words = `${rowTitle(facts)}: ${answeredWords(untimed, 0, facts)}`;
  const isStopped = isAgainst(current) && (decision === 'approved' || decision === 'changed');
  return translate(isStopped ? '{0}. It was not run.' : '{0}. Your answer was not used.', words);
}
