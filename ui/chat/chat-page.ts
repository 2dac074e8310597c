import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { newId } from '../../src/core/index.ts';
import type { Conversation, InboxStore } from '../../src/elements/index.ts';
import { announce, count, createConversation, HoldpointElement } from '../../src/elements/index.ts';
import type { AgentInfo, HostApi, ThreadInfo } from '../host.ts';
import { chatPath, goTo } from '../router.ts';
import { chatCards } from './chat-cards.ts';
import { chatHead } from './chat-head.ts';
import { regenerateButton, suggestionButtons, troubleNotice, welcome } from './chat-parts.ts';
import { focusNext, scrollToNews } from './focus-next.ts';
import { suggestionsIn } from './read-messages.ts';
import { threadList } from './thread-list.ts';
import { rememberTitle } from './thread-titles.ts';

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
  #answered: string | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leaves = [
      this.inbox.subscribe(() => {
        this.requestUpdate();
        void this.#conversation?.seen(this.inbox.getSnapshot().items);
      }),
    ];
    void this.#loadThreads();
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
    this.#conversation = conversation;
    conversation.open();
  }

  async #loadThreads(): Promise<void> {
    this.#threads = await this.host.threads().catch(() => this.#threads);
    const owner = this.#threads.find(({ threadId }) => threadId === this.threadId)?.agent;
    // An existing conversation continues with its own agent, whichever agent is chosen.
    if (owner !== undefined && owner !== this.agent.id && this.agents.some(({ id }) => id === owner))
      this.agent = await this.host.agent(owner).catch(() => this.agent);
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const conversation = this.#conversation;
    if (conversation === undefined) return html``;
    const { messages, interrupts, status, cards, isReady } = conversation.getSnapshot();
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
    const open = cards.filter(({ status: one }) => one.state === 'open' || one.state === 'failed').length;
    return html`<div class="chat" ?data-list=${this.#isListShown}>
      <aside class="chat-side" id="threads">
        ${threadList({
          threads: this.#threads,
          current: conversation.threadId,
          waiting: this.#waiting(),
          now: this.host.now(),
        })}
      </aside>
      <section class="chat-main" aria-label="Conversation with ${this.agent.name}">
        ${chatHead({
          agent: this.agent,
          agents: this.agents,
          isListShown: this.#isListShown,
          hasStarted: !isEmpty,
          toggleList: () => {
            this.#isListShown = !this.#isListShown;
            this.requestUpdate();
          },
          remove: () => this.#remove(conversation),
        })}
        <div class="chat-scroll" tabindex="0" role="region" aria-label="Messages and requests">
          <div class="chat-column">
            ${isEmpty ? (isLoading ? html`<p class="hp-empty">Loading …</p>` : welcome(this.agent)) : nothing}
            <holdpoint-messages
              .messages=${messages}
              .interrupts=${interrupts}
              .running=${isRunning}
              .agent=${this.agent.name}
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
                  })
            }
            ${troubleNotice(conversation)}
            ${canRegenerate ? regenerateButton(() => void conversation.regenerate()) : nothing}
            ${suggestionButtons(suggestions, (text) => void this.#say(text))}
          </div>
        </div>
        <div class="chat-foot">
          <holdpoint-composer
            .running=${isRunning}
            .waiting=${open}
            .draftKey=${this.threadId ?? 'new'}
            @composer-send=${(event: CustomEvent<string>) => void this.#say(event.detail)}
            @composer-stop=${() => void this.#stop(conversation)}
            @composer-answer=${() => focusNext(this)}
          ></holdpoint-composer>
        </div>
      </section>
    </div>`;
  }

  protected override updated(): void {
    const conversation = this.#conversation;
    if (conversation === undefined) return;
    const { interrupts, cards } = conversation.getSnapshot();
    const scroll = this.querySelector<HTMLElement>('.chat-scroll');
    const isNew = interrupts.length > this.#waitingBefore;
    if (isNew) announce(`${count(interrupts.length, 'request')} to answer.`);
    this.#waitingBefore = interrupts.length;
    // A reader who scrolled up stays there.
    const isAtEnd = scroll !== null && scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 240;
    if (isNew || (isAtEnd && interrupts.length === 0)) requestAnimationFrame(() => scrollToNews(this, isNew));
    const answered = cards.find(({ interrupt }) => interrupt.id === this.#answered);
    if (this.#answered !== undefined && answered?.status.state !== 'sending') {
      this.#answered = undefined;
      if (answered?.status.state !== 'failed') focusNext(this);
    }
  }

  #waiting(): ReadonlyMap<string, number> {
    const waiting = new Map<string, number>();
    for (const { threadId } of this.inbox.getSnapshot().items)
      waiting.set(threadId, (waiting.get(threadId) ?? 0) + 1);
    return waiting;
  }

  async #say(text: string): Promise<void> {
    const conversation = this.#conversation;
    if (conversation === undefined) return;
    const isFirst = this.threadId === undefined;
    if (isFirst) {
      rememberTitle(conversation.threadId, text);
      this.threadId = conversation.threadId;
      goTo(chatPath(conversation.threadId), 'replace');
    }
    await conversation.say(text);
    await this.#loadThreads();
  }

  async #stop(conversation: Conversation): Promise<void> {
    const { runId, isBusy } = conversation.getSnapshot();
    if (isBusy) await conversation.stop();
    else if (runId !== undefined)
      await this.host.cancelRun(conversation.threadId, runId).catch(() => undefined);
  }

  async #remove(conversation: Conversation): Promise<void> {
    await this.host.removeThread(conversation.threadId).catch(() => undefined);
    goTo('/');
    await this.#loadThreads();
  }
}
