import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { newId } from '../../src/core/index.ts';
import type { Card, Conversation, InboxStore, InterruptEntry } from '../../src/elements/index.ts';
import {
  announce,
  answeredWords,
  createConversation,
  HoldpointElement,
  HoldpointInterruptElement,
  translate,
} from '../../src/elements/index.ts';
import type { AgentInfo, HostApi, ThreadInfo } from '../host.ts';
import { chatPath, goTo } from '../router.ts';
import { chatCards } from './chat-cards.ts';
import { chatHead } from './chat-head.ts';
import { regenerateButton, suggestionButtons, troubleNotice, welcome } from './chat-parts.ts';
import { focusNext, scrollToNews } from './focus-next.ts';
import { callsMade, suggestionsIn } from './read-messages.ts';
import { waitingWords } from './composer.ts';
import type { ThreadListElement } from './thread-list.ts';
import { titleOf } from './thread-list.ts';

/** Who has to answer these cards; undefined if the viewer may answer one of them. */
function waitsForOthers(open: readonly Card[], records: readonly InterruptEntry[]): string | undefined {
  const names = open.map(
    ({ interrupt }) => records.find((record) => record.interrupt.id === interrupt.id)?.waitingFor,
  );
  return names.includes(undefined) ? undefined : [...new Set(names)].join(', ');
}

/** The chat page: one conversation with its cards, and the list of conversations. */
export class ChatPageElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    host: { attribute: false },
    agent: { attribute: false },
    agents: { attribute: false },
    inbox: { attribute: false },
    threadId: { attribute: false },
  };

  declare host: HostApi;
  declare agent: AgentInfo;
  declare agents: readonly { readonly id: string; readonly name?: string }[];
  declare inbox: InboxStore;
  /** Undefined for a conversation without messages. */
  declare threadId: string | undefined;

  #conversation: Conversation | undefined;
  #threads: readonly ThreadInfo[] = [];
  #waitingBefore = 0;
  #leaves: (() => void)[] = [];
  #isListShown = false;
  #isRenaming = false;
  #isStopping = false;
  /** True while "Answer again" waits for a second press. */
  #isAsking = false;
  #answered: string | undefined;
  /** The interrupts whose answer from elsewhere was announced; true for a card that stays. */
  readonly #told = new Map<string, boolean>();
  /** The first message of a conversation that the list does not have yet. */
  #firstText = '';

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leaves = [
      this.inbox.subscribe(() => {
        this.requestUpdate();
        void this.#conversation?.seen(this.inbox.getSnapshot().items);
      }),
    ];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#conversation?.close();
    for (const leave of this.#leaves) leave();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther =
      changed.has('threadId') || (changed.has('agent') && changed.get('agent')?.id !== this.agent.id);
    if (!isOther && this.#conversation !== undefined) return;
    // A new conversation gets its URL with its first message.
    if (!changed.has('agent') && this.#conversation?.threadId === this.threadId) return;
    this.#conversation?.close();
    const conversation = createConversation(this.host.client(this.agent.id), this.threadId ?? newId());
    conversation.subscribe(() => {
      if (this.#conversation === conversation) this.requestUpdate();
    });
    this.#waitingBefore = 0;
    this.#isListShown = false;
    this.#isRenaming = false;
    this.#isStopping = false;
    this.#isAsking = false;
    this.#conversation = conversation;
    conversation.open();
  }

  async #onThreads(threads: readonly ThreadInfo[]): Promise<void> {
    this.#threads = threads;
    const owner = threads.find(({ threadId }) => threadId === this.threadId)?.agent;
    // An existing conversation continues with its own agent, whichever agent is chosen.
    if (owner !== undefined && owner !== this.agent.id && this.agents.some(({ id }) => id === owner))
      this.agent = await this.host.agent(owner).catch(() => this.agent);
    this.requestUpdate();
  }

  #refreshThreads(): void {
    void this.querySelector<ThreadListElement>('holdpoint-thread-list')?.refresh();
  }

  get #title(): string | undefined {
    if (this.threadId === undefined) return undefined;
    const thread = this.#threads.find(({ threadId }) => threadId === this.threadId);
    return thread === undefined ? this.#firstText || translate('Conversation') : titleOf(thread);
  }

  protected override render(): TemplateResult {
    const conversation = this.#conversation;
    if (conversation === undefined) return html``;
    const { messages, interrupts, status, cards, records, isReady } = conversation.getSnapshot();
    const isLoading = this.threadId !== undefined && !isReady;
    const isRunning = status === 'running' && isReady;
    const canRegenerate =
      !isRunning && interrupts.length === 0 && isReady && messages.at(-1)?.role === 'assistant';
    const isEmpty = messages.length === 0 && cards.length === 0 && !isRunning;
    const suggestions = isEmpty
      ? this.agent.suggestions
      : isRunning || interrupts.length > 0
        ? []
        : suggestionsIn(messages, this.agent.suggestions);
    const open = cards.filter(({ status: one }) => one.state === 'open' || one.state === 'failed');
    return html`<div class="chat" ?data-list=${this.#isListShown}>
      <aside class="chat-side" id="threads">
        <holdpoint-thread-list
          .host=${this.host}
          .inbox=${this.inbox}
          .current=${conversation.threadId}
          @threads-loaded=${(event: CustomEvent<readonly ThreadInfo[]>) => void this.#onThreads(event.detail)}
        ></holdpoint-thread-list>
      </aside>
      <section class="chat-main" aria-label=${translate('Conversation with {0}', this.agent.name)}>
        ${chatHead({
          agent: this.agent,
          agents: this.agents,
          title: isEmpty ? undefined : this.#title,
          isListShown: this.#isListShown,
          isRenaming: this.#isRenaming,
          startRename: () => {
            this.#isRenaming = true;
            this.requestUpdate();
            void this.focusAfterUpdate('#title');
          },
          rename: (title) => void this.#rename(conversation, title),
          toggleList: () => {
            this.#isListShown = !this.#isListShown;
            this.requestUpdate();
          },
          remove: () => this.#remove(conversation),
          erase: () => this.#erase(conversation),
        })}
        <div class="chat-scroll" tabindex="0" role="region" aria-label=${translate('Messages and requests')}>
          <div class="chat-column">
            ${isEmpty ? (isLoading ? html`<p class="hp-empty">${translate('Loading …')}</p>` : welcome(this.agent)) : nothing}
            <holdpoint-messages
              .messages=${messages}
              .interrupts=${interrupts}
              .records=${records}
              .running=${isRunning}
              .agent=${this.agent.name}
              .clock=${this.host.now}
            ></holdpoint-messages>
            ${
              cards.length === 0
                ? nothing
                : chatCards(conversation, {
                    agentName: this.agent.name,
                    clock: this.host.now,
                    items: this.inbox.getSnapshot().items,
                    onAnswer: (id) => {
                      this.#answered = id;
                    },
                    onClose: () => void this.updateComplete.then(() => focusNext(this)),
                  })
            }
            ${troubleNotice(conversation)} ${canRegenerate ? this.#renderAgain(conversation) : nothing}
            ${suggestionButtons(suggestions, (text) => void this.#say(text))}
          </div>
        </div>
        <div class="chat-foot">
          <holdpoint-composer
            .running=${isRunning}
            .stopping=${this.#isStopping}
            .waiting=${open.length}
            .waitingFor=${waitsForOthers(open, records)}
            .draftKey=${this.threadId ?? 'new'}
            @composer-send=${(event: CustomEvent<string>) => void this.#say(event.detail)}
            @composer-stop=${() => void this.#stop(conversation)}
            @composer-answer=${() => focusNext(this)}
          ></holdpoint-composer>
        </div>
      </section>
    </div>`;
  }

  #renderAgain(conversation: Conversation): TemplateResult {
    const { messages, records } = conversation.getSnapshot();
    return regenerateButton({
      made: callsMade(messages, records),
      isAsking: this.#isAsking,
      ask: (isAsking) => {
        this.#isAsking = isAsking;
        this.requestUpdate();
        void this.focusAfterUpdate(isAsking ? '#again-no' : '#again');
      },
      regenerate: () => {
        this.#isAsking = false;
        this.requestUpdate();
        void this.focusAfterUpdate('holdpoint-composer textarea');
        void conversation.regenerate();
      },
    });
  }

  protected override updated(): void {
    const conversation = this.#conversation;
    if (conversation === undefined) return;
    const { interrupts, cards, status } = conversation.getSnapshot();
    if (status !== 'running') this.#isStopping = false;
    const scroll = this.querySelector<HTMLElement>('.chat-scroll');
    const isNew = interrupts.length > this.#waitingBefore;
    if (isNew) announce(waitingWords(interrupts.length));
    this.#waitingBefore = interrupts.length;
    // A reader who scrolled up stays there.
    const isAtEnd = scroll !== null && scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 240;
    if (isNew || (isAtEnd && interrupts.length === 0)) requestAnimationFrame(() => scrollToNews(this, isNew));
    this.#dismissUnused(conversation);
    const answered = cards.find(({ interrupt }) => interrupt.id === this.#answered);
    if (this.#answered !== undefined && answered?.status.state !== 'sending') {
      this.#answered = undefined;
      if (answered?.status.state !== 'failed') focusNext(this);
    }
  }

  /** An answer from elsewhere is announced. A card that a person is at work in stays; the record of any other is enough. */
  #dismissUnused(conversation: Conversation): void {
    const { cards, interrupts } = conversation.getSnapshot();
    // The other requests of the same turn still wait: what was answered stays beside them.
    if (interrupts.length > 0) return;
    const elements = new Map(
      [...this.querySelectorAll('holdpoint-interrupt')].flatMap((element) =>
        element instanceof HoldpointInterruptElement && element.interrupt !== undefined
          ? [[element.interrupt.id, element] as const]
          : [],
      ),
    );
    for (const { interrupt, status } of cards) {
      if (status.state !== 'answered' || status.answered.status === undefined) continue;
      if (!this.#told.has(interrupt.id)) {
        this.#told.set(interrupt.id, elements.get(interrupt.id)?.isInUse === true);
        announce(`${answeredWords(status.answered, this.host.now())}.`);
      }
      if (this.#told.get(interrupt.id) !== true) conversation.dismiss(interrupt.id);
    }
  }

  async #say(text: string): Promise<void> {
    const conversation = this.#conversation;
    if (conversation === undefined) return;
    const isFirst = this.threadId === undefined;
    if (isFirst) {
      this.#firstText = text.slice(0, 80);
      this.threadId = conversation.threadId;
      goTo(chatPath(conversation.threadId), 'replace');
    }
    this.#isAsking = false;
    await conversation.say(text);
    this.#refreshThreads();
  }

  async #rename(conversation: Conversation, title: string | undefined): Promise<void> {
    if (title !== undefined && title !== '')
      await this.host.renameThread(conversation.threadId, title).catch(() => undefined);
    this.#isRenaming = false;
    this.requestUpdate();
    this.#refreshThreads();
    await this.focusAfterUpdate('#rename');
  }

  async #stop(conversation: Conversation): Promise<void> {
    const { runId, isBusy } = conversation.getSnapshot();
    this.#isStopping = true;
    this.requestUpdate();
    if (isBusy) await conversation.stop();
    else if (runId !== undefined)
      await this.host.cancelRun(conversation.threadId, runId).catch(() => undefined);
  }

  async #erase(conversation: Conversation): Promise<void> {
    await this.host.eraseThread(conversation.threadId).catch(() => undefined);
    goTo('/');
    this.#refreshThreads();
  }

  async #remove(conversation: Conversation): Promise<void> {
    await this.host.removeThread(conversation.threadId).catch(() => undefined);
    goTo('/');
    this.#refreshThreads();
  }
}
