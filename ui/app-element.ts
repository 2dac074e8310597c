import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { InboxItem } from '../src/client/index.ts';
import type { InboxStore } from '../src/elements/index.ts';
import {
  createInboxStore,
  HoldpointElement,
  icon,
  readInboxQuery,
  translate,
  translateParts,
  writeInboxQuery,
} from '../src/elements/index.ts';
import { isOver } from '../src/elements/inbox/inbox-store.ts';
import { helpDialog, isHelpKey } from './help-dialog.ts';
import type { AgentInfo, HostApi } from './host.ts';
import { createHostApi, SignedOutError } from './host.ts';
import { chooseRole, chosenRole } from './role.ts';
import type { Route } from './router.ts';
import { DecisionNotices } from './inbox/decision-notices.ts';
import { notifyOf } from './inbox/notifications.ts';
import { followLink, routeOf, withAgent } from './router.ts';
import type { Theme } from './theme.ts';
import { applyTheme, nextTheme, storedTheme } from './theme.ts';

const THEMES = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' } as const;
const TITLES = { chat: 'Chat', inbox: 'Inbox', audit: 'Audit', unknown: 'Not found' } as const;

/** Milliseconds until the host is asked again after a failure. */
const RETRY_MS = 2000;
/** The same for a viewer who is not signed in: each try counts as a failed login. */
const SIGNED_OUT_RETRY_MS = 15_000;

/** The frame of the app: navigation, number of open interrupts, and the page. */
export class AppElement extends HoldpointElement {
  readonly #host: HostApi = createHostApi();
  #route: Route = routeOf(location.pathname);
  /** The query of the address. */
  #search = location.search;
  /** The search, the filters and the order of the inbox when it was last left: its link leads back to them. */
  #inboxSearch = '';
  #agents: readonly { readonly id: string; readonly name?: string }[] = [];
  #agent: AgentInfo | undefined;
  #inbox: InboxStore | undefined;
  #notices: DecisionNotices | undefined;
  #theme: Theme = storedTheme();
  #isUnreachable = false;
  #isStarting = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** Set while the host does not know the viewer. */
  #signedOut: SignedOutError | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('popstate', () => this.#onRoute());
    // The viewer may have signed in on another tab.
    addEventListener('focus', () => {
      if (this.#signedOut !== undefined) void this.#start();
    });
    document.addEventListener('click', followLink);
    document.addEventListener('keydown', (event) => {
      if (isHelpKey(event)) this.#showHelp();
    });
    this.#setTitle();
    void this.#start();
  }

  async #start(): Promise<void> {
    if (this.#isStarting) return;
    this.#isStarting = true;
    clearTimeout(this.#retry);
    try {
      this.#agents = await this.#host.agents();
      const wanted = new URLSearchParams(location.search).get('agent') ?? this.#agents[0]?.id;
      if (wanted === undefined)
        throw new Error(translate('The host has no agents. Register one and reload the page.'));
      this.#agent = await this.#host.agent(wanted);
      this.#isUnreachable = false;
      this.#signedOut = undefined;
    } catch (error) {
      this.#signedOut = error instanceof SignedOutError ? error : undefined;
      // A page that is loaded says itself that it cannot reach the server, and tries again.
      this.#isUnreachable = this.#signedOut === undefined && this.#agent === undefined;
      const delayMs = this.#signedOut === undefined ? RETRY_MS : SIGNED_OUT_RETRY_MS;
      if (this.#isUnreachable || this.#signedOut !== undefined)
        this.#retry = setTimeout(() => void this.#start(), delayMs);
    } finally {
      this.#isStarting = false;
    }
    if (this.#agent !== undefined && this.#inbox === undefined) {
      const client = this.#host.client(this.#agent.id);
      this.#notices = new DecisionNotices(client.inbox);
      this.#inbox = createInboxStore(client, this.#host.now);
      this.#inbox.subscribe(() => {
        this.#setTitle();
        notifyOf(this.#answerable());
        // The session may be over.
        if (this.#inbox?.getSnapshot().isStale === true) void this.#start();
        this.requestUpdate();
      });
    }
    this.requestUpdate();
  }

  #onRoute(): void {
    const before = this.#route;
    if (before.page === 'inbox') this.#inboxSearch = writeInboxQuery(readInboxQuery(this.#search));
    this.#search = location.search;
    this.#route = routeOf(location.pathname);
    this.requestUpdate();
    if (before.page !== this.#route.page) void this.focusAfterUpdate('#main');
    this.#setTitle();
  }

  #setTitle(): void {
    const waiting = this.#waiting();
    document.title = `${waiting === '' ? '' : `(${waiting}) `}${translate(TITLES[this.#route.page])} · Holdpoint`;
  }

  /** The number of open interrupts that the viewer may answer, such as "3" or "50+"; empty without one. */
  #waiting(): string {
    const own = this.#answerable().length;
    return own === 0 ? '' : `${own}${this.#inbox?.getSnapshot().hasMore === true ? '+' : ''}`;
  }

  /** The loaded interrupts that the viewer may answer, without the expired ones. */
  #answerable(): readonly InboxItem[] {
    const { items = [] } = this.#inbox?.getSnapshot() ?? {};
    const now = this.#host.now();
    return items.filter((item) => item.mayAnswer !== false && !isOver(item, now));
  }

  #showHelp(): void {
    this.querySelector<HTMLDialogElement>('#help')?.showModal();
  }

  protected override render(): TemplateResult {
    const waiting = this.#waiting();
    const { page } = this.#route;
    const current = (one: Route['page']) => (page === one ? 'page' : nothing);
    return html`
      <a class="app-skip" href="#main" @click=${(event: Event) => this.#skip(event)}
        >${translate('Skip to content')}</a
      >
      <header class="app-head">
        <a class="app-name" href=${withAgent('/')}
          ><span class="app-mark" aria-hidden="true"></span>Holdpoint</a
        >
        <nav aria-label=${translate('Main')}>
          <a href=${withAgent('/')} aria-current=${current('chat')}>${icon('chat')}${translate('Chat')}</a>
          <a
            href=${withAgent(page === 'inbox' ? '/inbox' : `/inbox${this.#inboxSearch}`)}
            aria-current=${current('inbox')}
          >
            ${icon('inbox')}${translate('Inbox')}
            ${
              waiting === ''
                ? nothing
                : html`<span class="app-count"
                    >${waiting}<span class="hp-hidden"> ${translate('open')}</span></span
                  >`
            }
          </a>
          <a href=${withAgent('/audit')} aria-current=${current('audit')}
            >${icon('list')}${translate('Audit')}</a
          >
        </nav>
        <div class="app-tools">
          ${this.#renderRoles()}
          <button
            type="button"
            class="hp-button hp-quiet hp-square"
            title=${translate(THEMES[this.#theme])}
            aria-label=${translate(THEMES[this.#theme])}
            @click=${() => this.#switchTheme()}
          >
            ${icon('contrast')}
          </button>
          <button
            type="button"
            class="hp-button hp-quiet hp-square app-keys"
            title=${translate('Keys (?)')}
            aria-label=${translate('Keys')}
            @click=${() => this.#showHelp()}
          >
            ${icon('help')}
          </button>
        </div>
      </header>
      ${
        this.#isUnreachable ||
        (this.#signedOut === undefined && page === 'chat' && this.#inbox?.getSnapshot().isStale === true)
          ? html`<p class="app-trouble" role="alert">
              ${icon('alert')}${translate('The server cannot be reached. Trying again …')}
            </p>`
          : nothing
      }
      <main id="main" tabindex="-1">${this.#renderPage()}</main>
      ${helpDialog()}
    `;
  }

  /** The people to play in the demo. Without a choice, the viewer is the first of them. */
  #renderRoles(): TemplateResult | typeof nothing {
    const roles = this.#agent?.roles ?? [];
    if (roles.length === 0) return nothing;
    const chosen = chosenRole();
    return html`<label class="app-role">
      <span class="app-role-name">${translate('You are')}</span>
      <select
        class="hp-input"
        aria-label=${translate('You are')}
        @change=${(event: Event) => {
          const { value } = event.target as HTMLSelectElement;
          // The first person is the one of a viewer without a choice, whose drafts have no name.
          chooseRole(value === roles[0]?.id ? '' : value);
        }}
      >
        ${roles.map(({ id, label }) => html`<option value=${id} ?selected=${id === chosen}>${label}</option>`)}
      </select>
    </label>`;
  }

  #skip(event: Event): void {
    event.preventDefault();
    // In the chat, the list of conversations may be long.
    this.querySelector<HTMLElement>('.chat-main, #main:not(:has(.chat-main))')?.focus();
  }

  #switchTheme(): void {
    this.#theme = nextTheme(this.#theme);
    applyTheme(this.#theme);
    this.requestUpdate();
  }

  #renderPage(): TemplateResult {
    const route = this.#route;
    const agent = this.#agent;
    const inbox = this.#inbox;
    if (this.#signedOut !== undefined) return signInPage(this.#signedOut.signIn);
    if (agent === undefined || inbox === undefined)
      return html`<p class="hp-empty">${translate('Loading …')}</p>`;
    switch (route.page) {
      case 'chat':
        return html`<holdpoint-chat-page
          .host=${this.#host}
          .agent=${agent}
          .agents=${this.#agents}
          .inbox=${inbox}
          .threadId=${route.threadId}
        ></holdpoint-chat-page>`;
      case 'inbox':
        return html`<holdpoint-inbox-page
          .host=${this.#host}
          .agent=${agent}
          .inbox=${inbox}
          .notices=${this.#notices}
          .request=${route.request}
          .search=${location.search}
        ></holdpoint-inbox-page>`;
      case 'audit':
        return html`<holdpoint-audit-page
          .host=${this.#host}
          .agent=${agent}
          .search=${location.search}
        ></holdpoint-audit-page>`;
      case 'unknown':
        return html`<div class="page">
          <h1>${translate('There is no page at this address')}</h1>
          <p>
            ${translateParts(
              '{0} or {1}.',
              html`<a href=${withAgent('/inbox')}>${translate('Open the inbox')}</a>`,
              html`<a href=${withAgent('/')}>${translate('start a chat')}</a>`,
            )}
          </p>
        </div>`;
      default:
        return route satisfies never;
    }
  }
}

/** The page of a viewer whom the host does not know. `address`: where they sign in. */
function signInPage(address: string | undefined): TemplateResult {
  return html`<div class="page">
    <h1>${translate('You are not signed in')}</h1>
    <p role="status">
      ${
        address === undefined
          ? translate('Sign in to your application, then come back to this page.')
          : translate('Sign in to see your conversations and requests.')
      }
    </p>
    ${
      address === undefined
        ? nothing
        : html`<p><a class="hp-button hp-primary" href=${address}>${translate('Sign in')}</a></p>`
    }
  </div>`;
}
