import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Client, InboxItem } from '../../client/index.ts';
import { createClient } from '../../client/index.ts';
import { defined, newId } from '../../core/index.ts';
import type { DialectName } from '../../protocol/index.ts';
import { isExpired } from '../../protocol/index.ts';
import { announce } from '../base/announce.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { translate } from '../base/strings.ts';
import type { Upload } from '../form/field-control.ts';
import { uploadTo } from '../form/upload-file.ts';
import { rowTitle } from '../inbox/inbox-item.ts';
import { cardFacts } from '../interrupt/card-facts.ts';
import { answeredWords, answerWordsAbout } from '../interrupt/decision.ts';
import { HoldpointInterruptElement } from '../interrupt/interrupt-element.ts';
import { isQuestion } from '../interrupt/verdict-body.ts';
import { chatCards } from './chat-cards.ts';
import { regenerateButton, suggestionButtons, troubleNotice } from './chat-parts.ts';
import { HoldpointComposerElement } from './composer-element.ts';
import type { Card, Conversation } from './conversation.ts';
import { createConversation } from './create-conversation.ts';
import { focusNew, focusNext, scrollToNews } from './focus-next.ts';
import { callsMade, suggestionsIn } from './read-messages.ts';
import type { InterruptEntry } from './records.ts';
import { isAboutToRun } from './tool-call-state.ts';
import { keepUnsent, takeUnsent } from './unsent-messages.ts';
import { browserStorage } from '../base/viewer-storage.ts';

/**
 * `<holdpoint-chat>`: one conversation: its messages, the cards of its interrupts, and the message input. Set `url` or
 * `client`, and `threadId`; without a `threadId` it starts a new thread. It follows the thread while it is on the page. Give
 * it a height. Emits `holdpoint-sent` when a person sends a message, with the id of the thread.
 */
export class HoldpointChatElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    url: {},
    dialect: {},
    threadId: { attribute: 'thread-id' },
    agent: {},
    client: { attribute: false },
    conversation: { attribute: false },
    suggestions: { attribute: false },
    welcome: { attribute: false },
    items: { attribute: false },
    clock: { attribute: false },
    upload: { attribute: false },
  };

  /** URL of the agent on its host, `…/agents/<name>`, or of another AG-UI server. */
  declare url: string | undefined;
  /** The dialect of the inputs, for a server that is no Holdpoint host: `1.0`, `draft`, `snake` or `command`. Default `1.0`. */
  declare dialect: DialectName | undefined;
  declare threadId: string | undefined;
  /** Name of the agent, as shown to people. */
  declare agent: string | undefined;
  /** A client of your own, instead of `url`. */
  declare client: Client | undefined;
  /** A conversation of your own, instead of `client` and `threadId`; you open and close it. */
  declare conversation: Conversation | undefined;
  /** Messages to start with; shown as buttons. */
  declare suggestions: readonly string[];
  /** Shown while the conversation is empty. */
  declare welcome: unknown;
  /** Inbox items of the thread, if the page has them: they say when an interrupt was raised. */
  declare items: readonly InboxItem[];
  /** The server's time in milliseconds. */
  declare clock: () => number;
  /** Uploads files to a thread. Default: without headers, to the host of `url` or of the page. */
  declare upload: ((threadId: string) => Upload) | undefined;

  #shown: Conversation | undefined;
  #own: Conversation | undefined;
  #ownClient: Client | undefined;
  #leave: () => void = () => undefined;
  /** The ids of the open interrupts at the last update. */
  #waitingBefore: ReadonlySet<string> = new Set();
  /** Number of answers that waited for the other ones at the last update. */
  #stagedBefore = 0;
  #isStopping = false;
  /** True while "Answer again" waits for a second press. */
  #isAsking = false;
  #answered: string | undefined;
  /** The message input, when it got the focus after an answer without another open request. */
  #idleInput: HTMLTextAreaElement | undefined;
  /** The interrupts whose answer from elsewhere was announced; true for a card that stays. */
  readonly #told = new Map<string, boolean>();
  /** When the interrupts were raised; until that is known, when they were first shown: adding the time later would move the buttons. */
  readonly #raisedAt = new Map<string, number>();

  constructor() {
    super();
    this.suggestions = [];
    this.items = [];
    this.clock = () => Date.now();
    this.addEventListener('holdpoint-expired', () => this.requestUpdate());
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#enter();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = (['conversation', 'client', 'url', 'dialect', 'threadId'] as const).some((name) =>
      changed.has(name),
    );
    if (!isOther && this.#shown !== undefined) return;
    const next = this.conversation ?? this.#ownConversation(changed);
    if (next === this.#shown) return;
    this.#leave();
    this.#shown = next;
    this.#waitingBefore = new Set();
    this.#isStopping = false;
    this.#isAsking = false;
    this.#enter();
  }

  #enter(): void {
    const shown = this.#shown;
    if (shown === undefined || !this.isConnected) return;
    const unsubscribe = shown.subscribe(() => this.requestUpdate());
    const isOwn = shown === this.#own;
    if (isOwn) shown.open();
    this.#leave = () => {
      unsubscribe();
      if (isOwn) shown.close();
      this.#leave = () => undefined;
    };
  }

  #ownConversation(changed: PropertyValues<this>): Conversation | undefined {
    const { url, threadId, dialect } = this;
    const own = this.#own;
    const isSame = !changed.has('client') && !changed.has('url') && !changed.has('dialect');
    if (isSame && own !== undefined && (threadId ?? own.threadId) === own.threadId) return own;
    if (!isSame || this.#ownClient === undefined)
      this.#ownClient =
        this.client ??
        (url === undefined
          ? undefined
          : createClient({ url, ...defined({ dialect, storage: browserStorage() }) }));
    this.#own =
      this.#ownClient === undefined
        ? undefined
        : createConversation(this.#ownClient, threadId ?? newId(), {
            isNew: threadId === undefined,
          });
    return this.#own;
  }

  protected override render(): TemplateResult {
    const conversation = this.#shown;
    if (conversation === undefined) return html``;
    const { messages, interrupts, status, cards, records, isReady, isUnknown, isBusy, ...thread } =
      conversation.getSnapshot();
    const isLoading = this.threadId !== undefined && !isReady && !isUnknown;
    const isRunning = status === 'running' && isReady;
    const isWaiting = interrupts.length > 0 || isAboutToRun(records);
    const canRegenerate = !isRunning && !isWaiting && isReady && messages.at(-1)?.role === 'assistant';
    const isEmpty = messages.length === 0 && cards.length === 0 && !isRunning;
    const suggestions = isLoading
      ? []
      : isEmpty
        ? this.suggestions
        : isRunning || isWaiting
          ? []
          : suggestionsIn(messages, this.suggestions);
    const now = this.clock();
    const expired = interrupts.filter((interrupt) => isExpired(interrupt, now));
    const open = cards.filter(({ status: one }) => one.state === 'open' || one.state === 'failed');
    return html`<div
        class="hp-chat-scroll"
        tabindex="0"
        role="region"
        aria-label=${translate('Messages and requests')}
      >
        <div class="hp-chat-column">
          ${isEmpty ? (isLoading ? html`<p class="hp-empty">${translate('Loading …')}</p>` : this.welcome) : nothing}
          <holdpoint-messages
            .messages=${messages}
            .interrupts=${interrupts}
            .expired=${expired}
            .records=${isReady ? records : NO_RECORDS}
            .running=${isRunning}
            .agent=${this.agent}
            .clock=${this.clock}
          ></holdpoint-messages>
          ${cards.length === 0 ? nothing : this.#renderCards(conversation)}
          ${troubleNotice(conversation, () => void this.#goOn(conversation))}
          ${canRegenerate ? this.#renderAgain(conversation) : nothing}
          ${suggestionButtons(suggestions, (text) => this.#suggest(text))}
        </div>
      </div>
      <div class="hp-chat-foot">
        <holdpoint-composer
          .running=${isRunning}
          .stopping=${this.#isStopping}
          .loading=${thread.isLoading || isBusy}
          .waiting=${open.length}
          .questions=${open.filter(({ interrupt }) => !expired.includes(interrupt) && isQuestion(interrupt)).length}
          .expired=${expired.length}
          .waitingFor=${waitsForOthers(open, records)}
          .given=${cards.length === 0 ? NONE_GIVEN : cards.flatMap(givenWords)}
          .draftKey=${this.threadId ?? 'new'}
          @holdpoint-send=${(event: CustomEvent<{ text: string }>) => void this.#say(event.detail.text)}
          @holdpoint-stop=${() => void this.#stop(conversation)}
          @holdpoint-answer-first=${() => focusNext(this)}
        ></holdpoint-composer>
      </div>`;
  }

  #renderCards(conversation: Conversation): TemplateResult {
    return chatCards(conversation, {
      agentName: this.agent,
      clock: this.clock,
      raisedAt: (id) => {
        const item = this.items.find(({ interrupt }) => interrupt.id === id);
        const raised = typeof item?.['raisedAt'] === 'string' ? Date.parse(item['raisedAt']) : undefined;
        // An answered interrupt leaves the items, and its card may stay.
        const time = raised ?? this.#raisedAt.get(id) ?? this.clock();
        this.#raisedAt.set(id, time);
        return time;
      },
      drafts: browserStorage(),
      upload: this.upload?.(conversation.threadId) ?? uploadTo(conversation.threadId, { agentUrl: this.url }),
      onAnswer: (id) => {
        this.#answered = id;
      },
      onClose: () => void this.updateComplete.then(() => focusNext(this)),
    });
  }

  #renderAgain(conversation: Conversation): TemplateResult {
    const { messages, records } = conversation.getSnapshot();
    return regenerateButton({
      made: callsMade(messages, records),
      isAsking: this.#isAsking,
      ask: (isAsking) => {
        this.#isAsking = isAsking;
        this.requestUpdate();
        void this.focusAfterUpdate(`[data-action="${isAsking ? 'again-no' : 'again'}"]`);
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
    const conversation = this.#shown;
    if (conversation === undefined) return;
    const { interrupts, cards, status, isBusy } = conversation.getSnapshot();
    if (status !== 'running') this.#isStopping = false;
    const scroll = this.querySelector<HTMLElement>('.hp-chat-scroll');
    const isNew = interrupts.some(({ id }) => !this.#waitingBefore.has(id));
    // Who has to answer is known a moment later.
    if (isNew) announce(`${translate('{0} open request|{0} open requests', interrupts.length)}.`);
    // The number was said and is not true any more.
    else if (interrupts.length < this.#waitingBefore.size) announce('');
    this.#waitingBefore = new Set(interrupts.map(({ id }) => id));
    // A reader who scrolled up stays there.
    const isAtEnd = scroll !== null && scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 240;
    if (isNew || (isAtEnd && interrupts.length === 0)) requestAnimationFrame(() => scrollToNews(this, isNew));
    this.#announceAnswered(conversation);
    this.#dismissUnused(conversation);
    this.#restoreUnsent(conversation);
    const answered = cards.find(({ interrupt }) => interrupt.id === this.#answered);
    if (this.#answered !== undefined && answered?.status.state !== 'sending') {
      this.#answered = undefined;
      if (answered?.status.state !== 'failed') this.#idleInput = focusNext(this);
    }
    const input = this.#idleInput;
    if (!isBusy && status !== 'running' && interrupts.length === 0) this.#idleInput = undefined;
    // The agent goes on with another question: the input has the focus because there was none.
    if (isNew && input !== undefined) requestAnimationFrame(() => focusNew(this, input));
  }

  /** Announces that an answer waits for the other ones of its turn. */
  #announceAnswered(conversation: Conversation): void {
    const { cards, interrupts } = conversation.getSnapshot();
    const { length } = cards.filter(({ status }) => status.state === 'staged');
    if (length > this.#stagedBefore && this.#answered !== undefined)
      announce(`${translate('{0} of {1} answered', length, interrupts.length)}.`);
    this.#stagedBefore = length;
  }

  /** Announces an answer from elsewhere. Keeps the card if the person is working in it; otherwise only its record stays. */
  #dismissUnused(conversation: Conversation): void {
    const { cards, interrupts } = conversation.getSnapshot();
    // Other requests of the turn still wait, so the answered cards stay beside them.
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
        announce(`${answeredWords(status.answered, this.clock())}.`);
      }
      if (this.#told.get(interrupt.id) !== true) conversation.dismiss(interrupt.id);
    }
  }

  /** Sends a suggestion. One that cannot be sent yet waits in the message input. */
  #suggest(text: string): void {
    const composer = this.querySelector('holdpoint-composer');
    const isQueued = composer instanceof HoldpointComposerElement && composer.queue(text);
    if (!isQueued) void this.#say(text);
  }

  async #say(text: string): Promise<void> {
    const conversation = this.#shown;
    if (conversation === undefined) return;
    this.#isAsking = false;
    this.#idleInput = undefined;
    this.emit('holdpoint-sent', { threadId: conversation.threadId, text });
    await conversation.say(text);
    keepUnsent(conversation);
  }

  /** Shows the messages in the input that did not reach the host before the page was loaded again. */
  #restoreUnsent(conversation: Conversation): void {
    const composer = this.querySelector('holdpoint-composer');
    if (!(composer instanceof HoldpointComposerElement) || !composer.hasUpdated) return;
    const text = takeUnsent(conversation);
    if (text !== '') composer.restore(text);
  }

  async #goOn(conversation: Conversation): Promise<void> {
    await conversation.goOn();
    keepUnsent(conversation);
  }

  async #stop(conversation: Conversation): Promise<void> {
    this.#isStopping = true;
    this.requestUpdate();
    await conversation.stop();
  }
}

/** Before the messages are there, a record would not find its call and would stand alone. */
const NO_RECORDS: readonly InterruptEntry[] = [];

/** The people who have to answer these cards; undefined if the viewer may answer one of them. */
function waitsForOthers(open: readonly Card[], records: readonly InterruptEntry[]): string | undefined {
  const names = open.map(
    ({ interrupt }) => records.find((record) => record.interrupt.id === interrupt.id)?.waitingFor,
  );
  return names.includes(undefined) ? undefined : [...new Set(names)].join(', ');
}

const NONE_GIVEN: readonly string[] = [];

/** "Approved: Send $5", for an answer that waits for the other ones of its turn. */
function givenWords({ interrupt, status }: Card): readonly string[] {
  if (status.state !== 'staged') return [];
  const facts = cardFacts(interrupt);
  return [answerWordsAbout(rowTitle(facts), status.entry, facts)];
}
