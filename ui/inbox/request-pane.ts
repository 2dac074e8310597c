import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { InboxAnswer, InboxItem, ResumeEntry } from '../../src/client/index.ts';
import { cancel, HoldpointError } from '../../src/client/index.ts';
import type { CardStatus, HoldpointInterruptElement } from '../../src/elements/index.ts';
import {
  errorSentence,
  givenAnswerOf,
  HoldpointElement,
  icon,
  translate,
  uploadTo,
  whoMayAnswer,
} from '../../src/elements/index.ts';
import type { AgentInfo, HostApi } from '../host.ts';
import { roleHeaders } from '../role.ts';
import { chatPath, withAgent } from '../router.ts';
import { UNDO_MS } from './decide-requests.ts';
import { decisionLine, earlierDecisions, NO_DECISIONS, resultOf, wordsBefore } from './request-context.ts';

type History = readonly Record<string, unknown>[];

/** The detail of `request-decided`. */
export interface DecidedRequest {
  readonly item: InboxItem;
  readonly entry: ResumeEntry;
  readonly answer: InboxAnswer;
  /** What was entered in the card, to have it again after an undo. */
  readonly draft: string | null;
}

/**
 * One request beside the list: the words before it, its card, earlier decisions and its history. Emits `request-decided` when
 * an answer was accepted, and `request-replaced` with the new interrupt id when it was asked again.
 */
export class RequestPaneElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    host: { attribute: false },
    agent: { attribute: false },
    threadId: { attribute: false },
    interruptId: { attribute: false },
    listed: { attribute: false },
  };

  declare host: HostApi;
  declare agent: AgentInfo;
  declare threadId: string;
  declare interruptId: string;
  /** The request as the list has it; undefined when the list does not have it. */
  declare listed: InboxItem | undefined;

  #item: InboxItem | undefined;
  #history: History = [];
  #earlier = NO_DECISIONS;
  #status: CardStatus = { state: 'open' };
  #trouble: unknown;
  #wanted: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.has('threadId') || changed.has('interruptId');
    if (isOther) {
      this.#item = this.listed;
      this.#history = [];
      this.#earlier = NO_DECISIONS;
      this.#status = { state: 'open' };
      this.#trouble = undefined;
      this.scrollTop = 0;
    }
    // A request that leaves or enters the list was answered, or taken back.
    const isMoved =
      changed.has('listed') && (changed.get('listed') === undefined) !== (this.listed === undefined);
    if (isOther || isMoved) void this.#load();
  }

  get #requests() {
    return this.host.client(this.agent.id).inbox;
  }

  async #load(): Promise<void> {
    const { threadId, interruptId } = this;
    const isSame = () => threadId === this.threadId && interruptId === this.interruptId;
    try {
      const [item, history] = await Promise.all([
        this.#requests.get(threadId, interruptId),
        this.#requests.history(threadId, interruptId),
      ]);
      if (!isSame()) return;
      this.#show(item, history);
      if (this.#earlier.items.length === 0) {
        const earlier = await earlierDecisions(this.#requests, item).catch(() => NO_DECISIONS);
        if (isSame()) this.#earlier = earlier;
      }
    } catch (error) {
      if (!isSame()) return;
      this.#trouble = error;
    }
    this.requestUpdate();
    this.#lookAgain();
  }

  #show(item: InboxItem, history: History): void {
    this.#item = item;
    this.#history = history;
    this.#trouble = undefined;
    const { state } = this.#status;
    const isOver = item['status'] !== 'pending' && item['status'] !== 'expired';
    if (isOver && state !== 'lost') {
      const answered = givenAnswerOf(item) ?? {};
      this.#status = { state: 'answered', answered };
    } else if (!isOver && (state === 'answered' || state === 'lost')) this.#status = { state: 'open' };
    this.requestUpdate();
    void this.#pressWanted();
  }

  /** Loads the request again: the list does not report when an answer was carried out. */
  #lookAgain(): void {
    clearTimeout(this.#timer);
    const status = this.#item?.['status'];
    if (this.isConnected && (status === 'answered' || status === 'claimed'))
      this.#timer = setTimeout(() => void this.#load(), 1000);
  }

  /** Presses a button of the card by its action, now or when the card is there. */
  press(action: string): void {
    this.#wanted = action;
    void this.#pressWanted();
  }

  async #pressWanted(): Promise<void> {
    await this.updateComplete;
    const card = this.#card;
    await card?.updateComplete;
    const action = this.#wanted;
    if (card === null || action === undefined) return;
    this.#wanted = undefined;
    card.press(action);
  }

  get #card(): HoldpointInterruptElement | null {
    return this.querySelector<HoldpointInterruptElement>('holdpoint-interrupt');
  }

  /** Focuses the card. */
  async focusCard(): Promise<void> {
    await this.updateComplete;
    await this.#card?.updateComplete;
    this.#card?.querySelector<HTMLElement>('.hp-card')?.focus({ preventScroll: true });
  }

  protected override render(): TemplateResult {
    const item = this.#item;
    return html`${
      this.#trouble === undefined
        ? nothing
        : html`<p class="hp-notice hp-bad" role="alert">${icon('alert')}${errorSentence(this.#trouble)}</p>`
    }
    ${
      item === undefined
        ? this.#trouble === undefined
          ? html`<p class="hp-empty">${translate('Loading …')}</p>`
          : nothing
        : html`${wordsBefore(item)} ${keyed(`${item.threadId}/${item.interrupt.id}`, this.#renderCard(item))}
            ${resultOf(item)} ${this.#renderEarlier()}
            <details class="pane-part">
              <summary>${translate('History')}</summary>
              <holdpoint-history .entries=${this.#history} .name=${item.interrupt.id}></holdpoint-history>
            </details>
            ${
              item['maySeeThread'] === false
                ? nothing
                : html`<p class="pane-part">
                    <a href=${withAgent(chatPath(this.threadId))}
                      >${icon('chat')}${translate('Open the conversation')}</a
                    >
                  </p>`
            }`
    }`;
  }

  #renderCard(item: InboxItem): TemplateResult {
    return html`<holdpoint-interrupt
      .interrupt=${item.interrupt}
      .status=${this.#status}
      .agent=${text(item['agent'])}
      .askedBy=${item['askedBy'] === 'anonymous' ? undefined : text(item['askedBy'])}
      .raisedAt=${Date.parse(text(item['raisedAt']) ?? '') || undefined}
      .waitingFor=${item.mayAnswer === false ? whoMayAnswer(item) : undefined}
      .withdrawable=${item.mayWithdraw === true}
      .clock=${this.host.now}
      .drafts=${localStorage}
      .draftKey=${`${item.threadId}:${item.interrupt.id}`}
      .upload=${uploadTo(item.threadId, { headers: roleHeaders() })}
      .level=${2}
      @holdpoint-answer=${(event: CustomEvent<{ entry: ResumeEntry }>) =>
        void this.#answer(event.detail.entry)}
      @holdpoint-retry=${() => this.#retry()}
      @holdpoint-ask-again=${() => void this.#askAgain()}
      @holdpoint-withdraw=${() => void this.#withdraw(item)}
    ></holdpoint-interrupt>`;
  }

  #renderEarlier(): TemplateResult | typeof nothing {
    const { about, items } = this.#earlier;
    return items.length === 0
      ? nothing
      : html`<section class="pane-part" aria-labelledby="earlier-title">
          <h3 id="earlier-title">${translate('Earlier decisions about {0}', about)}</h3>
          <ul class="pane-decisions">
            ${items.map((item) => decisionLine(item, this.host.now()))}
          </ul>
        </section>`;
  }

  async #answer(entry: ResumeEntry): Promise<void> {
    const item = this.#item;
    if (item === undefined) return;
    const { threadId, interruptId } = this;
    const draft = localStorage.getItem(draftKeyOf(item));
    this.#status = { state: 'sending', entry };
    this.requestUpdate();
    try {
      const answer = await this.#requests.answer(threadId, entry, { undoMs: UNDO_MS });
      this.#trouble = undefined;
      if (interruptId === this.interruptId) this.#status = { state: 'answered', answered: entry };
      const decided: DecidedRequest = { item, entry, answer, draft };
      this.emit('request-decided', decided);
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
    }
    this.requestUpdate();
  }

  async #withdraw({ threadId, interrupt }: InboxItem): Promise<void> {
    const entry = cancel(interrupt);
    this.#status = { state: 'sending', entry };
    this.requestUpdate();
    try {
      await this.#requests.withdraw(threadId, interrupt.id);
      this.#status = { state: 'answered', answered: { status: 'cancelled', withdrawn: true, you: true } };
    } catch (failure) {
      this.#status = { state: 'open' };
      this.#trouble = failure;
    }
    this.requestUpdate();
    await this.#load();
  }

  #retry(): void {
    if (this.#status.state === 'failed') void this.#answer(this.#status.entry);
  }

  async #askAgain(): Promise<void> {
    try {
      const { interrupt } = await this.#requests.askAgain(this.threadId, this.interruptId);
      const id = typeof interrupt === 'object' && interrupt !== null && 'id' in interrupt ? interrupt.id : '';
      this.emit('request-replaced', { interruptId: String(id) });
    } catch (error) {
      this.#trouble = error;
      this.requestUpdate();
    }
  }
}

/** Where the card keeps what was entered. */
export function draftKeyOf({ threadId, interrupt }: InboxItem): string {
  return `holdpoint:draft:${threadId}:${interrupt.id}`;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
