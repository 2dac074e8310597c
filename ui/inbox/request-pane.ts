import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { InboxAnswer, InboxItem, ResumeEntry } from '../../src/client/index.ts';
import { HoldpointError } from '../../src/client/index.ts';
import type {
  CardStatus,
  HoldpointInterruptElement,
  RequestSnapshot,
  RequestStore,
} from '../../src/elements/index.ts';
import {
  browserStorage,
  createRequest,
  errorSentence,
  HoldpointElement,
  icon,
  itemKey,
  toRecord,
  toRow,
  translate,
  uploadTo,
  whoMayAnswer,
} from '../../src/elements/index.ts';
import { waitingCalls } from '../../src/elements/conversation/waiting-calls.ts';
import { isUnreached } from '../../src/elements/inbox/create-request.ts';
import { ANONYMOUS } from '../../src/elements/interrupt/decision.ts';
import type { AgentInfo, HostApi } from '../host.ts';
import { roleHeaders } from '../role.ts';
import { chatPath, withAgent } from '../router.ts';
import { UNDO_MS } from './decide-requests.ts';
import {
  callsWaitingFor,
  decisionLine,
  deletionOf,
  earlierDecisions,
  heldAnswer,
  isUnsettled,
  NO_DECISIONS,
  readDecision,
  resultOf,
  wordsBefore,
} from './request-context.ts';

type History = readonly Record<string, unknown>[];

/** Milliseconds until an answer that was not carried out yet is looked at again; longer for those of other requests. */
const LOOK_MS = 1000;
const SLOWEST_LOOK_MS = 30_000;

const NOTHING: RequestSnapshot = { item: undefined, status: { state: 'open' }, trouble: undefined };

/** The detail of `request-decided`. */
export interface DecidedRequest {
  readonly item: InboxItem;
  readonly entry: ResumeEntry;
  readonly answer: InboxAnswer;
  /** What was entered in the card, to have it again after an undo. */
  readonly draft: string | null;
  /** The answered requests of its turn. */
  readonly answered: readonly InboxItem[];
  /** When the answer was sent, on the clock of the page. The server has begun its undo time since. */
  readonly sentAt: number;
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
    openInTurn: { attribute: false },
    open: { attribute: false },
    connected: { attribute: false },
    updatedAt: { attribute: false },
  };

  declare host: HostApi;
  declare agent: AgentInfo;
  declare threadId: string;
  declare interruptId: string;
  /** The request as the list has it; undefined when the list does not have it. */
  declare listed: InboxItem | undefined;
  /** Number of open requests of the thread in the list. */
  declare openInTurn: number;
  /** The open requests; one of the same tool that leaves them was decided. */
  declare open: readonly InboxItem[];
  /** False while the server cannot be reached. */
  declare connected: boolean;
  /** Time of the newest list in milliseconds. */
  declare updatedAt: number | undefined;

  #request: RequestStore | undefined;
  /** Undefined before it was loaded. */
  #history: History | undefined;
  #earlier = NO_DECISIONS;
  /** Keys of the open requests of the same tool. */
  #sameTool: ReadonlySet<string> = new Set();
  /** Number of readings of the earlier decisions; the newest one counts. */
  #readings = 0;
  #waiting: readonly InboxItem[] = [];
  /** The error of the history; errors of the request are in its store. */
  #trouble: unknown;
  #wanted: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #earlierTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.followClock();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    clearTimeout(this.#earlierTimer);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.has('threadId') || changed.has('interruptId');
    if (isOther) {
      this.#request = this.#open();
      this.#history = undefined;
      this.#earlier = NO_DECISIONS;
      this.#sameTool = new Set();
      this.#waiting = [];
      clearTimeout(this.#earlierTimer);
      this.#trouble = undefined;
      this.scrollTop = 0;
    }
    // A request that leaves or enters the list was answered, or taken back.
    const isMoved =
      changed.has('listed') && (changed.get('listed') === undefined) !== (this.listed === undefined);
    const isBack = changed.get('connected') === false && this.connected;
    // Another request of the turn was answered, or taken back.
    const isTurnChanged = changed.has('openInTurn');
    // The server answers again: what could not be loaded is loaded now.
    const isRetried = changed.has('updatedAt') && this.#isIncomplete;
    const isDecided = this.#isOfSameToolDecided();
    if (isOther || isMoved || isBack || isTurnChanged || isRetried) void this.#load();
    if (isDecided || (isBack && !isOther)) void this.#loadEarlier();
  }

  /** True when the server was not reached for the shown request, or has decided it while an answer failed. */
  get #isIncomplete(): boolean {
    const { status, trouble } = this.#request?.getSnapshot() ?? NOTHING;
    const isFailed = status.state === 'failed' && this.listed === undefined;
    return isFailed || isUnreached(trouble) || isUnreached(this.#trouble);
  }

  /** True when an open request of the same tool was decided, or an earlier decision was taken back. */
  #isOfSameToolDecided(): boolean {
    const item = this.#request?.getSnapshot().item;
    const tool = item === undefined ? undefined : toRow(item).facts.toolName;
    if (item === undefined || tool === undefined) return false;
    const before = this.#sameTool;
    const same = this.open.filter((other) => toRow(other).facts.toolName === tool).map(itemKey);
    const now = new Set(same.filter((key) => key !== itemKey(item)));
    this.#sameTool = now;
    const isBack = (key: string) => now.has(key) && !before.has(key);
    return [...before].some((key) => !now.has(key)) || this.#earlier.items.map(itemKey).some(isBack);
  }

  get #inbox() {
    return this.host.client(this.agent.id).inbox;
  }

  #open(): RequestStore {
    const { threadId, interruptId, listed } = this;
    const request = createRequest(this.host.client(this.agent.id), {
      threadId,
      interruptId,
      item: listed,
      undoMs: UNDO_MS,
    });
    request.subscribe(() => {
      if (request !== this.#request) return;
      this.requestUpdate();
      void this.#pressWanted();
    });
    return request;
  }

  async #load(): Promise<void> {
    const request = this.#request;
    const { threadId, interruptId } = this;
    const readHistory = async () => {
      try {
        const history = await this.#inbox.history(threadId, interruptId);
        if (request !== this.#request) return;
        this.#history = history;
        this.#trouble = undefined;
      } catch (error) {
        if (request === this.#request) this.#trouble = error;
      }
    };
    await Promise.all([request?.load(), readHistory()]);
    const item = request?.getSnapshot().item;
    const waiting =
      item === undefined ? [] : await callsWaitingFor(this.#inbox, item).catch(() => this.#waiting);
    if (request !== this.#request) return;
    this.#waiting = waiting;
    if (this.#earlier.items.length === 0) await this.#loadEarlier();
    if (request !== this.#request) return;
    this.requestUpdate();
    this.#lookAgain();
  }

  /** Loads the earlier decisions, and loads them again while a call of theirs has not run: no event reports that it has. */
  async #loadEarlier(againMs = LOOK_MS): Promise<void> {
    clearTimeout(this.#earlierTimer);
    const request = this.#request;
    const item = request?.getSnapshot().item;
    if (item === undefined) return;
    this.#readings += 1;
    const reading = this.#readings;
    const earlier = await earlierDecisions(this.#inbox, item).catch(() => this.#earlier);
    if (request !== this.#request || reading !== this.#readings || !this.isConnected) return;
    this.#earlier = earlier;
    this.requestUpdate();
    if (earlier.items.some(isUnsettled))
      this.#earlierTimer = setTimeout(
        () => void this.#loadEarlier(Math.min(2 * againMs, SLOWEST_LOOK_MS)),
        againMs,
      );
  }

  /** Loads the request again: the list does not report when an answer was carried out. */
  #lookAgain(): void {
    clearTimeout(this.#timer);
    const item = this.#request?.getSnapshot().item;
    if (this.isConnected && item !== undefined && isUnsettled(item))
      this.#timer = setTimeout(() => void this.#load(), LOOK_MS);
  }

  /** Loads the request and its earlier decisions again. */
  refresh(): void {
    void this.#load();
    void this.#loadEarlier();
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
    if (this.#isGone) return;
    card.press(action);
  }

  get #card(): HoldpointInterruptElement | null {
    return this.querySelector<HoldpointInterruptElement>('holdpoint-interrupt');
  }

  /** True when the open request on the page is no longer on the host: what is entered stays in sight, and cannot be sent. */
  get #isGone(): boolean {
    const { item, status, trouble } = this.#request?.getSnapshot() ?? NOTHING;
    return item !== undefined && status.state === 'open' && HoldpointError.is(trouble, 'INTERRUPT_UNKNOWN');
  }

  protected override updated(): void {
    // A card that is gone loses the focus.
    if (this.#isGone && document.activeElement === document.body)
      this.querySelector<HTMLElement>('[role="alert"]')?.focus();
  }

  /** True when the card has entries that are not sent. */
  get isUnsent(): boolean {
    return this.#card?.isUnsent === true;
  }

  /** Focuses the card. */
  async focusCard(): Promise<void> {
    await this.updateComplete;
    await this.#card?.updateComplete;
    this.#card?.querySelector<HTMLElement>('.hp-card')?.focus({ preventScroll: true });
  }

  protected override render(): TemplateResult {
    const { item, status, ...request } = this.#request?.getSnapshot() ?? NOTHING;
    // A card whose answer failed says so itself.
    const trouble = status.state === 'failed' ? undefined : request.trouble;
    return html`${
      trouble === undefined
        ? nothing
        : html`<p class="hp-notice hp-bad" role="alert" tabindex="-1">
            ${icon('alert')}${
              this.#isGone
                ? translate(
                    'This request is gone: its conversation was deleted, or you may not see it any more. Nothing was sent.',
                  )
                : errorSentence(trouble)
            }
          </p>`
    }
    ${
      item === undefined
        ? trouble === undefined
          ? html`<p class="hp-empty">${translate('Loading …')}</p>`
          : nothing
        : html`${waitingCalls(this.#waiting.map(toRecord), this.openInTurn)} ${this.#renderHeld(item)}
            ${wordsBefore(item)}
            ${keyed(`${item.threadId}/${item.interrupt.id}`, this.#renderCard(item, status))}
            ${resultOf(item)} ${this.#renderEarlier()}
            <details class="pane-part">
              <summary>${translate('History')}</summary>
              ${this.#renderHistory(item)}
            </details>
            ${
              item['maySeeThread'] === true
                ? html`<p class="pane-part">
                    <a href=${withAgent(chatPath(this.threadId))}
                      >${icon('chat')}${translate('Open the conversation')}</a
                    >
                  </p>`
                : deletionOf(item)
            }`
    }`;
  }

  #renderHeld(item: InboxItem): TemplateResult | typeof nothing {
    // The conversation belongs to the outermost agent.
    const [agent = this.agent.id] = text(item['agent'])?.split('/') ?? [];
    return heldAnswer(this.host.client(agent), item);
  }

  #renderCard(item: InboxItem, status: CardStatus): TemplateResult {
    return html`<holdpoint-interrupt
      ?inert=${this.#isGone}
      .interrupt=${item.interrupt}
      .status=${status}
      .agent=${item['agent'] === this.agent.id ? this.agent.name : text(item['agent'])}
      .askedBy=${item['askedBy'] === ANONYMOUS ? undefined : text(item['askedBy'])}
      .askedByYou=${item.askedByYou === true && item['askedBy'] !== ANONYMOUS}
      .raisedAt=${Date.parse(text(item['raisedAt']) ?? '') || undefined}
      .waitingFor=${item.mayAnswer === false ? whoMayAnswer(item) : undefined}
      .withdrawable=${item.mayWithdraw === true}
      .clock=${this.host.now}
      .drafts=${browserStorage()}
      .draftKey=${`${item.threadId}:${item.interrupt.id}`}
      .upload=${uploadTo(item.threadId, { headers: roleHeaders() })}
      .level=${2}
      .undoMs=${UNDO_MS}
      @holdpoint-answer=${(event: CustomEvent<{ entry: ResumeEntry }>) =>
        this.#answer(item, event.detail.entry)}
      @holdpoint-retry=${() => this.#retry(item, status)}
      @holdpoint-ask-again=${() => void this.#askAgain()}
      @holdpoint-withdraw=${() => void this.#request?.withdraw()}
    ></holdpoint-interrupt>`;
  }

  #renderHistory(item: InboxItem): TemplateResult {
    const history = this.#history;
    const isMissing = this.#trouble !== undefined;
    return html`${
      isMissing || history === undefined
        ? html`<p class="hp-muted">
            ${translate(isMissing ? 'The history could not be loaded.' : 'Loading …')}
          </p>`
        : nothing
    }
    ${
      history === undefined
        ? nothing
        : html`<holdpoint-history
            .entries=${history}
            .name=${item.interrupt.id}
            .failed=${readDecision(item).outcome === 'failed'}
            .uncertain=${readDecision(item).outcome === 'unknown'}
          ></holdpoint-history>`
    }`;
  }

  #renderEarlier(): TemplateResult | typeof nothing {
    const { about, tool, items } = this.#earlier;
    return items.length === 0
      ? nothing
      : html`<section class="pane-part" aria-labelledby="earlier-title">
          <h3 id="earlier-title">${translate('Earlier decisions about {0}', about)}</h3>
          <ul class="pane-decisions">
            ${items.map((item) => decisionLine(item, this.host.now()))}
          </ul>
          <a href=${withAgent(`/audit?${new URLSearchParams({ tool })}`)}
            >${icon('list')}${translate('All decisions about this tool')}</a
          >
        </section>`;
  }

  #answer(item: InboxItem, entry: ResumeEntry): void {
    // The card deletes its draft when the answer is sent.
    const draft = browserStorage()?.getItem(draftKeyOf(item)) ?? null;
    const sentAt = performance.now();
    void this.#request?.answer(entry, (answer) => {
      const decided: DecidedRequest = { item, entry, answer, draft, answered: this.#waiting, sentAt };
      this.emit('request-decided', decided);
    });
  }

  #retry(item: InboxItem, status: CardStatus): void {
    if (status.state !== 'failed') return;
    if (status.isWithdrawal === true) void this.#request?.withdraw();
    else this.#answer(item, status.entry);
  }

  async #askAgain(): Promise<void> {
    const interruptId = await this.#request?.askAgain();
    if (interruptId !== undefined) this.emit('request-replaced', { interruptId });
  }
}

/** Where the card keeps what was entered. */
export function draftKeyOf({ threadId, interrupt }: InboxItem): string {
  return `holdpoint:draft:${threadId}:${interrupt.id}`;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
