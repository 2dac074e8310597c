import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { InboxItem, ResumeEntry } from '../../src/client/index.ts';
import { HoldpointError } from '../../src/client/index.ts';
import type { CardStatus, HoldpointInterruptElement, InboxStore } from '../../src/elements/index.ts';
import { announce, errorSentence, givenAnswerOf, HoldpointElement, icon } from '../../src/elements/index.ts';
import type { AgentInfo, HostApi } from '../host.ts';
import { chatPath, goTo, interruptPath, withAgent } from '../router.ts';
import { uploadTo } from '../upload-file.ts';

type History = readonly Record<string, unknown>[];

/** The page of one interrupt: its card and its history. */
export class InterruptPageElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    host: { attribute: false },
    agent: { attribute: false },
    inbox: { attribute: false },
    threadId: { attribute: false },
    interruptId: { attribute: false },
  };

  declare host: HostApi;
  declare agent: AgentInfo;
  declare inbox: InboxStore;
  declare threadId: string;
  declare interruptId: string;

  #item: InboxItem | undefined;
  #history: History = [];
  #status: CardStatus = { state: 'open' };
  #trouble: unknown;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leave: () => void = () => undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leave = this.inbox.subscribe(() => void this.#load());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
    clearTimeout(this.#timer);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('threadId') && !changed.has('interruptId')) return;
    this.#item = undefined;
    this.#history = [];
    this.#status = { state: 'open' };
    void this.#load().then(() => this.#pressWanted());
  }

  get #requests() {
    return this.host.client(this.agent.id).inbox;
  }

  async #load(): Promise<void> {
    const { threadId, interruptId } = this;
    try {
      const [item, history] = await Promise.all([
        this.#requests.get(threadId, interruptId),
        this.#requests.history(threadId, interruptId),
      ]);
      if (threadId !== this.threadId || interruptId !== this.interruptId) return;
      this.#item = item;
      this.#history = history;
      this.#trouble = undefined;
      const answered = givenAnswerOf(item);
      const isOver = item['status'] !== 'pending' && item['status'] !== 'expired';
      if (isOver && this.#status.state !== 'lost')
        this.#status = { state: 'answered', answered: answered ?? {} };
    } catch (error) {
      this.#trouble = error;
    }
    this.requestUpdate();
    this.#lookAgain();
  }

  /** Loads the interrupt again: the inbox list does not report when an answer was carried out. */
  #lookAgain(): void {
    clearTimeout(this.#timer);
    const status = this.#item?.['status'];
    if (this.isConnected && (status === 'answered' || status === 'claimed'))
      this.#timer = setTimeout(() => void this.#load(), 1000);
  }

  /** Presses the button that a key in the list asked for. */
  async #pressWanted(): Promise<void> {
    const action = sessionStorage.getItem('holdpoint:press');
    sessionStorage.removeItem('holdpoint:press');
    await this.updateComplete;
    const card = this.querySelector<HoldpointInterruptElement>('holdpoint-interrupt');
    await card?.updateComplete;
    if (action === null) card?.querySelector<HTMLElement>('.hp-card')?.focus();
    else card?.press(action);
  }

  protected override render(): TemplateResult {
    const item = this.#item;
    return html`<div class="page">
      <p class="page-back">
        <a href=${withAgent('/inbox')}>${icon('back')}Inbox</a>
        <a href=${withAgent(chatPath(this.threadId))}>${icon('chat')}Conversation</a>
      </p>
      ${
        this.#trouble === undefined
          ? nothing
          : html`<p class="hp-notice hp-bad" role="alert">${icon('alert')}${errorSentence(this.#trouble)}</p>`
      }
      ${
        item === undefined
          ? html`<h1 class="hp-hidden">Request</h1>`
          : html`<holdpoint-interrupt
                .interrupt=${item.interrupt}
                .status=${this.#status}
                .agent=${text(item['agent'])}
                .askedBy=${item['askedBy'] === 'anonymous' ? undefined : text(item['askedBy'])}
                .raisedAt=${Date.parse(text(item['raisedAt']) ?? '') || undefined}
                .clock=${this.host.now}
                .drafts=${localStorage}
                .draftKey=${`${item.threadId}:${item.interrupt.id}`}
                .upload=${uploadTo(item.threadId)}
                .level=${1}
                @holdpoint-answer=${(event: CustomEvent<{ entry: ResumeEntry }>) =>
                  void this.#answer(event.detail.entry)}
                @holdpoint-retry=${() => this.#retry()}
                @holdpoint-ask-again=${() => void this.#askAgain()}
              ></holdpoint-interrupt>
              ${this.#renderNext()}
              <section class="page-history" aria-labelledby="history-title">
                <h2 id="history-title">History</h2>
                <holdpoint-history .entries=${this.#history} .name=${item.interrupt.id}></holdpoint-history>
              </section>`
      }
    </div>`;
  }

  #renderNext(): TemplateResult | typeof nothing {
    if (this.#status.state !== 'answered' && this.#status.state !== 'lost') return nothing;
    const next = this.inbox.getSnapshot().items.find(({ interrupt }) => interrupt.id !== this.interruptId);
    return html`<p class="page-next">
      ${
        next === undefined
          ? html`<a class="hp-button" href=${withAgent('/inbox')}
              >No other request is waiting: back to the inbox</a
            >`
          : html`<a
              class="hp-button hp-primary"
              href=${withAgent(interruptPath(next.threadId, next.interrupt.id))}
            >
              Next request
            </a>`
      }
    </p>`;
  }

  async #answer(entry: ResumeEntry): Promise<void> {
    this.#status = { state: 'sending', entry };
    this.requestUpdate();
    try {
      const { state } = await this.#requests.answer(this.threadId, entry);
      announce(
        state === 'staged'
          ? 'Stored until the other requests are answered.'
          : 'Answered. The agent continues.',
      );
      this.#status = { state: 'answered', answered: entry };
      await Promise.all([this.#load(), this.inbox.refresh()]);
      void this.focusAfterUpdate('.page-next a');
    } catch (failure) {
      const error = HoldpointError.is(failure)
        ? failure
        : new HoldpointError('INTERNAL', 'The request failed.');
      const details = error.details?.['details'] ?? error.details;
      const answered =
        typeof details === 'object' && details !== null ? givenAnswerOf({ ...details }) : undefined;
      this.#status =
        error.code === 'INTERRUPT_CONFLICT'
          ? { state: 'lost', answered: answered ?? {}, yours: entry }
          : { state: 'failed', entry, error };
      this.requestUpdate();
    }
  }

  #retry(): void {
    if (this.#status.state === 'failed') void this.#answer(this.#status.entry);
  }

  async #askAgain(): Promise<void> {
    try {
      const { interrupt } = await this.#requests.askAgain(this.threadId, this.interruptId);
      const id = typeof interrupt === 'object' && interrupt !== null && 'id' in interrupt ? interrupt.id : '';
      goTo(interruptPath(this.threadId, String(id)), 'replace');
    } catch (error) {
      this.#trouble = error;
      this.requestUpdate();
    }
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
