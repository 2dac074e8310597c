import type { PropertyDeclarations, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { InboxItem } from '../../src/client/index.ts';
import { approve } from '../../src/client/index.ts';
import type { InboxStore } from '../../src/elements/index.ts';
import {
  announce,
  count,
  errorSentence,
  givenAnswerOf,
  HoldpointElement,
  icon,
} from '../../src/elements/index.ts';
import type { AgentInfo, GrantInfo, HostApi } from '../host.ts';
import { goTo, interruptPath } from '../router.ts';
import { grantList } from './grant-list.ts';
import { pastList } from './past-list.ts';

/** The inbox page: open interrupts, answered ones, and remembered decisions. */
export class InboxPageElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    host: { attribute: false },
    agent: { attribute: false },
    inbox: { attribute: false },
  };

  declare host: HostApi;
  declare agent: AgentInfo;
  declare inbox: InboxStore;

  #view: 'open' | 'past' | 'grants' = 'open';
  #past: readonly InboxItem[] = [];
  #grants: readonly GrantInfo[] = [];
  #said: string | undefined;
  #leave: () => void = () => undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leave = this.inbox.subscribe(() => {
      this.requestUpdate();
      if (this.#view === 'past') void this.#show('past');
    });
    void this.inbox.refresh();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  protected override render(): TemplateResult {
    const { items, hasMore, updatedAt, isStale } = this.inbox.getSnapshot();
    const tab = (view: 'open' | 'past' | 'grants', label: string) =>
      html`<button
        type="button"
        class="hp-button ${this.#view === view ? 'hp-chosen' : 'hp-quiet'}"
        aria-pressed=${this.#view === view ? 'true' : 'false'}
        @click=${() => void this.#show(view)}
      >
        ${label}
      </button>`;
    return html`<div class="page">
      <h1>Inbox</h1>
      <div class="page-tabs" role="group" aria-label="Show">
        ${tab('open', 'Open')} ${tab('past', 'Answered')} ${tab('grants', 'Always allowed')}
      </div>
      ${this.#said === undefined ? nothing : html`<p class="hp-notice" role="status">${icon('check')}${this.#said}</p>`}
      ${
        this.#view === 'open'
          ? html`<holdpoint-inbox
              .items=${items}
              .updatedAt=${updatedAt}
              .stale=${isStale}
              .more=${hasMore}
              .clock=${this.host.now}
              @holdpoint-more=${() => void this.inbox.more()}
              @holdpoint-open=${(event: CustomEvent<{ item: InboxItem; action?: string }>) =>
                this.#open(event)}
              @holdpoint-approve-all=${(event: CustomEvent<{ items: readonly InboxItem[] }>) =>
                void this.#approveAll(event.detail.items)}
            ></holdpoint-inbox>`
          : this.#view === 'past'
            ? pastList(this.#past, this.host.now())
            : grantList(this.#grants, (id) => void this.#revoke(id))
      }
    </div>`;
  }

  async #show(view: 'open' | 'past' | 'grants'): Promise<void> {
    this.#view = view;
    this.requestUpdate();
    const { inbox } = this.host.client(this.agent.id);
    if (view === 'past') {
      const page = await inbox
        .list({ status: 'answered,claimed,resolved,cancelled', limit: 100 })
        .catch(() => ({ interrupts: this.#past }));
      this.#past = page.interrupts.toSorted((one, other) => answeredAt(other) - answeredAt(one));
    }
    if (view === 'grants') this.#grants = await this.host.grants().catch(() => this.#grants);
    this.requestUpdate();
  }

  #open(event: CustomEvent<{ item: InboxItem; action?: string }>): void {
    const { item, action } = event.detail;
    // A link opens by itself; a key also names an action.
    if (action === undefined) return;
    sessionStorage.setItem('holdpoint:press', action);
    goTo(interruptPath(item.threadId, item.interrupt.id));
  }

  async #approveAll(items: readonly InboxItem[]): Promise<void> {
    const { inbox } = this.host.client(this.agent.id);
    let done = 0;
    let trouble: unknown;
    for (const item of items) {
      try {
        await inbox.answer(item.threadId, approve(item));
        done += 1;
      } catch (error) {
        trouble = error;
      }
    }
    const rest =
      trouble === undefined
        ? ''
        : ` ${count(items.length - done, 'other')} not approved: ${errorSentence(trouble)}`;
    this.#said = `${count(done, 'request')} approved.${rest}`;
    announce(this.#said);
    await this.inbox.refresh();
    this.requestUpdate();
  }

  async #revoke(id: string): Promise<void> {
    await this.host.revoke(id).catch(() => undefined);
    await this.#show('grants');
  }
}

function answeredAt(item: InboxItem): number {
  return givenAnswerOf(item)?.at ?? 0;
}
