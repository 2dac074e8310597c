import type { Client, InboxItem } from '../../src/client/index.ts';
import { HoldpointError } from '../../src/core/index.ts';
import { cardFacts, givenAnswerOf, itemKey, toWords, translate } from '../../src/elements/index.ts';
import { ANONYMOUS } from '../../src/elements/interrupt/decision.ts';
import { isUnsettled } from '../inbox/request-context.ts';
import { saveDecisions } from './audit-export.ts';
import type { AuditQuery, LoadedDecisions } from './audit-query.ts';
import { listDecisions, listDecisionsAgain, readAuditQuery } from './audit-query.ts';

const PAGE = 50;
/** Milliseconds before a list whose server could not be reached is read again. */
export const RETRY_MS = 2000;
/** Milliseconds before the list is read again. */
const REFRESH_MS = 10_000;
/** Milliseconds before the list is read again after a row has come that is not over; doubles up to {@link REFRESH_MS}. */
const SOON_MS = 1000;

interface DecisionListOptions {
  readonly inbox: () => Client['inbox'];
  /** Called after each change of the members. */
  readonly onChange: () => void;
}

/** The decisions of one query, as far as they are loaded. While it is followed and in sight, they are read again. */
export class DecisionList {
  items: readonly InboxItem[] = [];
  state: 'loading' | 'shown' | 'failed' = 'loading';
  /** The last error; undefined after a success. */
  trouble: unknown;
  /** Decisions that were opened, with their result, by key. */
  readonly opened = new Map<string, InboxItem>();
  /** The names in the decisions that were loaded, to choose a filter from, and how the page writes each. */
  readonly names = {
    tool: new Map<string, string>(),
    answeredBy: new Map<string, string>(),
    agent: new Map<string, string>(),
  };

  readonly #inbox: () => Client['inbox'];
  readonly #onChange: () => void;
  #query: AuditQuery = readAuditQuery('');
  #next: string | undefined;
  /** The sum of the limits with which the items were loaded. */
  #wanted = PAGE;
  #isFollowed = false;
  #isLoadingMore = false;
  /** Counts the loads: the answer to an earlier one is dropped. */
  #turn = 0;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #refreshMs = REFRESH_MS;
  /** The rows that are not over, by their keys and states. */
  #running = '';
  /** The error of the last refresh; the next one that works takes it away. */
  #refreshTrouble: unknown;
  /** Repeats what failed while the server could not be reached. */
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor({ inbox, onChange }: DecisionListOptions) {
    this.#inbox = inbox;
    this.#onChange = onChange;
  }

  /** True when the host has more decisions of the query. */
  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** Reads the list again from time to time, until {@link leave}. */
  follow(): void {
    this.#isFollowed = true;
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#scheduleRefresh();
  }

  leave(): void {
    this.#isFollowed = false;
    document.removeEventListener('visibilitychange', this.#onVisible);
    clearTimeout(this.#refreshTimer);
    clearTimeout(this.#retry);
  }

  /** Loads the first page of a query. The rows before it stay until it is here. */
  async load(query = this.#query): Promise<void> {
    clearTimeout(this.#retry);
    this.#query = query;
    this.#turn += 1;
    this.#isLoadingMore = false;
    const turn = this.#turn;
    this.state = 'loading';
    try {
      const page = await listDecisions(this.#inbox(), query, { limit: PAGE });
      if (turn !== this.#turn) return;
      this.#show({ ...page, wanted: PAGE });
      this.state = 'shown';
      this.trouble = undefined;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.state = 'failed';
      this.#fail(error, () => this.load());
    }
    this.#onChange();
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    const cursor = this.#next;
    if (cursor === undefined) return;
    const turn = this.#turn;
    this.#next = undefined;
    this.#isLoadingMore = true;
    try {
      const page = await listDecisions(this.#inbox(), this.#query, { limit: PAGE, cursor });
      if (turn !== this.#turn) return;
      const interrupts = [...this.items, ...page.interrupts];
      this.#show({ ...page, interrupts, wanted: this.#wanted + PAGE });
      this.trouble = undefined;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#next = cursor;
      this.#fail(error, () => this.more());
    } finally {
      if (turn === this.#turn) this.#isLoadingMore = false;
    }
    this.#onChange();
  }

  /** Loads the result of a decision. */
  async open(item: InboxItem): Promise<void> {
    const found = await this.#inbox()
      .get(item.threadId, item.interrupt.id)
      .catch(() => undefined);
    if (found !== undefined) this.opened.set(itemKey(item), found);
    this.#onChange();
  }

  /** Saves every decision of the query as a file. Returns their number; undefined when it failed. */
  async save(form: 'json' | 'csv'): Promise<number | undefined> {
    let saved: number | undefined;
    try {
      saved = await saveDecisions(this.#inbox(), this.#query, form);
      this.trouble = undefined;
    } catch (error) {
      this.#fail(error, () => this.load());
    }
    this.#onChange();
    return saved;
  }

  #show({ interrupts, next, wanted }: LoadedDecisions): void {
    this.items = interrupts;
    this.#next = next;
    this.#wanted = wanted;
    this.#addNames(interrupts);
    const before = this.#running;
    this.#running = interrupts
      .filter(isUnsettled)
      .map((item) => `${itemKey(item)} ${String(item['status'])}`)
      .join();
    if (this.#running === '') this.#refreshMs = REFRESH_MS;
    else this.#refreshMs = this.#running === before ? Math.min(REFRESH_MS, 2 * this.#refreshMs) : SOON_MS;
    this.#scheduleRefresh();
  }

  readonly #onVisible = (): void => {
    if (document.visibilityState === 'visible') void this.#refresh();
  };

  /** No request stays open between two looks, so this takes no turn of `whileVisible`. */
  #scheduleRefresh(ms = this.#refreshMs): void {
    clearTimeout(this.#refreshTimer);
    if (this.#isFollowed) this.#refreshTimer = setTimeout(() => void this.#refresh(), ms);
  }

  /** Reads the shown decisions again, in place. A load that the reader has started goes first. */
  async #refresh(): Promise<void> {
    clearTimeout(this.#refreshTimer);
    // The list is read again when the page becomes visible.
    if (document.visibilityState === 'hidden') return;
    if (this.state !== 'shown' || this.#isLoadingMore) {
      this.#scheduleRefresh();
      return;
    }
    const [turn, shown, next, wanted] = [this.#turn, this.items, this.#next, this.#wanted];
    const isCurrent = () =>
      this.#isFollowed && turn === this.#turn && shown === this.items && next === this.#next;
    const startedAt = performance.now();
    try {
      const again = await listDecisionsAgain(this.#inbox(), this.#query, { shown, wanted, step: PAGE });
      if (!isCurrent()) return;
      this.#show(again);
      this.#openAgain(shown);
      // A filter that reads thousands of decisions is at work a tenth of the time.
      this.#scheduleRefresh(Math.max(this.#refreshMs, 10 * (performance.now() - startedAt)));
      if (this.trouble === this.#refreshTrouble) this.trouble = undefined;
      this.#refreshTrouble = undefined;
    } catch (error) {
      if (!isCurrent()) return;
      this.#refreshTrouble = error;
      this.trouble = error;
      this.#scheduleRefresh(isUnreached(error) ? RETRY_MS : REFRESH_MS);
    } finally {
      // What was loaded meanwhile is read again later.
      if (!isCurrent()) this.#scheduleRefresh();
    }
    this.#onChange();
  }

  /** Reads the opened decisions again that have changed. */
  #openAgain(before: readonly InboxItem[]): void {
    const known = new Map(before.map((item) => [itemKey(item), JSON.stringify(item)]));
    for (const item of this.items) {
      const key = itemKey(item);
      if (this.opened.has(key) && known.get(key) !== JSON.stringify(item)) void this.open(item);
    }
  }

  /** Keeps an error. Tries again by itself if the server could not be reached. */
  #fail(error: unknown, again: () => Promise<void>): void {
    this.trouble = error;
    clearTimeout(this.#retry);
    if (isUnreached(error) && this.#isFollowed) this.#retry = setTimeout(() => void again(), RETRY_MS);
  }

  #addNames(items: readonly InboxItem[]): void {
    for (const item of items) {
      const { by, you } = givenAnswerOf(item) ?? {};
      const { toolName } = cardFacts(item.interrupt);
      const { tool, answeredBy, agent } = this.names;
      if (toolName !== undefined) tool.set(toolName, toWords(toolName));
      if (by !== undefined && by !== ANONYMOUS) answeredBy.set(by, you === true ? translate('You') : by);
      if (typeof item['agent'] === 'string') agent.set(item['agent'], toWords(item['agent']));
    }
  }

  /** The name that a person has typed, also as the page writes it: "You" for their own. A name that is not known stays as typed. */
  nameOf(filter: keyof DecisionList['names'], typed: string): string {
    const isTyped = (text: string) => text.toLowerCase() === typed.trim().toLowerCase();
    const known = [...this.names[filter]].find(([name, words]) => isTyped(name) || isTyped(words));
    return known === undefined ? typed : known[0];
  }
}

/** True for an error without an answer of the server. */
export function isUnreached(error: unknown): boolean {
  return HoldpointError.is(error, 'RUN_LOST') || error instanceof TypeError;
}
