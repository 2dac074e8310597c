import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Text } from '../../src/elements/index.ts';
import {
  announce,
  errorSentence,
  HoldpointElement,
  icon,
  itemKey,
  translate,
} from '../../src/elements/index.ts';
import type { AgentInfo, GrantInfo, HostApi } from '../host.ts';
import { QueryChanges } from '../query-changes.ts';
import { goTo } from '../router.ts';
import { auditColumns, auditEntry } from './audit-entry.ts';
import type { AuditQuery } from './audit-query.ts';
import { readAuditQuery, STATUSES, writeAuditQuery } from './audit-query.ts';
import { DecisionList, isUnreached, RETRY_MS } from './decision-list.ts';
import type { Revocation } from './grant-list.ts';
import { grantList } from './grant-list.ts';

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
  readonly #list = new DecisionList({ inbox: () => this.#inbox, onChange: () => this.requestUpdate() });
  #tab: 'decisions' | 'grants' = 'decisions';
  /** What a person wrote into the filters. The address has the names that it stands for. */
  readonly #written = new Map<string, string>();
  /** The remembered decisions; undefined before they are loaded. */
  #grants: readonly GrantInfo[] | undefined;
  /** The error of the remembered decisions. */
  #grantTrouble: unknown;
  /** The grants that the viewer revokes, by their ids. */
  readonly #revocations = new Map<string, Revocation>();
  /** Loads the remembered decisions again while the server cannot be reached. */
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #changes = new QueryChanges<AuditQuery>((changes) =>
    goTo(`/audit${writeAuditQuery({ ...this.#query, ...changes })}`, 'replace'),
  );
  #observer: IntersectionObserver | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.#tab === 'decisions') this.#list.follow();
    this.#observer = new IntersectionObserver((entries) => {
      const isAtEnd = entries.some(({ isIntersecting }) => isIntersecting);
      if (isAtEnd && this.#list.trouble === undefined) void this.#list.more();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#changes.drop();
    this.#list.leave();
    clearTimeout(this.#retry);
    this.#observer?.disconnect();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('search')) return;
    this.#query = readAuditQuery(this.search);
    void this.#load(changed.get('search') !== undefined);
  }

  async #load(isChanged: boolean): Promise<void> {
    await this.#list.load(this.#query);
    if (isChanged && this.#list.state === 'shown') announce(this.#foundWords());
  }

  #foundWords(): string {
    const { items, hasMore } = this.#list;
    return items.length === 0
      ? translate(noMatch(this.#query))
      : `${translate(hasMore ? '{0} and more found' : '{0} found', items.length)}.`;
  }

  protected override updated(): void {
    this.#observer?.disconnect();
    const end = this.querySelector('.audit-end');
    if (end !== null) this.#observer?.observe(end);
  }

  get #inbox() {
    return this.host.client(this.agent.id).inbox;
  }

  protected override render(): TemplateResult {
    const isGrants = this.#tab === 'grants';
    const trouble = isGrants ? this.#grantTrouble : this.#list.trouble;
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
        trouble === undefined
          ? nothing
          : html`<p class="hp-notice hp-bad" role="alert">
              ${icon('alert')}<span
                >${isUnreached(trouble) ? translate('The server cannot be reached. Trying again …') : errorSentence(trouble)}</span
              >
              <button
                type="button"
                class="hp-button hp-small"
                @click=${() => void (isGrants ? this.#showGrants() : this.#list.load())}
              >
                ${translate('Try again')}
              </button>
            </p>`
      }
      ${isGrants ? this.#renderGrants() : this.#renderDecisions()}
    </div>`;
  }

  #renderGrants(): TemplateResult | typeof nothing {
    if (this.#grants !== undefined) {
      return grantList(this.#grants, {
        revocations: this.#revocations,
        revoke: (id) => void this.#revoke(id),
        now: this.host.now(),
      });
    }
    return this.#grantTrouble === undefined
      ? html`<div class="hp-empty"><p>${translate('Loading …')}</p></div>`
      : nothing;
  }

  #renderDecisions(): TemplateResult {
    return html`<p class="hp-muted">${translate('This page shows the decisions that you may see.')}</p>
      ${this.#renderTools()}
      ${
        this.#list.items.length === 0
          ? html`<div class="hp-empty">
              ${
                this.#list.state === 'loading'
                  ? html`<p>${translate('Loading …')}</p>`
                  : this.#list.state === 'failed'
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
                aria-busy=${this.#list.state === 'loading' ? 'true' : 'false'}
              >
                ${repeat(this.#list.items, itemKey, (item) =>
                  auditEntry(item, {
                    now: this.host.now(),
                    opened: this.#list.opened.get(itemKey(item)),
                    open: () => void this.#list.open(item),
                  }),
                )}
              </ul>`
      }
      ${
        !this.#list.hasMore
          ? nothing
          : html`<p class="audit-end">
              <button type="button" class="hp-button" @click=${() => void this.#list.more()}>
                ${translate('Show more')}
              </button>
            </p>`
      }`;
  }

  #renderTools(): TemplateResult {
    const { text, status, agent, tool, answeredBy } = this.#query;
    const input = (name: 'tool' | 'answeredBy' | 'agent', label: string, value: string) => {
      const written = this.#written.get(name) ?? '';
      return html`<label class="hp-tool">
        <span class="hp-hidden">${label}</span>
        <input
          class="hp-input"
          type="search"
          placeholder=${label}
          maxlength="200"
          list="audit-${name}"
          .value=${this.#list.nameOf(name, written) === value ? written : value}
          @input=${(event: Event) => {
            this.#written.set(name, valueOf(event));
            this.#changes.add({ [name]: this.#list.nameOf(name, valueOf(event)) }, 'typed');
          }}
        />
        <datalist id="audit-${name}">
          ${[...this.#list.names[name]].toSorted(([one], [other]) => one.localeCompare(other)).map(([one, words]) => html`<option value=${one} label=${words}></option>`)}
        </datalist>
      </label>`;
    };
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

  async #save(form: 'json' | 'csv'): Promise<void> {
    const saved = await this.#list.save(form);
    if (saved !== undefined) announce(translate('{0} decision saved.|{0} decisions saved.', saved));
  }

  #showDecisions(): void {
    this.#tab = 'decisions';
    this.#grants = undefined;
    clearTimeout(this.#retry);
    this.#list.follow();
    void this.#list.load();
    this.requestUpdate();
  }

  async #showGrants(): Promise<void> {
    this.#tab = 'grants';
    this.#list.leave();
    clearTimeout(this.#retry);
    this.requestUpdate();
    // A list that is loaded from now on leaves out what is revoked.
    for (const [id, { state }] of this.#revocations) if (state !== 'sending') this.#revocations.delete(id);
    try {
      const grants = await this.host.grants();
      if (this.#tab === 'grants') this.#grants = grants;
      this.#grantTrouble = undefined;
    } catch (error) {
      this.#grantTrouble = error;
      const isShown = this.isConnected && this.#tab === 'grants';
      if (isShown && isUnreached(error)) this.#retry = setTimeout(() => void this.#showGrants(), RETRY_MS);
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

function valueOf(event: Event): string {
  return (event.target as HTMLInputElement | HTMLSelectElement).value;
}
