import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { InboxItem } from '../../client/index.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { icon } from '../base/icon.ts';
import { ago, count } from '../base/words.ts';
import { takesLetters } from '../interrupt/press-by-key.ts';
import type { RowFilter } from './inbox-filter.ts';
import { ALL_ROWS, filterRows } from './inbox-filter.ts';
import type { InboxRow } from './inbox-item.ts';
import { toRow } from './inbox-item.ts';
import { inboxRow } from './inbox-row.ts';
import { inboxSelection } from './inbox-selection.ts';
import { inboxTools } from './inbox-tools.ts';

/**
 * `<holdpoint-inbox>`: the open interrupts of all threads. Events: `holdpoint-open` when an interrupt is opened
 * (its detail may name an action to start with), `holdpoint-approve-all` when several are approved together,
 * `holdpoint-more` when more should be loaded. Keys: `j` and `k` move, Enter opens, `x` selects, `a`, `r` and `e`
 * open and approve, reject, edit.
 */
export class HoldpointInboxElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    items: { attribute: false },
    updatedAt: { attribute: false },
    stale: { type: Boolean },
    more: { type: Boolean },
    clock: { attribute: false },
    hrefOf: { attribute: false },
  };

  declare items: readonly InboxItem[];
  declare updatedAt: number | undefined;
  /** True when the shown list may be outdated. */
  declare stale: boolean;
  /** True when the server has more interrupts than are shown. */
  declare more: boolean;
  declare clock: () => number;
  /** The URL of an interrupt's page. */
  declare hrefOf: (item: InboxItem) => string;

  #filter: RowFilter = ALL_ROWS;
  #current: string | undefined;
  #isListing = false;
  readonly #selected = new Set<string>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.items = [];
    this.stale = false;
    this.more = false;
    this.clock = () => Date.now();
    this.hrefOf = ({ threadId, interrupt }) =>
      `/inbox/${encodeURIComponent(threadId)}/${encodeURIComponent(interrupt.id)}`;
    this.addEventListener('keydown', (event) => this.#onKey(event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => this.requestUpdate(), 10_000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('items')) return;
    const keys = new Set(this.items.map(({ threadId, interrupt }) => `${threadId}/${interrupt.id}`));
    for (const key of this.#selected) if (!keys.has(key)) this.#selected.delete(key);
    if (this.#selected.size === 0) this.#isListing = false;
  }

  get #rows(): readonly InboxRow[] {
    return filterRows(this.items.map(toRow), this.#filter, this.clock());
  }

  protected override render(): TemplateResult {
    const all = this.items.map(toRow);
    const rows = this.#rows;
    const chosen = rows.filter(({ key }) => this.#selected.has(key));
    const now = this.clock();
    return html`
      ${inboxTools({
        rows: all,
        filter: this.#filter,
        set: (filter) => {
          this.#filter = { ...this.#filter, ...filter };
          this.requestUpdate();
        },
      })}
      <p class="hp-updated" ?data-stale=${this.stale}>
        ${
          this.stale
            ? html`${icon('alert')}This may be old: the server cannot be reached.`
            : html`${count(rows.length, 'open request')}${this.more ? ', and more' : nothing}`
        }
        ${this.updatedAt === undefined ? nothing : html`<span>updated ${ago(this.updatedAt, now)}</span>`}
      </p>
      ${chosen.length === 0 ? nothing : inboxSelection(chosen, { isListing: this.#isListing, approve: () => this.#approveAll(chosen), clear: () => this.#clear() })}
      ${
        rows.length === 0
          ? this.#renderEmpty(all.length)
          : html`<ul class="hp-rows" aria-label="Open requests">
              ${repeat(
                rows,
                ({ key }) => key,
                (row) =>
                  inboxRow(row, {
                    now,
                    clock: this.clock,
                    href: this.hrefOf(row.item),
                    isSelected: this.#selected.has(row.key),
                    isCurrent: this.#current === row.key,
                    open: (event) => this.#open(row, undefined, event),
                    select: () => this.#select(row.key),
                    focus: () => {
                      this.#current = row.key;
                    },
                  }),
              )}
            </ul>`
      }
      ${
        this.more
          ? html`<p class="hp-more">
              <button type="button" class="hp-button" @click=${() => this.emit('holdpoint-more', {})}>
                Show more
              </button>
            </p>`
          : nothing
      }
    `;
  }

  #renderEmpty(total: number): TemplateResult {
    if (this.updatedAt === undefined) return html`<p class="hp-empty">Loading …</p>`;
    return html`<div class="hp-empty">
      ${icon('inbox')}
      <p>${total === 0 ? 'No request is waiting for an answer.' : 'No open request matches this filter.'}</p>
    </div>`;
  }

  /** Approves in two presses: the first lists the requests, the second approves them. */
  #approveAll(chosen: readonly InboxRow[]): void {
    if (this.#isListing) {
      this.emit('holdpoint-approve-all', { items: chosen.map(({ item }) => item) });
      this.#clear();
      return;
    }
    this.#isListing = true;
    this.requestUpdate();
  }

  #clear(): void {
    this.#selected.clear();
    this.#isListing = false;
    this.requestUpdate();
  }

  #select(key: string): void {
    if (!this.#selected.delete(key)) this.#selected.add(key);
    this.#isListing = false;
    this.requestUpdate();
  }

  #open(row: InboxRow, action?: string, event?: Event): void {
    const isTaken = !this.emit('holdpoint-open', { item: row.item, action });
    if (isTaken) event?.preventDefault();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || takesLetters(event.target)) {
      const isBox = event.target instanceof HTMLInputElement && event.target.type === 'checkbox';
      if (!isBox || event.ctrlKey || event.metaKey || event.altKey) return;
    }
    const rows = this.#rows;
    const at = rows.findIndex(({ key }) => key === this.#current);
    const row = rows[at];
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
    const action = ACTIONS.get(event.key);
    if (step !== 0) this.#move(rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))]);
    else if (event.key === 'x' && row !== undefined) this.#select(row.key);
    else if (action !== undefined && row !== undefined) this.#open(row, action);
    else return;
    event.preventDefault();
  }

  #move(row: InboxRow | undefined): void {
    if (row === undefined) return;
    this.#current = row.key;
    this.requestUpdate();
    void this.focusAfterUpdate(`[data-key="${CSS.escape(row.key)}"] a`);
  }

  /** Focuses the first row, so that the keys work. */
  start(): void {
    this.#move(this.#rows[0]);
  }
}

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['a', 'approve'],
  ['r', 'reject'],
  ['e', 'edit'],
]);
