import type { PropertyDeclarations, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { InboxItem } from '../../src/client/index.ts';
import type { InboxStore } from '../../src/elements/index.ts';
import { ago, HoldpointElement, icon, moment, translate, visibleText } from '../../src/elements/index.ts';
import { isOver } from '../../src/elements/inbox/inbox-store.ts';
import type { HostApi, ThreadInfo } from '../host.ts';
import { chatPath, withAgent } from '../router.ts';

/** Milliseconds after the last key before the list is searched. */
const SEARCH_DELAY_MS = 200;

/**
 * The conversations of this host, the newest first, with the number of open interrupts in each: those for the viewer, and those
 * that wait for other people. Loads more when its end is scrolled into view. Emits `threads-loaded` with the loaded conversations.
 */
export class ThreadListElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    host: { attribute: false },
    inbox: { attribute: false },
    current: {},
  };

  declare host: HostApi;
  declare inbox: InboxStore;
  /** Id of the shown conversation. */
  declare current: string;

  #threads: readonly ThreadInfo[] = [];
  #next: string | undefined;
  #text = '';
  #state: 'loading' | 'ready' | 'failed' = 'loading';
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leave = () => {};
  #endWatch: IntersectionObserver | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leave = this.inbox.subscribe(() => {
      // The server can be reached again.
      if (this.#state === 'failed' && !this.inbox.getSnapshot().isStale) void this.refresh();
      this.requestUpdate();
    });
    void this.refresh();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
    this.#endWatch?.disconnect();
    clearTimeout(this.#timer);
  }

  /** Loads the first page again. */
  async refresh(): Promise<void> {
    await this.#load(undefined);
  }

  async #load(cursor: string | undefined): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const { threads, next } = await this.host.threads({ text: this.#text, cursor });
      // A newer request is on its way.
      if (turn !== this.#turn) return;
      this.#threads = cursor === undefined ? threads : [...this.#threads, ...threads];
      this.#next = next;
      this.#state = 'ready';
      this.emit('threads-loaded', this.#threads);
    } catch {
      if (turn === this.#turn) this.#state = 'failed';
    }
    this.requestUpdate();
  }

  protected override updated(): void {
    this.#endWatch?.disconnect();
    const end = this.querySelector('.threads-more');
    if (end === null) return;
    this.#endWatch = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) void this.#load(this.#next);
    });
    this.#endWatch.observe(end);
  }

  #search(event: Event): void {
    this.#text = (event.target as HTMLInputElement).value.trim();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), SEARCH_DELAY_MS);
  }

  protected override render(): TemplateResult {
    const now = this.host.now();
    const open = this.inbox.getSnapshot().items.filter((item) => !isOver(item, now));
    const own = countByThread(open.filter(({ mayAnswer }) => mayAnswer !== false));
    const others = countByThread(open.filter(({ mayAnswer }) => mayAnswer === false));
    return html`<nav class="threads" aria-label=${translate('Conversations')}>
      <a class="hp-button threads-new" href=${withAgent('/')}
        >${icon('plus')}${translate('New conversation')}</a
      >
      <label class="threads-search">
        ${icon('search')}<span class="hp-hidden">${translate('Search conversations')}</span>
        <input
          type="search"
          placeholder=${translate('Search')}
          @input=${(event: Event) => this.#search(event)}
        />
      </label>
      ${this.#renderState()}
      <ul>
        ${repeat(
          this.#threads,
          ({ threadId }) => threadId,
          (thread) => {
            const { threadId } = thread;
            return this.#renderThread(thread, {
              now,
              own: own.get(threadId) ?? 0,
              others: others.get(threadId) ?? 0,
            });
          },
        )}
      </ul>
      ${
        this.#next === undefined
          ? nothing
          : html`<button
              type="button"
              class="hp-button hp-quiet hp-small threads-more"
              @click=${() => void this.#load(this.#next)}
            >
              ${translate('Older conversations')}
            </button>`
      }
    </nav>`;
  }

  #renderState(): TemplateResult | typeof nothing {
    if (this.#state === 'failed') {
      return html`<p class="threads-note">
        ${translate('The list could not be loaded.')}
        <button type="button" class="hp-button hp-small" @click=${() => void this.refresh()}>
          ${translate('Try again')}
        </button>
      </p>`;
    }
    if (this.#threads.length > 0) return nothing;
    if (this.#state === 'loading') return html`<p class="threads-note">${translate('Loading …')}</p>`;
    return html`<p class="threads-note">
      ${this.#text === '' ? translate('Conversations appear here.') : translate('No conversation has “{0}” in its name.', this.#text)}
    </p>`;
  }

  /** `own` and `others`: the number of open requests for the viewer, and for other people. */
  #renderThread(
    thread: ThreadInfo,
    { own, others, now }: { readonly own: number; readonly others: number; readonly now: number },
  ): TemplateResult {
    const status =
      thread.status === 'failed'
        ? `${translate('failed')} · `
        : thread.status === 'active'
          ? `${translate('at work')} · `
          : '';
    const waits = others > 0 ? `${translate('{0} waits for others|{0} wait for others', others)} · ` : '';
    return html`<li>
      <a
        href=${withAgent(chatPath(thread.threadId))}
        aria-current=${thread.threadId === this.current ? 'page' : nothing}
      >
        <span class="threads-title" dir="auto">${titleOf(thread)}</span>
        ${
          own > 0
            ? html`<span class="app-count"
                ><span aria-hidden="true">${own}</span
                ><span class="hp-hidden">${translate('{0} open request|{0} open requests', own)}</span></span
              >`
            : nothing
        }
        <span class="threads-age"
          >${status}${waits}${translate('started {0}', ago(Date.parse(thread.createdAt), now))}</span
        >
      </a>
    </li>`;
  }
}

function countByThread(items: readonly InboxItem[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { threadId } of items) counts.set(threadId, (counts.get(threadId) ?? 0) + 1);
  return counts;
}

/** The title of a conversation: the one it was given, its first message, or its time. */
export function titleOf({ title, createdAt }: ThreadInfo): string {
  if (title !== undefined && title.trim() !== '') return visibleText(title);
  return translate('Conversation of {0}', moment(Date.parse(createdAt)));
}
