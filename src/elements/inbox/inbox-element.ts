import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { InboxItem } from '../../client/index.ts';
import { announce } from '../base/announce.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { icon } from '../base/icon.ts';
import { ago, moment, timeLeftHoldsMs } from '../base/words.ts';
import type { InboxRow } from './inbox-item.ts';
import {
  faultsAmong,
  isDecidable,
  itemKey,
  mayApproveTogether,
  mayRejectTogether,
  openWords,
  rowAt,
} from './inbox-item.ts';
import type { InboxQuery } from './inbox-query.ts';
import { ALL_OPEN } from './inbox-query.ts';
import { inboxRow } from './inbox-row.ts';
import type { BulkStep } from './inbox-selection.ts';
import { hiddenWords, inboxSelection, whyNotTogether } from './inbox-selection.ts';
import { inboxChoices, inboxTools } from './inbox-tools.ts';
import { translate } from '../base/strings.ts';

/** By how much the clocks of the host and of the page may differ. */
const CLOCKS_MS = 1000;
/** Rows that are rendered above and below the visible ones. */
const SPARE_ROWS = 12;
/** Pixels of a row before one is measured. */
const ROW_HEIGHT = 48;

/**
 * `<holdpoint-inbox>`: the open interrupts of all threads, as the server selected and ordered them. Renders the rows in sight
 * only, so give it a height. Events: `holdpoint-open` when a row is opened; `holdpoint-filter` with the changed members of
 * `query`; `holdpoint-more` when the end of the list comes into sight; `holdpoint-decide-all` with `items`, `approved` and
 * `reason` when several are decided together.
 */
export class HoldpointInboxElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    items: { attribute: false },
    query: { attribute: false },
    current: {},
    refused: { attribute: false },
    updatedAt: { attribute: false },
    stale: { type: Boolean },
    more: { type: Boolean },
    total: { type: Number },
    clock: { attribute: false },
    hrefOf: { attribute: false },
    isUnsent: { attribute: false },
  };

  declare items: readonly InboxItem[];
  declare query: InboxQuery;
  /** Key of the row that is shown beside the list: the thread id, a slash and the interrupt id. */
  declare current: string | undefined;
  /** Why requests could not be decided together with others, by the keys of their rows. Default: none. */
  declare refused: ReadonlyMap<string, string>;
  declare updatedAt: number | undefined;
  /** True when the shown list may be outdated. */
  declare stale: boolean;
  /** True when the server has more interrupts than are shown. */
  declare more: boolean;
  /** Number of open interrupts without the search and the filters; undefined when it is not known. */
  declare total: number | undefined;
  declare clock: () => number;
  /** The URL of an interrupt's page. */
  declare hrefOf: (item: InboxItem) => string;
  /** Tells that the card of an interrupt has entries that are not sent: it is not decided with others. Default: none has. */
  declare isUnsent: (item: InboxItem) => boolean;

  #rows: readonly InboxRow[] = [];
  #choices = inboxChoices([]);
  #step: BulkStep;
  #reason = '';
  /** True after a search or a filter has changed, until its requests are here. */
  #isSearched = false;
  /** Number of expired rows at the last update. */
  #expired = 0;
  readonly #selected = new Set<string>();
  #rowHeight = ROW_HEIGHT;
  #first = 0;
  #last = 2 * SPARE_ROWS;
  #askedAt = -1;
  #observer: ResizeObserver | undefined;
  #tick: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.items = [];
    this.query = ALL_OPEN;
    this.refused = new Map();
    this.stale = false;
    this.more = false;
    this.clock = () => Date.now();
    this.followClock();
    this.hrefOf = ({ threadId, interrupt }) =>
      `/inbox/${encodeURIComponent(threadId)}/${encodeURIComponent(interrupt.id)}`;
    this.isUnsent = () => false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer = new ResizeObserver(() => this.#look());
    this.#observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    clearTimeout(this.#tick);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // A page that could not be loaded is asked for again after the next answer of the server.
    if (changed.has('updatedAt')) this.#askedAt = -1;
    const isOtherQuery =
      changed.has('query') && JSON.stringify(changed.get('query')) !== JSON.stringify(this.query);
    // The list of a confirmation never changes under the hand of a person.
    if (isOtherQuery) this.#step = undefined;
    const earlier = isOtherQuery ? [] : this.#rows;
    // Rows expire with the clock.
    const now = this.clock();
    this.#rows = this.items.map((item) => rowAt(item, now));
    // The rule of the buttons then names the row.
    if (this.#step !== undefined && this.#chosen.some(({ isUnsent }) => isUnsent)) this.#step = undefined;
    if (isOtherQuery && changed.get('query') !== undefined) this.#isSearched = true;
    if (changed.has('items') || changed.has('updatedAt'))
      this.#announceNews(earlier, changed.get('updatedAt'));
    const expired = this.#rows.filter(({ status }) => status === 'expired').length;
    // The clock has gone on: the list is the same.
    if (expired > this.#expired && !changed.has('items')) announce(translate('A request has expired.'));
    this.#expired = expired;
    if (!changed.has('items')) return;
    // A filter keeps its place while a search hides its other values.
    const isPart = this.#isFiltered || this.updatedAt === undefined;
    this.#choices = inboxChoices(this.#rows, isPart ? this.#choices : undefined);
    if (this.#selected.size === 0 || this.updatedAt === undefined) return;
    this.#deselectClosed(earlier);
    if (this.#selected.size === 0) this.#step = undefined;
  }

  /**
   * Announces what a search has found, and requests for the viewer that have come since `before`, the time of the list before. A request
   * that is loaded because a person scrolls to it is older.
   */
  #announceNews(earlier: readonly InboxRow[], before: number | undefined): void {
    if (this.updatedAt === undefined) return;
    if (this.#isSearched) {
      announce(this.#rows.length === 0 ? translate('No open request matches.') : `${this.#countWords()}.`);
      this.#isSearched = false;
    } else if (before !== undefined) {
      const known = new Set(earlier.map(({ key }) => key));
      const { length } = this.#rows.filter(
        (row) => !known.has(row.key) && (row.raisedAt ?? 0) > before - CLOCKS_MS && isDecidable(row),
      );
      if (length > 0) announce(translate('{0} new request.|{0} new requests.', length));
    }
  }

  /** Deselects requests that are no longer open. One that a search or a filter hides stays selected. */
  #deselectClosed(earlier: readonly InboxRow[]): void {
    const keys = new Set(this.items.map(itemKey));
    const isWhole = !this.#isFiltered && !this.more;
    const closed = isWhole ? [...this.#selected] : earlier.map(({ key }) => key);
    for (const key of closed) if (!keys.has(key)) this.#selected.delete(key);
  }

  /** Number of selected rows that a search or a filter hides. */
  get #hidden(): number {
    return this.updatedAt === undefined ? 0 : this.#selected.size - this.#chosen.length;
  }

  protected override render(): TemplateResult {
    const rows = this.#rows;
    const chosen = this.#chosen;
    const now = this.clock();
    return html`
      ${inboxTools({
        choices: this.#choices,
        query: this.query,
        set: (query) => this.emit('holdpoint-filter', query),
        leave: () => void this.#focusRow(),
      })}
      ${this.#renderSummary(chosen, now)}
      <div class="hp-list" tabindex="-1" @scroll=${() => this.#look()}>
        ${rows.length === 0 ? this.#renderEmpty() : this.#renderRows(now)}
      </div>
      ${chosen.length === 0 && this.#hidden === 0 ? nothing : this.#renderSelection(chosen)}
    `;
  }

  get #chosen(): readonly InboxRow[] {
    if (this.#selected.size === 0) return [];
    return this.#rows
      .filter(({ key }) => this.#selected.has(key))
      .map((row) => (this.isUnsent(row.item) ? { ...row, isUnsent: true } : row));
  }

  #renderSummary(chosen: readonly InboxRow[], now: number): TemplateResult {
    const { length } = this.#rows;
    const decidable = this.#rows.filter(isDecidable).length;
    const ticked = chosen.filter(isDecidable).length;
    if (this.updatedAt === undefined) return html`<p class="hp-updated"></p>`;
    return html`<div class="hp-updated" ?data-stale=${this.stale}>
      ${
        decidable === 0
          ? nothing
          : html`<label class="hp-select-all">
              <input
                type="checkbox"
                .checked=${ticked === decidable}
                .indeterminate=${chosen.length > 0 && ticked < decidable}
                @change=${(event: Event) => this.#selectAll((event.target as HTMLInputElement).checked)}
              />
              <span class="hp-hidden"
                >${translate(this.more ? 'Select all {0} that are loaded' : 'Select all {0}', decidable)}</span
              >
            </label>`
      }
      <span>
        ${
          this.stale
            ? html`${icon('alert')}${translate('The server cannot be reached: this list may be old.')}`
            : length === 0
              ? nothing
              : this.#countWords()
        }
      </span>
      <span class="hp-updated-at"
        >${
          this.stale
            ? translate('offline, last updated {0}', moment(this.updatedAt, now))
            : translate('updated {0}', ago(this.updatedAt, now))
        }</span
      >
    </div>`;
  }

  #countWords(): string {
    const { length } = this.#rows;
    if (!this.#isFiltered) return openWords(this.#rows, { hasMore: this.more });
    if (this.more) return translate('{0} and more found', length);
    return this.total === undefined
      ? translate('{0} found', length)
      : openWords(this.#rows, { total: this.total });
  }

  /** True when a search or a filter may hide open interrupts. */
  get #isFiltered(): boolean {
    return JSON.stringify({ ...this.query, order: '' }) !== JSON.stringify({ ...ALL_OPEN, order: '' });
  }

  /** Index of the first rendered row. */
  get #from(): number {
    return Math.max(0, Math.min(this.#first, this.#rows.length - 1));
  }

  #renderRows(now: number): TemplateResult {
    const total = this.#rows.length;
    const from = this.#from;
    const hasOnePerson = this.#choices.agents.size < 2 && this.#choices.people.size === 0;
    const faults = new Map(faultsAmong(this.#chosen).map(({ row, text }) => [row.key, text]));
    return html`<ul class="hp-rows" aria-label=${translate('Open requests')} ?data-one-person=${hasOnePerson}>
      ${repeat(
        this.#rows.slice(from, this.#last),
        ({ key }) => key,
        (row, index) =>
          inboxRow(row, {
            now,
            href: this.hrefOf(row.item),
            position: from + index + 1,
            total: this.more ? -1 : total,
            isSelected: this.#selected.has(row.key),
            isCurrent: this.current === row.key,
            fault: this.refused.get(row.key) ?? faults.get(row.key),
            open: (event) => {
              if (!this.emit('holdpoint-open', { item: row.item })) event.preventDefault();
            },
            select: () => this.toggle(row.key),
          }),
      )}
    </ul>`;
  }

  #renderEmpty(): TemplateResult {
    if (this.updatedAt === undefined) {
      return html`<div class="hp-empty" role="status">
        ${
          this.stale
            ? html`${icon('alert')}
                <p>${translate('The server cannot be reached. Trying again …')}</p>`
            : html`<p>${translate('Loading …')}</p>`
        }
      </div>`;
    }
    const isFiltered = this.#isFiltered;
    return html`<div class="hp-empty">
      ${icon(isFiltered ? 'inbox' : 'check')}
      <p>${translate(isFiltered ? 'No open request matches.' : 'No request is waiting for you.')}</p>
      ${
        isFiltered
          ? html`<button type="button" class="hp-button hp-small" @click=${() => this.#showAll()}>
              ${translate('Show all requests')}
            </button>`
          : nothing
      }
    </div>`;
  }

  #showAll(): void {
    this.emit('holdpoint-filter', { ...ALL_OPEN, order: this.query.order });
  }

  #renderSelection(chosen: readonly InboxRow[]): TemplateResult {
    return inboxSelection(chosen, {
      hidden: this.#hidden,
      step: this.#step,
      reason: this.#reason,
      begin: (step) => this.#begin(step),
      setReason: (reason) => {
        this.#reason = reason;
        this.requestUpdate();
      },
      decide: () => {
        const items = chosen.map(({ item }) => item);
        const approved = this.#step === 'approve';
        // The reason of a rejection that was given up or undone says nothing about an approval.
        const reason = approved ? '' : this.#reason.trim();
        this.emit('holdpoint-decide-all', { items, approved, reason });
        const keys = chosen.map(({ key }) => key);
        this.#deselect(keys, keys);
      },
      clear: () => this.#deselect([...this.#selected]),
      leaveOut: (rows) => {
        for (const { key } of rows) this.#selected.delete(key);
        // The buttons of the rest are next.
        this.#begin(undefined);
      },
      showAll: () => this.#showAll(),
    });
  }

  #begin(step: BulkStep): void {
    this.#step = step;
    this.requestUpdate();
    const target = step === 'approve' ? '[data-action="decide-all"]' : step === 'reject' ? 'input' : 'p';
    void this.focusAfterUpdate(`.hp-selection ${target}`);
  }

  protected override updated(): void {
    this.#tickAtNextChange();
    const list = this.querySelector<HTMLElement>('.hp-rows');
    if (list === null) return;
    // The policy of the page forbids style attributes; properties are allowed.
    list.style.paddingTop = `${this.#from * this.#rowHeight}px`;
    list.style.paddingBottom = `${Math.max(0, this.#rows.length - this.#last) * this.#rowHeight}px`;
    this.#look();
  }

  /** Renders again when the remaining time of a rendered row has another text, as the card beside the list does. */
  #tickAtNextChange(): void {
    clearTimeout(this.#tick);
    const now = this.clock();
    const left = this.#rows
      .slice(this.#from, this.#last)
      .map(({ expiresAt = 0 }) => expiresAt - now)
      .filter((ms) => ms > 0);
    if (left.length > 0)
      this.#tick = setTimeout(() => this.requestUpdate(), Math.min(...left.map(timeLeftHoldsMs)));
  }

  /** Renders the rows that are in sight now, and asks for more near the end. */
  #look(): void {
    const list = this.querySelector<HTMLElement>('.hp-list');
    if (list === null) return;
    const height = list.querySelector<HTMLElement>('.hp-row')?.offsetHeight ?? 0;
    const isMeasured = height > 0 && height !== this.#rowHeight;
    if (isMeasured) this.#rowHeight = height;
    const first = Math.max(0, Math.floor(list.scrollTop / this.#rowHeight) - SPARE_ROWS);
    const last = Math.ceil((list.scrollTop + list.clientHeight) / this.#rowHeight) + SPARE_ROWS;
    // A few rows of scrolling stay within the spare ones.
    const isOutside =
      Math.abs(first - this.#first) > SPARE_ROWS / 2 || Math.abs(last - this.#last) > SPARE_ROWS / 2;
    if (isMeasured || isOutside) {
      this.#first = first;
      this.#last = last;
      this.requestUpdate();
    }
    const { length } = this.#rows;
    if (this.more && last + SPARE_ROWS >= length && this.#askedAt !== length) {
      this.#askedAt = length;
      this.emit('holdpoint-more', {});
    }
  }

  #selectAll(isChosen: boolean): void {
    for (const { key } of this.#rows) this.#selected.delete(key);
    // A row that waits for another person would keep the others from being decided.
    if (isChosen) for (const { key } of this.#rows.filter(isDecidable)) this.#selected.add(key);
    this.#step = undefined;
    this.requestUpdate();
  }

  /** `leaving`: keys of rows that go away in a moment; none of them gets the focus. */
  #deselect(keys: readonly string[], leaving: readonly string[] = []): void {
    for (const key of keys) this.#selected.delete(key);
    this.#step = undefined;
    this.#reason = '';
    this.requestUpdate();
    void this.#focusRow(leaving);
  }

  /** Focuses the current row, else the first one in sight that does not leave, else the list. */
  async #focusRow(leaving: readonly string[] = []): Promise<void> {
    await this.updateComplete;
    const list = this.querySelector<HTMLElement>('.hp-list');
    const top = list?.getBoundingClientRect().top ?? 0;
    const isInSight = (row: HTMLElement) =>
      row.getBoundingClientRect().top >= top && !leaving.includes(row.dataset['key'] ?? '');
    const inSight = [...this.querySelectorAll<HTMLElement>('.hp-row')].find(isInSight);
    const row = this.querySelector('[data-current]') ?? inSight;
    (row?.querySelector('a') ?? list)?.focus();
  }

  /** Opens a row as a click does. */
  open(key: string): void {
    this.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] a`)?.click();
  }

  /** Selects a row, or removes it from the selection. */
  toggle(key: string): void {
    if (!this.#selected.delete(key)) this.#selected.add(key);
    this.#step = undefined;
    this.requestUpdate();
    announce(translate('{0} request selected.|{0} requests selected.', this.#selected.size));
  }

  /** Lists the selected rows in sight to approve or reject them together. Returns false when no row is selected. */
  decideSelected(step: 'approve' | 'reject'): boolean {
    const chosen = this.#chosen;
    if (this.#selected.size === 0) return false;
    const isAllowed = step === 'approve' ? mayApproveTogether(chosen) : mayRejectTogether(chosen);
    if (isAllowed) this.#begin(step);
    else {
      announce(chosen.length === 0 ? hiddenWords(this.#hidden, 0) : whyNotTogether(chosen));
      // The sentence says why. A button would take the next Enter, which a person means for the decision.
      void this.focusAfterUpdate('.hp-selection p');
    }
    return true;
  }

  /** The selected rows, and the reason that is entered for them: {@link restore} takes both. */
  get selection(): { readonly keys: readonly string[]; readonly reason: string } {
    return { keys: [...this.#selected], reason: this.#reason };
  }

  /** Selects rows again that were selected before; moves nothing. */
  restore({ keys, reason }: { readonly keys: readonly string[]; readonly reason: string }): void {
    for (const key of keys) this.#selected.add(key);
    this.#reason = reason;
    this.requestUpdate();
  }

  /** Selects these rows and no others; `step` also lists them to approve or reject them together. `reason`: that of a rejection. */
  select(
    keys: readonly string[],
    { step, reason = '' }: { readonly step?: 'approve' | 'reject'; readonly reason?: string } = {},
  ): void {
    this.#reason = reason;
    this.#selected.clear();
    for (const key of keys) this.#selected.add(key);
    this.#step = undefined;
    this.requestUpdate();
    if (step === undefined || !this.decideSelected(step)) void this.focusAfterUpdate('.hp-selection p');
    const [first] = this.#chosen;
    if (first !== undefined) void this.updateComplete.then(() => this.reveal(first.key));
  }

  /** Scrolls a row into sight; `focus` also focuses it. */
  async reveal(key: string, { focus = false }: { readonly focus?: boolean } = {}): Promise<void> {
    const list = this.querySelector<HTMLElement>('.hp-list');
    const index = this.#rows.findIndex((row) => row.key === key);
    if (list === null || index < 0) return;
    const top = index * this.#rowHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + this.#rowHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top + this.#rowHeight - list.clientHeight;
    this.#look();
    if (focus) await this.focusAfterUpdate(`[data-key="${CSS.escape(key)}"] a`);
  }

  /** Focuses the search. */
  search(): void {
    const input = this.querySelector<HTMLInputElement>('.hp-search input');
    input?.focus();
    input?.select();
  }
}
