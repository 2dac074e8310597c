import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html } from 'lit';
import { newId } from '../../src/core/index.ts';
import { hasUnsent } from '../../src/elements/conversation/unsent-messages.ts';
import type { Conversation, InboxStore, SentDetail } from '../../src/elements/index.ts';
import { createConversation, HoldpointElement, icon, translate, uploadTo } from '../../src/elements/index.ts';
import type { AgentInfo, HostApi, ThreadInfo } from '../host.ts';
import { roleHeaders } from '../role.ts';
import { chatPath, goTo, withAgent } from '../router.ts';
import { chatHead } from './chat-head.ts';
import type { ThreadListElement } from './thread-list.ts';
import { titleOf } from './thread-list.ts';

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
  /** True for a conversation whose address was opened: it should exist. */
  #isAddressed = false;
  #threads: readonly ThreadInfo[] = [];
  #leaves: (() => void)[] = [];
  #isListShown = false;
  #isRenaming = false;
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
    // A first message that did not reach the host is shown again.
    this.#isAddressed = this.threadId !== undefined && !hasUnsent(this.threadId);
    let wasRunning = false;
    conversation.subscribe(() => {
      if (this.#conversation !== conversation) return;
      const isRunning = conversation.getSnapshot().status === 'running';
      // The first run of a thread puts it on the list.
      if (wasRunning && !isRunning) this.#refreshThreads();
      wasRunning = isRunning;
      this.requestUpdate();
    });
    this.#isListShown = false;
    this.#isRenaming = false;
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

  /** Focuses the message input of a new conversation. On a touch screen, the keyboard would hide what to try. */
  #begin(): void {
    if (!matchMedia('(pointer: fine)').matches) return;
    // The address changes after the click.
    setTimeout(() => void this.focusAfterUpdate('holdpoint-composer textarea'));
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
    const { messages, cards, status, isReady, isUnknown } = conversation.getSnapshot();
    const hasNothing = messages.length === 0 && cards.length === 0 && status !== 'running';
    // A conversation has an address from its first message on.
    const isMissing = this.#isAddressed && (isUnknown || (isReady && hasNothing));
    // A conversation with an address that is not read yet may have messages.
    const isEmpty = isMissing || (hasNothing && (!this.#isAddressed || isReady));
    return html`<div class="chat" ?data-list=${this.#isListShown}>
      <aside
        class="chat-side"
        id="threads"
        @click=${(event: Event) => {
          if (event.target instanceof Element && event.target.closest('.threads-new') !== null) this.#begin();
        }}
      >
        <holdpoint-thread-list
          .host=${this.host}
          .inbox=${this.inbox}
          .current=${conversation.threadId}
          @threads-loaded=${(event: CustomEvent<readonly ThreadInfo[]>) => void this.#onThreads(event.detail)}
        ></holdpoint-thread-list>
      </aside>
      <section
        class="chat-main"
        tabindex="-1"
        aria-label=${translate('Conversation with {0}', this.agent.name)}
      >
        ${chatHead({
          agent: this.agent,
          agents: this.agents,
          title: isEmpty ? undefined : this.#title,
          isMissing,
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
        ${isMissing ? missing() : this.#renderChat(conversation)}
      </section>
    </div>`;
  }

  #renderChat(conversation: Conversation): TemplateResult {
    return html`<holdpoint-chat
      .conversation=${conversation}
      .threadId=${this.threadId}
      .agent=${this.agent.name}
      .suggestions=${this.agent.suggestions}
      .welcome=${welcome(this.agent)}
      .items=${this.inbox.getSnapshot().items}
      .clock=${this.host.now}
      .upload=${(threadId: string) => uploadTo(threadId, { headers: roleHeaders() })}
      @holdpoint-sent=${(event: CustomEvent<SentDetail>) => this.#onSent(event.detail)}
    ></holdpoint-chat>`;
  }

  /** A new conversation gets its address with its first message. */
  #onSent({ threadId, text }: SentDetail): void {
    if (this.threadId !== undefined) return;
    this.#firstText = text.slice(0, 80);
    this.threadId = threadId;
    goTo(chatPath(threadId), 'replace');
  }

  async #rename(conversation: Conversation, title: string | undefined): Promise<void> {
    if (title !== undefined && title !== '')
      await this.host.renameThread(conversation.threadId, title).catch(() => undefined);
    this.#isRenaming = false;
    this.requestUpdate();
    this.#refreshThreads();
    // On a narrow screen the button is in a closed menu.
    await this.updateComplete;
    const isShown = this.querySelector('#rename')?.checkVisibility() === true;
    await this.focusAfterUpdate(isShown ? '#rename' : '.chat-menu-button');
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

/** Stands in place of a conversation that the host does not show to the viewer. */
function missing(): TemplateResult {
  return html`<div class="hp-empty" role="alert">
    ${icon('alert')}
    <p>${translate('This conversation does not exist, or you may not see it.')}</p>
    <a class="hp-button hp-small" href=${withAgent('/')}>${translate('New conversation')}</a>
  </div>`;
}

/** The text of a conversation without messages. */
function welcome(agent: AgentInfo): TemplateResult {
  return html`<div class="chat-welcome">
    <h2>${agent.name}</h2>
    <p>${agent.description ?? translate('Write a message to start.')}</p>
    <ol class="chat-steps">
      <li>${translate('Choose a sentence below, or write your own.')}</li>
      <li>
        ${translate('Where a call needs an approval, the agent stops and asks; other calls run at once. You decide here or in the inbox.')}
      </li>
      <li>
        ${translate('Close the page, or stop the server: the request is still there when you come back.')}
      </li>
    </ol>
  </div>`;
}
