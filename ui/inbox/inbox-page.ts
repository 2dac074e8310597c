import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { InboxItem } from '../../src/client/index.ts';
import type { HoldpointInboxElement, InboxQuery, InboxStore, Text } from '../../src/elements/index.ts';
import {
  browserStorage,
  createInboxStore,
  HoldpointElement,
  icon,
  itemKey,
  readInboxQuery,
  toInboxFilter,
  translate,
  writeInboxQuery,
} from '../../src/elements/index.ts';
import { isOver } from '../../src/elements/inbox/inbox-store.ts';
import { hasEntries, readDraftOf } from '../../src/elements/interrupt/drafts.ts';
import { ACTION_KEYS, isInWord, takesLetters, UNREAD_MS } from '../../src/elements/interrupt/press-by-key.ts';
import { isTyping } from '../help-dialog.ts';
import { defined } from '../../src/core/index.ts';
import type { AgentInfo, HostApi } from '../host.ts';
import { QueryChanges } from '../query-changes.ts';
import type { RequestPlace } from '../router.ts';
import { goTo, interruptPath, withAgent } from '../router.ts';
import type { Bulk } from './decide-requests.ts';
import { decideRequests, UNDO_MS } from './decide-requests.ts';
import { decidedNotice } from './decided-notice.ts';
import type { DecisionNotices } from './decision-notices.ts';
import { failedCalls } from './failed-calls.ts';
import { FirstMoment } from './first-moment.ts';
import { notifyButton } from './notifications.ts';
import { relatedRequests } from './related-requests.ts';
import type { DecidedRequest, RequestPaneElement } from './request-pane.ts';
import { draftKeyOf } from './request-pane.ts';

const TWO_COLUMNS = '(min-width: 60rem)';
/** An undo that would be offered for less time is not offered. */
const SHORTEST_UNDO_MS = 1000;
/** The controls that decide or discard. The first press of Reject, and Edit, do neither. */
const DECISIONS =
  '.inbox-related, .hp-actions button:not([data-action="edit"], [data-action="reject"]:not([data-primary]))';

/** The inbox page: the open requests on the left, one of them on the right. A narrow screen shows one of the two. */
export class InboxPageElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    host: { attribute: false },
    agent: { attribute: false },
    inbox: { attribute: false },
    notices: { attribute: false },
    request: { attribute: false },
    search: { attribute: false },
  };

  declare host: HostApi;
  declare agent: AgentInfo;
  /** Every open request. */
  declare inbox: InboxStore;
  declare notices: DecisionNotices;
  /** The request that the address names. */
  declare request: RequestPlace | undefined;
  /** The query of the address. */
  declare search: string;

  #query: InboxQuery = readInboxQuery('');
  #store: InboxStore | undefined;
  #leave: () => void = () => undefined;
  #leaveNotices: () => void = () => undefined;
  /** The request on the right, and its place in the list when it was last there. */
  #current: RequestPlace | undefined;
  #index = 0;
  readonly #firstMoment = new FirstMoment(() => this.requestUpdate());
  /** When a click has last taken a decision back, on the clock of events. */
  #undoneAt = -Infinity;
  /** Number of shown failed calls. */
  #failures = 0;
  /** Why requests of the last bulk decision were refused, by their keys. */
  #refused: ReadonlyMap<string, string> = new Map();
  readonly #changes = new QueryChanges<InboxQuery>((changes) => this.#filter(changes));
  readonly #wide = matchMedia(TWO_COLUMNS);
  readonly #onKeyDown = (event: KeyboardEvent) => this.#onKey(event);
  readonly #onWidth = () => this.requestUpdate();

  override connectedCallback(): void {
    super.connectedCallback();
    // Before the card gets the key: with rows selected, the key is about them.
    document.addEventListener('keydown', this.#onKeyDown, { capture: true });
    this.#wide.addEventListener('change', this.#onWidth);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#onKeyDown, { capture: true });
    this.#wide.removeEventListener('change', this.#onWidth);
    this.#leaveNotices();
    this.#changes.drop();
    this.#firstMoment.end();
    if (this.#list !== null) this.notices.selection = this.#list.selection;
    this.#close();
  }

  protected override firstUpdated(): void {
    this.#list?.restore(this.notices.selection);
  }

  #close(): void {
    this.#leave();
    if (this.#store !== this.inbox) this.#store?.close();
    this.#store = undefined;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('notices')) {
      this.#leaveNotices();
      this.#leaveNotices = this.notices.subscribe(() => this.#onNotices());
    }
    if (changed.has('search') || this.#store === undefined) this.#open(readInboxQuery(this.search));
    if (changed.has('request')) this.#current = this.request;
    const items = this.#items;
    const key = this.#currentKey;
    const index = items.findIndex((item) => itemKey(item) === key);
    if (index >= 0) this.#index = index;
    // The first request is there from the start; later the reader chooses.
    if (this.#current === undefined && this.#wide.matches) this.#current = placeOf(items[0]);
  }

  /** Shows the requests of a query: the list of the app, or a list of its own when it is filtered. */
  #open(query: InboxQuery): void {
    if (this.#store !== undefined && writeInboxQuery(query) === writeInboxQuery(this.#query)) return;
    this.#close();
    this.#query = query;
    this.#store =
      writeInboxQuery(query) === ''
        ? this.inbox
        : createInboxStore(
            this.host.client(this.agent.id),
            this.host.now,
            toInboxFilter(query, this.host.now()),
          );
    const leaveList = this.#store.subscribe(() => this.#onList());
    // A filtered list also says how many there are without the filter.
    const leaveAll =
      this.#store === this.inbox ? () => undefined : this.inbox.subscribe(() => this.requestUpdate());
    this.#leave = () => {
      leaveList();
      leaveAll();
    };
  }

  #onNotices(): void {
    const { length } = this.notices.failed.items;
    // On a narrow screen a new failure moves the buttons of the request: a press was meant for another one.
    if (length > this.#failures && !this.#wide.matches && this.request !== undefined)
      this.#firstMoment.begin();
    this.#failures = length;
    this.requestUpdate();
  }

  #onList(): void {
    const { items } = this.#store?.getSnapshot() ?? { items: [] };
    const open = new Set(items.map(itemKey));
    const { decided } = this.notices;
    // A decision that the server has applied needs no hiding.
    for (const key of decided) if (!open.has(key)) decided.delete(key);
    // A request that is listed again was taken back in another window, or the list is older than the decision.
    if (decided.size > 0) void this.notices.check();
    this.requestUpdate();
  }

  get #items(): readonly InboxItem[] {
    return this.#undecided(this.#store?.getSnapshot().items ?? []);
  }

  /** The loaded open requests, also those that the search and the filters hide. */
  get #openRequests(): readonly InboxItem[] {
    return [...this.#items, ...this.#undecided(this.inbox.getSnapshot().items)];
  }

  #undecided(items: readonly InboxItem[]): readonly InboxItem[] {
    const { decided } = this.notices;
    return decided.size === 0 ? items : items.filter((item) => !decided.has(itemKey(item)));
  }

  /** Number of open requests without the search and the filters; undefined while not all of them are loaded. */
  get #total(): number | undefined {
    const { items, hasMore, updatedAt } = this.inbox.getSnapshot();
    if (hasMore || updatedAt === undefined) return undefined;
    const now = this.host.now();
    return items.filter((item) => !this.notices.decided.has(itemKey(item)) && !isOver(item, now)).length;
  }

  get #currentKey(): string | undefined {
    const place = this.#current;
    return place === undefined ? undefined : `${place.threadId}/${place.interruptId}`;
  }

  get #requests() {
    return this.host.client(this.agent.id).inbox;
  }

  get #list(): HoldpointInboxElement | null {
    return this.querySelector('holdpoint-inbox');
  }

  get #pane(): RequestPaneElement | null {
    return this.querySelector<RequestPaneElement>('holdpoint-request-pane');
  }

  protected override render(): TemplateResult {
    const { hasMore = false, updatedAt, isStale = false } = this.#store?.getSnapshot() ?? {};
    const items = this.#items;
    const isWide = this.#wide.matches;
    const showsList = isWide || this.request === undefined;
    const showsPane = isWide || this.request !== undefined;
    return html`<div class="inbox" ?data-wide=${isWide}>
      <section class="inbox-list" aria-label=${translate('List')} ?data-behind=${!showsList}>
        <div class="inbox-head">
          <h1>${translate('Inbox')}</h1>
          ${notifyButton(() => this.requestUpdate())}
        </div>
        <holdpoint-inbox
          .items=${items}
          .query=${this.#query}
          .current=${this.#currentKey}
          .refused=${this.#refused}
          .updatedAt=${updatedAt}
          .stale=${isStale}
          .more=${hasMore}
          .total=${this.#total}
          .clock=${this.host.now}
          .hrefOf=${(item: InboxItem) =>
            withAgent(`${interruptPath(item.threadId, item.interrupt.id)}${writeInboxQuery(this.#query)}`)}
          .isUnsent=${(item: InboxItem) => this.#isUnsent(item)}
          @holdpoint-open=${(event: CustomEvent<{ item: InboxItem }>) => this.#onOpen(event.detail)}
          @holdpoint-more=${() => void this.#store?.more()}
          @holdpoint-filter=${({ detail }: CustomEvent<Partial<InboxQuery>>) =>
            this.#changes.add(detail, detail.q === undefined ? 'chosen' : 'typed')}
          @holdpoint-decide-all=${(event: CustomEvent<Bulk>) => void this.#decideAll(event.detail)}
        ></holdpoint-inbox>
      </section>
      ${showsPane ? this.#renderPane(items, { hasMore, isWide, isStale }) : nothing}
      ${showsList ? html`${this.#renderFailures()} ${this.#renderNotice()}` : nothing}
    </div>`;
  }

  #renderPane(
    items: readonly InboxItem[],
    {
      hasMore,
      isWide,
      isStale,
    }: { readonly hasMore: boolean; readonly isWide: boolean; readonly isStale: boolean },
  ): TemplateResult {
    const place = this.#current;
    const listed = items.find((item) => itemKey(item) === this.#currentKey);
    const now = this.host.now();
    const total = `${items.filter((item) => !isOver(item, now)).length}${hasMore ? '+' : ''}`;
    const back = `/inbox${writeInboxQuery(this.#query)}`;
    // The list names requests whose cards have entries that are not sent.
    const update = () => this.requestUpdate();
    return html`<section
      class="inbox-pane"
      aria-label=${translate('Request')}
      @input=${update}
      @change=${update}
      @click=${update}
    >
      <div class="inbox-steps">
        ${
          isWide
            ? nothing
            : html`<h1 class="hp-hidden">${translate('Request')}</h1>
                <a class="hp-button hp-quiet" href=${withAgent(back)}
                  >${icon('back')}${translate('Inbox')}</a
                >`
        }
        ${
          place === undefined || items.length === 0
            ? nothing
            : html`<span class="inbox-place">
                ${
                  listed === undefined
                    ? translate('{0} open', total)
                    : isOver(listed, now)
                      ? translate('Expired')
                      : translate('{0} of {1}', items.indexOf(listed) + 1, total)
                }
              </span>`
        }
        ${
          items.length < 2
            ? nothing
            : html`<button type="button" class="hp-button hp-small" title="k" @click=${() => this.#step(-1)}>
                  ${translate('Previous')}
                </button>
                <button type="button" class="hp-button hp-small" title="j" @click=${() => this.#step(1)}>
                  ${translate('Next')}
                </button>`
        }
      </div>
      ${
        isWide
          ? nothing
          : html`${this.#renderFailures()}
              <div class="inbox-notice-place">${this.#renderNotice()}</div>`
      }
      <div
        class="inbox-request"
        ?data-guarded=${this.#firstMoment.isNow}
        @click=${{ handleEvent: (event: MouseEvent) => this.#ignoreEarly(event), capture: true }}
      >
        ${
          isStale && !isWide
            ? html`<p class="hp-notice hp-bad" role="status">
                ${icon('alert')}${translate('The server cannot be reached. Trying again …')}
              </p>`
            : nothing
        }
        ${
          place === undefined
            ? html`<div class="hp-empty">
                ${icon('inbox')}
                <p>${translate(items.length === 0 ? this.#whyEmpty() : 'Choose a request.')}</p>
              </div>`
            : html`${relatedRequests(items, {
                  listed,
                  approveAll: (turn) => this.#select(turn, { step: 'approve' }),
                  selectAll: (same) => this.#select(same),
                })}
                <holdpoint-request-pane
                  .host=${this.host}
                  .agent=${this.agent}
                  .threadId=${place.threadId}
                  .interruptId=${place.interruptId}
                  .listed=${listed}
                  .openInTurn=${items.filter(({ threadId }) => threadId === place.threadId).length}
                  .open=${this.#openRequests}
                  .connected=${!isStale}
                  .updatedAt=${this.#store?.getSnapshot().updatedAt}
                  @request-decided=${(event: CustomEvent<DecidedRequest>) => this.#onDecided(event.detail)}
                  @request-replaced=${(event: CustomEvent<{ interruptId: string }>) =>
                    this.#show(
                      { threadId: place.threadId, interruptId: event.detail.interruptId },
                      'replace',
                    )}
                ></holdpoint-request-pane>`
        }
      </div>
    </section>`;
  }

  /** True when the card of a request has entries that are not sent, in sight or stored. */
  #isUnsent(item: InboxItem): boolean {
    const isShown = itemKey(item) === this.#currentKey && this.#pane?.isUnsent === true;
    return isShown || hasEntries(readDraftOf(browserStorage(), draftKeyOf(item), item.interrupt));
  }

  #whyEmpty(): Text {
    if (this.#store?.getSnapshot().updatedAt === undefined) return 'Loading …';
    const isFiltered = writeInboxQuery({ ...this.#query, order: 'expiring' }) !== '';
    return isFiltered ? 'No request matches the search and the filters.' : 'Nothing to decide.';
  }

  #renderFailures(): TemplateResult | typeof nothing {
    const close = (item: InboxItem) => {
      this.notices.failed.close(item);
      void this.#settle(true);
    };
    return failedCalls(this.notices.failed, { now: this.host.now(), close });
  }

  #renderNotice(): TemplateResult | typeof nothing {
    const { newest, undoable } = this.notices;
    // Above the request on a narrow screen it has a place of its own, so that nothing moves when it comes and goes.
    const isAbove = !this.#wide.matches && this.request !== undefined;
    if (newest === undefined && !isAbove) return nothing;
    return html`<div class="inbox-notice" role="status" ?data-empty=${newest === undefined}>
      ${newest?.hasFailed === true ? icon('alert') : nothing}
      <span
        >${newest?.text}${undoable === undefined || undoable === newest ? nothing : html` <span>${undoable.text}</span>`}</span
      >
      ${
        undoable === undefined
          ? nothing
          : html`<button
              type="button"
              class="hp-button hp-small"
              @click=${(event: MouseEvent) => this.#undoByClick(event)}
            >
              ${translate('Undo')} <kbd>u</kbd>
            </button>`
      }
    </div>`;
  }

  #filter(changes: Partial<InboxQuery>): void {
    this.#current = undefined;
    goTo(`/inbox${writeInboxQuery({ ...this.#query, ...changes })}`, 'replace');
    // The list of another query begins at its top.
    this.#list?.querySelector('.hp-list')?.scrollTo({ top: 0 });
  }

  #show(place: RequestPlace | undefined, how: 'push' | 'replace' = 'push'): void {
    this.#current = place;
    this.#firstMoment.end();
    this.requestUpdate();
    const path = place === undefined ? '/inbox' : interruptPath(place.threadId, place.interruptId);
    goTo(`${path}${writeInboxQuery(this.#query)}`, how);
  }

  /** Moves to another request. Keeps the place of a request that has left the list. */
  #step(by: number): void {
    const items = this.#items;
    if (items.length === 0) return;
    const isListed = items.some((item) => itemKey(item) === this.#currentKey);
    const from = this.#current === undefined ? -1 : isListed || by < 0 ? this.#index : this.#index - 1;
    const item = items[Math.min(items.length - 1, Math.max(0, from + by))];
    if (item === undefined) return;
    const isOnList = !this.#wide.matches && this.request === undefined;
    if (isOnList) {
      this.#current = placeOf(item);
      this.requestUpdate();
    } else this.#show(placeOf(item), this.request === undefined ? 'push' : 'replace');
    const isInList = isOnList || this.#list?.contains(document.activeElement) === true;
    if (isInList) void this.updateComplete.then(() => this.#list?.reveal(itemKey(item), { focus: true }));
    else void this.#settle(true);
  }

  /** Focuses a request that was opened from its row, once the address has it. */
  #onOpen({ item }: { readonly item: InboxItem }): void {
    this.#firstMoment.end();
    this.requestUpdate();
    setTimeout(() => {
      if (this.#currentKey === itemKey(item)) void this.#settle(true);
    });
  }

  #onDecided(decided: DecidedRequest): void {
    const { item, draft } = decided;
    if (draft !== null) this.notices.keepDraft(item, draft);
    const notice = decidedNotice(decided);
    const leftMs = decided.sentAt + UNDO_MS - performance.now();
    if (leftMs > SHORTEST_UNDO_MS) this.notices.say(notice, leftMs);
    else this.notices.sayLate(notice);
    this.#advance([item]);
  }

  /** Hides decided requests and opens the next one. */
  #advance(decided: readonly InboxItem[]): void {
    const before = this.#items;
    for (const item of decided) this.notices.decided.add(itemKey(item));
    const isCurrent = decided.some((item) => itemKey(item) === this.#currentKey);
    if (isCurrent) {
      const at = before.findIndex((item) => itemKey(item) === this.#currentKey);
      const rest = this.#items;
      // The list may have lost the request before its answer was confirmed.
      const from = at < 0 ? this.#index : at + 1;
      const now = this.host.now();
      const left = before.filter((item) => rest.includes(item) && !isOver(item, now));
      const next = before.slice(from).find((item) => left.includes(item)) ?? left.at(-1) ?? rest.at(-1);
      this.#show(placeOf(next), 'replace');
      this.#firstMoment.expect();
    }
    this.requestUpdate();
    void this.#settle(isCurrent).finally(() => {
      if (this.#firstMoment.isExpected) this.#firstMoment.begin();
    });
  }

  /** Stops a click or a tap that was meant for the request before. A button that is pressed by a key has no such clicks. */
  #ignoreEarly(event: MouseEvent): void {
    const isDecision = event.target instanceof Element && event.target.closest(DECISIONS) !== null;
    if (event.detail === 0 || !this.#firstMoment.includes(event) || !isDecision) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Scrolls to the current request; `focus` also focuses it, so that the focus never falls on the page. */
  async #settle(focus: boolean): Promise<void> {
    await this.updateComplete;
    if (this.#currentKey !== undefined) await this.#list?.reveal(this.#currentKey);
    if (!focus) return;
    if (this.#pane !== null) return this.#pane.focusCard();
    this.#list?.querySelector<HTMLElement>('.hp-list')?.focus();
  }

  /** The second click of a double click finds the button of the notice before, and was not meant for that one. */
  #undoByClick(event: MouseEvent): void {
    const isByPointer = event.detail > 0;
    if (isByPointer && event.timeStamp < this.#undoneAt + UNREAD_MS) return;
    if (isByPointer) this.#undoneAt = event.timeStamp;
    void this.#undo();
  }

  async #undo(): Promise<void> {
    const reason = this.notices.undoable?.reason;
    const items = await this.notices.undo();
    const [first, ...others] = items;
    await this.#store?.refresh();
    // A narrow screen shows the list of several requests instead of one of them.
    if (others.length > 0 && !this.#wide.matches) this.#show(undefined);
    else if (first !== undefined) this.#show(placeOf(first), 'replace');
    // Too late: the calls have run since the request and its earlier decisions were loaded.
    else this.#pane?.refresh();
    // Most people who undo a decision about several requests change one of them, and decide again.
    if (others.length > 0) this.#select(items, defined({ reason }));
    else await this.#settle(true);
  }

  /** Selects requests in the list. A narrow screen shows the list instead of the request. */
  #select(items: readonly InboxItem[], how?: Parameters<HoldpointInboxElement['select']>[1]): void {
    if (!this.#wide.matches && this.request !== undefined) this.#show(undefined);
    void this.updateComplete.then(() => this.#list?.select(items.map(itemKey), how));
  }

  async #decideAll(bulk: Bulk): Promise<void> {
    const outcome = await decideRequests(this.#requests, bulk);
    const { refused = new Map<string, string>() } = outcome;
    this.#refused = refused;
    this.notices.say(outcome);
    this.#advance(outcome.items);
    const rest = bulk.items.filter((item) => refused.has(itemKey(item)));
    // The refused requests stay selected, and their rows say why.
    if (rest.length > 0) this.#select(rest, { reason: bulk.reason });
  }

  #onKey(event: KeyboardEvent): void {
    const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (isSend && this.#firstMoment.includes(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]') !== null || isTyping(event) || isInWord(event)) return;
    const { key } = event;
    // A key that is held down moves on, and decides nothing; nor does one in a field of the card, such as a choice.
    const isInField = this.#pane?.contains(document.activeElement) === true && takesLetters(event.target);
    const action = event.repeat || isInField ? undefined : ACTION_KEYS.get(key);
    const current = this.#currentKey;
    const pointed = focusedRow(event.target) ?? current;
    if (key === 'j') this.#step(1);
    else if (key === 'k') this.#step(-1);
    else if (key === '/') this.#list?.search();
    else if (key === 'u' && !event.repeat) void this.#undo();
    else if (key === 'x' && pointed !== undefined) this.#list?.toggle(pointed);
    else if (action !== undefined && this.#decideSelected(action)) event.stopPropagation();
    // A person decides what they look at: the focused row opens first.
    else if (action !== undefined && pointed !== undefined && pointed !== current) this.#list?.open(pointed);
    else if (action === 'approve' && this.#firstMoment.includes(event)) event.stopPropagation();
    else if (action !== undefined && this.#current !== undefined) this.#press(action);
    else if (key === 'Enter' && this.#current !== undefined && isNowhere(event.target)) this.#press();
    else return;
    event.preventDefault();
  }

  /** Lists the selected requests to decide them together. Returns false when none is selected. */
  #decideSelected(action: string): boolean {
    const isDecision = action === 'approve' || action === 'reject';
    return isDecision && this.#list?.decideSelected(action) === true;
  }

  /** Presses a button of the current request; opens it first on a narrow screen. */
  #press(action?: string): void {
    if (!this.#wide.matches && this.request === undefined) this.#show(this.#current);
    // A control of the card keeps the focus, such as the button of a second look.
    const isInPane = this.#pane?.contains(document.activeElement) === true;
    void this.#settle(!isInPane).then(() => (action === undefined ? undefined : this.#pane?.press(action)));
  }
}

function placeOf(item: InboxItem | undefined): RequestPlace | undefined {
  return item === undefined ? undefined : { threadId: item.threadId, interruptId: item.interrupt.id };
}

/** Key of the row of the list that has the focus. */
function focusedRow(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('.hp-row')?.dataset['key'] : undefined;
}

/** True when no control has the focus. */
function isNowhere(target: EventTarget | null): boolean {
  return target === document.body || (target instanceof Element && target.id === 'main');
}
