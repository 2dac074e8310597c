import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { InboxItem } from '../../src/client/index.ts';
import { HoldpointError } from '../../src/core/index.ts';
import type { Text } from '../../src/elements/index.ts';
import {
  announce,
  cardFacts,
  errorSentence,
  givenAnswerOf,
  HoldpointElement,
  icon,
  itemKey,
  translate,
} from '../../src/elements/index.ts';
import { ANONYMOUS } from '../../src/elements/interrupt/decision.ts';
import type { AgentInfo, GrantInfo, HostApi } from '../host.ts';
import { QueryChanges } from '../query-changes.ts';
import { goTo } from '../router.ts';
import { auditColumns, auditEntry } from './audit-entry.ts';
import { saveDecisions } from './audit-export.ts';
import { isUnsettled } from '../inbox/request-context.ts';
import type { AuditQuery, LoadedDecisions } from './audit-query.ts';
import {
  listDecisions,
  listDecisionsAgain,
  readAuditQuery,
  STATUSES,
  writeAuditQuery,
} from './audit-query.ts';
import type { Revocation } from './grant-list.ts';
import { grantList } from './grant-list.ts';

const PAGE = 50;
/** Milliseconds before a page whose server could not be reached asks again. */
const RETRY_MS = 2000;
/** Milliseconds before the list is read again. */
const REFRESH_MS = 10_000;
/** Milliseconds before the list is read again after a row has come that is not over; doubles up to {@link REFRESH_MS}. */
const SOON_MS = 1000;

/** The audit page: every decision that the viewer may see with its proposal, changes and result; and the remembered decisions. */
export class AuditPageElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    host: { attribute: false },
    agent: { attribute: false },
    search: { attribute: false },
  };

  declare host: HostApi;
  declare agent: AgentInfo;
  /** The query of the address. */
  declare search: string;

  #query: AuditQuery = readAuditQuery('');
  #items: readonly InboxItem[] = [];
  #next: string | undefined;
  /** The sum of the limits with which the items were loaded. */
  #wanted = PAGE;
  #isLoadingMore = false;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;
  #refreshMs = REFRESH_MS;
  /** The rows that are not over, by their keys and states. */
  #running = '';
  /** The error of the last refresh; the next one that works takes it away. */
  #refreshTrouble: unknown;
  #state: 'loading' | 'shown' | 'failed' = 'loading';
  #trouble: unknown;
  /** Decisions that were opened, with their result, by key. */
  readonly #opened = new Map<string, InboxItem>();
  #grants: readonly GrantInfo[] | undefined;
  /** The grants that the viewer revokes, by their ids. */
  readonly #revocations = new Map<string, Revocation>();
  #turn = 0;
  readonly #changes = new QueryChanges<AuditQuery>((changes) =>
    goTo(`/audit${writeAuditQuery({ ...this.#query, ...changes })}`, 'replace'),
  );
  /** The names in the decisions that were loaded, to choose a filter from. */
  readonly #names = { tool: new Set<string>(), answeredBy: new Set<string>(), agent: new Set<string>() };
  /** Repeats what failed while the server could not be reached. */
  #retry: ReturnType<typeof setTimeout> | undefined;
  #observer: IntersectionObserver | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#scheduleRefresh();
    this.#observer = new IntersectionObserver((entries) => {
      const isAtEnd = entries.some(({ isIntersecting }) => isIntersecting);
      if (isAtEnd && this.#trouble === undefined) void this.#more();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#changes.drop();
    document.removeEventListener('visibilitychange', this.#onVisible);
    clearTimeout(this.#refreshTimer);
    clearTimeout(this.#retry);
    this.#observer?.disconnect();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('search')) return;
    this.#query = readAuditQuery(this.search);
    void this.#load();
  }

  protected override updated(): void {
    this.#observer?.disconnect();
    const end = this.querySelector('.audit-end');
    if (end !== null) this.#observer?.observe(end);
  }

  get #inbox() {
    return this.host.client(this.agent.id).inbox;
  }

  async #load(): Promise<void> {
    clearTimeout(this.#retry);
    this.#turn += 1;
    this.#isLoadingMore = false;
    const turn = this.#turn;
    this.#state = 'loading';
    try {
      const page = await listDecisions(this.#inbox, this.#query, { limit: PAGE });
      if (turn !== this.#turn) return;
      this.#show({ ...page, wanted: PAGE });
      this.#state = 'shown';
      this.#trouble = undefined;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#state = 'failed';
      this.#fail(error, () => this.#load());
    }
    this.requestUpdate();
  }

  #show({ interrupts, next, wanted }: LoadedDecisions): void {
    this.#items = interrupts;
    this.#next = next;
    this.#wanted = wanted;
    this.#addNames(interrupts);
    const running = interrupts
      .filter(isUnsettled)
      .map((item) => `${itemKey(item)} ${String(item['status'])}`);
    const before = this.#running;
    this.#running = running.join();
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
    if (this.isConnected) this.#refreshTimer = setTimeout(() => void this.#refresh(), ms);
  }

  /** Reads the shown decisions again, in place. A load that the reader has started goes first. */
  async #refresh(): Promise<void> {
    clearTimeout(this.#refreshTimer);
    // The page reads again when it becomes visible.
    if (document.visibilityState === 'hidden') return;
    if (this.#state !== 'shown' || this.#isLoadingMore || this.#grants !== undefined) {
      this.#scheduleRefresh();
      return;
    }
    const [turn, items, next, wanted] = [this.#turn, this.#items, this.#next, this.#wanted];
    const isCurrent = () =>
      turn === this.#turn && items === this.#items && next === this.#next && this.#grants === undefined;
    const startedAt = performance.now();
    try {
      const again = await listDecisionsAgain(this.#inbox, this.#query, { shown: items, wanted, step: PAGE });
      if (!isCurrent()) return;
      this.#show(again);
      this.#openAgain(items);
      // A filter that reads thousands of decisions is at work a tenth of the time.
      this.#scheduleRefresh(Math.max(this.#refreshMs, 10 * (performance.now() - startedAt)));
      if (this.#trouble === this.#refreshTrouble) this.#trouble = undefined;
      this.#refreshTrouble = undefined;
    } catch (error) {
      if (!isCurrent()) return;
      this.#refreshTrouble = error;
      this.#trouble = error;
      this.#scheduleRefresh(isUnreached(error) ? RETRY_MS : REFRESH_MS);
    } finally {
      // What was loaded meanwhile is read again later.
      if (!isCurrent()) this.#scheduleRefresh();
    }
    this.requestUpdate();
  }

  /** Reads the opened decisions again that have changed. */
  #openAgain(before: readonly InboxItem[]): void {
    const known = new Map(before.map((item) => [itemKey(item), JSON.stringify(item)]));
    for (const item of this.#items) {
      const key = itemKey(item);
      if (this.#opened.has(key) && known.get(key) !== JSON.stringify(item)) void this.#open(item);
    }
  }

  /** Shows an error. Tries again by itself if the server could not be reached. */
  #fail(error: unknown, again: () => Promise<void>): void {
    this.#trouble = error;
    clearTimeout(this.#retry);
    if (isUnreached(error) && this.isConnected) this.#retry = setTimeout(() => void again(), RETRY_MS);
  }

  async #more(): Promise<void> {
    const cursor = this.#next;
    if (cursor === undefined) return;
    const turn = this.#turn;
    this.#next = undefined;
    this.#isLoadingMore = true;
    try {
      const page = await listDecisions(this.#inbox, this.#query, { limit: PAGE, cursor });
      if (turn !== this.#turn) return;
      const interrupts = [...this.#items, ...page.interrupts];
      this.#show({ ...page, interrupts, wanted: this.#wanted + PAGE });
      this.#trouble = undefined;
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#next = cursor;
      this.#fail(error, () => this.#more());
    } finally {
      if (turn === this.#turn) this.#isLoadingMore = false;
    }
    this.requestUpdate();
  }

  #addNames(items: readonly InboxItem[]): void {
    for (const item of items) {
      const { by } = givenAnswerOf(item) ?? {};
      const { toolName } = cardFacts(item.interrupt);
      if (toolName !== undefined) this.#names.tool.add(toolName);
      if (by !== undefined && by !== ANONYMOUS) this.#names.answeredBy.add(by);
      if (typeof item['agent'] === 'string') this.#names.agent.add(item['agent']);
    }
  }

  protected override render(): TemplateResult {
    const isGrants = this.#grants !== undefined;
    return html`<div class="page audit">
      <div class="audit-head">
        <h1>${translate('Audit')}</h1>
        ${
          isGrants
            ? nothing
            : html`<button type="button" class="hp-button hp-small" @click=${() => void this.#save('csv')}>
                  ${icon('file')}${translate('Save as CSV')}
                </button>
                <button type="button" class="hp-button hp-small" @click=${() => void this.#save('json')}>
                  ${icon('file')}${translate('Save as JSON')}
                </button>`
        }
      </div>
      <div class="page-tabs" role="group" aria-label=${translate('Show')}>
        <button
          type="button"
          class="hp-button hp-small ${isGrants ? 'hp-quiet' : 'hp-chosen'}"
          aria-pressed=${isGrants ? 'false' : 'true'}
          @click=${() => this.#showDecisions()}
        >
          ${translate('Decisions')}
        </button>
        <button
          type="button"
          class="hp-button hp-small ${isGrants ? 'hp-chosen' : 'hp-quiet'}"
          aria-pressed=${isGrants ? 'true' : 'false'}
          @click=${() => void this.#showGrants()}
        >
          ${translate('Always allowed')}
        </button>
      </div>
      ${
        this.#trouble === undefined
          ? nothing
          : html`<p class="hp-notice hp-bad" role="alert">
              ${icon('alert')}<span
                >${isUnreached(this.#trouble) ? translate('The server cannot be reached. Trying again …') : errorSentence(this.#trouble)}</span
              >
              <button
                type="button"
                class="hp-button hp-small"
                @click=${() => void (isGrants ? this.#showGrants() : this.#load())}
              >
                ${translate('Try again')}
              </button>
            </p>`
      }
      ${
        this.#grants === undefined
          ? this.#renderDecisions()
          : this.#grants.length === 0 && this.#trouble !== undefined
            ? nothing
            : grantList(this.#grants, {
                revocations: this.#revocations,
                revoke: (id) => void this.#revoke(id),
                now: this.host.now(),
              })
      }
    </div>`;
  }

  #renderDecisions(): TemplateResult {
    return html`<p class="hp-muted">${translate('This page shows the decisions that you may see.')}</p>
      ${this.#renderTools()}
      ${
        this.#items.length === 0
          ? html`<div class="hp-empty">
              ${
                this.#state === 'loading'
                  ? html`<p>${translate('Loading …')}</p>`
                  : this.#state === 'failed'
                    ? nothing
                    : html`${icon(writeAuditQuery(this.#query) === '' ? 'check' : 'search')}
                        <p>${translate(noMatch(this.#query))}</p>
                        ${
                          this.#query.text === ''
                            ? nothing
                            : html`<p>
                                ${translate('The search looks at titles, messages, short arguments, tools, the people who asked, and at what people changed, answered and gave as a reason. It does not look at results.')}
                              </p>`
                        }`
              }
            </div>`
          : html`${auditColumns()}
              <ul
                class="audit-list"
                aria-label=${translate('Decisions')}
                aria-busy=${this.#state === 'loading' ? 'true' : 'false'}
              >
                ${repeat(this.#items, itemKey, (item) =>
                  auditEntry(item, {
                    now: this.host.now(),
                    opened: this.#opened.get(itemKey(item)),
                    open: () => void this.#open(item),
                  }),
                )}
              </ul>`
      }
      ${
        this.#next === undefined
          ? nothing
          : html`<p class="audit-end">
              <button type="button" class="hp-button" @click=${() => void this.#more()}>
                ${translate('Show more')}
              </button>
            </p>`
      }`;
  }

  #renderTools(): TemplateResult {
    const { text, status, agent, tool, answeredBy } = this.#query;
    const input = (name: 'tool' | 'answeredBy' | 'agent', label: string, value: string) =>
      html`<label class="hp-tool">
        <span class="hp-hidden">${label}</span>
        <input
          class="hp-input"
          type="search"
          placeholder=${label}
          maxlength="200"
          list="audit-${name}"
          .value=${value}
          @input=${(event: Event) => this.#changes.add({ [name]: valueOf(event) }, 'typed')}
        />
        <datalist id="audit-${name}">
          ${[...this.#names[name]].toSorted().map((one) => html`<option value=${one}></option>`)}
        </datalist>
      </label>`;
    return html`<div class="hp-tools" role="search" aria-label=${translate('Decisions')}>
      <label class="hp-tool hp-search">
        <span class="hp-hidden">${translate('Search')}</span>
        <input
          class="hp-input"
          type="search"
          placeholder=${translate('Search decisions')}
          maxlength="200"
          .value=${text}
          @input=${(event: Event) => this.#changes.add({ text: valueOf(event) }, 'typed')}
        />
      </label>
      <label class="hp-tool">
        <span class="hp-hidden">${translate('Status')}</span>
        <select
          class="hp-input"
          @change=${(event: Event) => this.#changes.add({ status: valueOf(event) }, 'chosen')}
        >
          ${STATUSES.map(
            ({ value, label }) =>
              html`<option value=${value} ?selected=${value === status}>${translate(label)}</option>`,
          )}
        </select>
      </label>
      ${input('answeredBy', translate('Decided by'), answeredBy)} ${input('tool', translate('Tool'), tool)}
      ${input('agent', translate('Agent'), agent)}
    </div>`;
  }

  async #open(item: InboxItem): Promise<void> {
    const key = itemKey(item);
    const found = await this.#inbox.get(item.threadId, item.interrupt.id).catch(() => undefined);
    if (found !== undefined) this.#opened.set(key, found);
    this.requestUpdate();
  }

  async #save(form: 'json' | 'csv'): Promise<void> {
    try {
      const saved = await saveDecisions(this.#inbox, this.#query, form);
      this.#trouble = undefined;
      announce(translate('{0} decision saved.|{0} decisions saved.', saved));
    } catch (error) {
      this.#fail(error, () => this.#load());
    }
    this.requestUpdate();
  }

  #showDecisions(): void {
    this.#grants = undefined;
    void this.#load();
    this.requestUpdate();
  }

  async #showGrants(): Promise<void> {
    clearTimeout(this.#retry);
    // A list that is loaded from now on leaves out what is revoked.
    for (const [id, { state }] of this.#revocations) if (state !== 'sending') this.#revocations.delete(id);
    try {
      this.#grants = await this.host.grants();
      this.#trouble = undefined;
    } catch (error) {
      this.#grants ??= [];
      this.#fail(error, () => this.#showGrants());
    }
    this.requestUpdate();
  }

  async #revoke(id: string): Promise<void> {
    const { state } = this.#revocations.get(id) ?? {};
    if (state === 'sending' || state === 'done') return;
    const show = (revocation: Revocation) => {
      this.#revocations.set(id, revocation);
      this.requestUpdate();
    };
    show({ state: 'sending' });
    try {
      await this.host.client(this.agent.id).grants.revoke(id);
      show({ state: 'done' });
      announce(translate('The grant is revoked.'));
    } catch (error) {
      show({ state: 'failed', error });
    }
  }
}

/** Why the list is empty. The host compares whole names. */
function noMatch(query: AuditQuery): Text {
  if (writeAuditQuery(query) === '') return 'There is no decision yet that you may see.';
  return `${query.tool}${query.answeredBy}${query.agent}` === ''
    ? 'No decision that you may see matches.'
    : 'No decision that you may see matches. Write the names of tools, people and agents in full.';
}

/** True for an error without an answer of the server. */
function isUnreached(error: unknown): boolean {
  return HoldpointError.is(error, 'RUN_LOST') || error instanceof TypeError;
}

function valueOf(event: Event): string {
  return (event.target as HTMLInputElement | HTMLSelectElement).value;
}
