import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { cancel } from '../../client/index.ts';
import type { Issue } from '../../core/index.ts';
import { pointerTokens } from '../../core/index.ts';
import type { FunctionDetails, Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { isExpired } from '../../protocol/index.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import type { Upload } from '../form/field-control.ts';
import { HoldpointFormElement } from '../form/form-element.ts';
import type { CardContext } from './card-context.ts';
import type { CardFacts } from './card-facts.ts';
import { cardFacts } from './card-facts.ts';
import { cardHeader } from './card-header.ts';
import { cardNotice } from './card-notice.ts';
import { cardBodyFor } from './card-registry.ts';
import type { CardStatus } from './card-status.ts';
import { OPEN } from './card-status.ts';
import { closedBody, expiredBody, waitingBody } from './closed-body.ts';
import type { CardDraft, DraftStorage } from './drafts.ts';
import { hasAllEntries } from './sent-entries.ts';
import { asksForSecrets, hasEntries, readDraftOf, writeCardDraft } from './drafts.ts';
import { isInactive, pressByKey, UNREAD_MS } from './press-by-key.ts';
import { isQuestion } from './verdict-body.ts';

/** The first field of the open form of edits. */
const FIRST_EDIT = '[data-form="edits"] :is(input, select, textarea)';

let cards = 0;
/** True after the first click on a page with a card. Before it, no click can be meant for what a new card has displaced. */
let hasClicked = false;

/**
 * `<holdpoint-interrupt>`: one interrupt as a card. The detail of `holdpoint-answer` has the `interrupt` and the answer, a
 * resume `entry`; the card stays locked until `status` changes. `holdpoint-retry` asks to send the same answer again,
 * `holdpoint-ask-again` to replace an expired interrupt by a new one, `holdpoint-withdraw` to take the viewer's own
 * request back, `holdpoint-close` to take a closed card away.
 */
export class HoldpointInterruptElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    interrupt: { attribute: false },
    call: { attribute: false },
    status: { attribute: false },
    agent: {},
    askedBy: {},
    askedByYou: { attribute: false },
    raisedAt: { attribute: false },
    clock: { attribute: false },
    upload: { attribute: false },
    drafts: { attribute: false },
    draftKey: {},
    level: { type: Number },
    undoMs: { type: Number },
    waitingFor: {},
    withdrawable: { type: Boolean },
    closable: { type: Boolean },
  };

  declare interrupt: Interrupt | undefined;
  /** The tool call that the interrupt names, if the conversation has it. */
  declare call: FunctionDetails | undefined;
  declare status: CardStatus;
  declare agent: string | undefined;
  declare askedBy: string | undefined;
  /** True when the viewer asked: the card then says so instead of a name. */
  declare askedByYou: boolean;
  declare raisedAt: number | undefined;
  /** The server's time in milliseconds. */
  declare clock: () => number;
  declare upload: Upload | undefined;
  declare drafts: DraftStorage | undefined;
  /** Storage key of the draft; the interrupt id by default. */
  declare draftKey: string | undefined;
  /** Heading level of the title. */
  declare level: number;
  /** Milliseconds in which an answer can be taken back; the words of a second look name them. Default 0. */
  declare undoMs: number;
  /** Who may answer, for a viewer who may not: the card has no buttons then. */
  declare waitingFor: string | undefined;
  /** True: a card that waits for another person has a button that emits `holdpoint-withdraw`. */
  declare withdrawable: boolean;
  /** True: a closed card has a button that emits `holdpoint-close`. */
  declare closable: boolean;

  #draft: CardDraft = {};
  #problem: { readonly name: string; readonly text: string } | undefined;
  #asking: string | undefined;
  #isAtWork = false;
  /** True when a value or the interrupt has changed since the press that is at work: the press was about the old one. */
  #isStale = false;
  #isReopened = false;
  #hasSent = false;
  /** True when the focus was in the card before it was rendered again. */
  #hadFocus = false;
  #unread: ReturnType<typeof setTimeout> | undefined;
  /** An answer on another card may move this one to its place, under the pointer. */
  readonly #onClick = ({ target }: Event) => {
    hasClicked = true;
    const pressed =
      target instanceof Element ? target.closest('.hp-actions')?.closest('holdpoint-interrupt') : null;
    if (pressed !== null && pressed !== undefined && pressed !== this) this.#markUnread();
  };
  readonly #id = `hp-card-${(cards += 1)}`;

  constructor() {
    super();
    this.status = OPEN;
    this.clock = () => Date.now();
    this.level = 3;
    this.undoMs = 0;
    this.askedByYou = false;
    this.closable = false;
    this.withdrawable = false;
    this.addEventListener('keydown', (event) => pressByKey(this, event));
    // A person who works in the card has read it.
    this.addEventListener('input', () => this.#markRead());
    this.followClock();
  }

  get #key(): string {
    return `holdpoint:draft:${this.draftKey ?? this.interrupt?.id ?? ''}`;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('click', this.#onClick, { capture: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('click', this.#onClick, { capture: true });
    this.#markRead();
    // The interrupt has an answer, from here or from elsewhere: the draft is obsolete.
    if (['sending', 'answered', 'lost'].includes(this.status.state))
      writeCardDraft(this.drafts, this.#key, undefined);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('interrupt');
    if (changed.has('interrupt') && before?.id !== this.interrupt?.id) {
      this.#draft = readDraftOf(this.drafts, this.#key, this.interrupt ?? { id: '' });
      this.#isStale = true;
      this.#problem = undefined;
      this.#asking = undefined;
      this.#isReopened = false;
      this.#hasSent = false;
    }
    if (changed.has('status') && !isSameFailure(changed.get('status'), this.status)) this.#isReopened = false;
    if (this.#isSentElsewhere) this.#draft = {};
    this.#hadFocus = this.#hasFocus;
  }

  /** True once another window of this browser has sent what this one shows as entered. */
  get #isSentElsewhere(): boolean {
    const { interrupt, status } = this;
    if (interrupt === undefined || status.state !== 'answered' || this.#hasSent || !this.#hasDraft)
      return false;
    const { args } = cardFacts(interrupt, this.call);
    const current = (name: string) =>
      this.querySelector<HoldpointFormElement>(`[data-form="${name}"]`)?.current;
    return hasAllEntries(status.answered.payload, this.#draft, { current, args });
  }

  protected override updated(changed: PropertyValues<this>): void {
    const { status } = this;
    if (hasClicked && changed.has('interrupt') && changed.get('interrupt')?.id !== this.interrupt?.id)
      this.#markUnread();
    // The control that had the focus is gone.
    if (this.#hadFocus && document.activeElement === document.body)
      this.querySelector<HTMLElement>('.hp-card')?.focus();
    const before = changed.get('status');
    if (before === undefined || isSameFailure(before, status)) return;
    if (status.state === 'failed' && status.error.code === 'ANSWER_INVALID') {
      this.#showIssues(status.error.issues);
      void this.#toProblem();
    } else if (status.state === 'failed' && this.#hasFocus)
      void this.focusAfterUpdate('[data-action="retry"]');
  }

  /** True in the first moment of an interrupt, and after a press on another card: a press now was meant for something else. */
  get isUnread(): boolean {
    return this.#unread !== undefined;
  }

  /** Focuses the card. Keys that are pressed in the same moment were meant for what had the focus before. */
  focusUnread(): void {
    this.#markUnread();
    this.querySelector<HTMLElement>('.hp-card')?.focus();
  }

  /** Ignores presses for a moment. The styles take the buttons away from the pointer while the card has `data-unread`. */
  #markUnread(): void {
    clearTimeout(this.#unread);
    this.#unread = setTimeout(() => this.#markRead(), UNREAD_MS);
    this.toggleAttribute('data-unread', true);
  }

  #markRead(): void {
    clearTimeout(this.#unread);
    this.#unread = undefined;
    this.toggleAttribute('data-unread', false);
  }

  /** True when a person is at work in this card: entered something, or has the focus in it. */
  get isInUse(): boolean {
    return (this.#hasDraft && !this.#isSentElsewhere) || this.#hasFocus;
  }

  /** True when a person has entered something that is not sent, also what is never stored. */
  get isUnsent(): boolean {
    return hasEntries(this.#draft);
  }

  get #hasDraft(): boolean {
    return Object.values(this.#draft).some((value) => value !== undefined && value !== '' && value !== false);
  }

  get #hasFocus(): boolean {
    return this.contains(document.activeElement);
  }

  /**
   * Presses a button of the card by its action: `approve`, `reject`, `edit`, `send`, `cancel`; or the `primary` one. A press of
   * `reject` asks for a reason first. While the form of the edits is open, `edit` focuses its first field. Returns false when the
   * card has no such button or ignores it now. A card that waits for another person then focuses the sentence that says so.
   */
  press(action: string): boolean {
    if (action === 'edit' && this.querySelector(FIRST_EDIT) !== null) {
      void this.focusAfterUpdate(FIRST_EDIT);
      return true;
    }
    const button = this.querySelector<HTMLButtonElement>(
      action === 'primary' ? '[data-primary]' : `[data-action="${action}"]`,
    );
    if (button === null) void this.focusAfterUpdate('[data-waiting]');
    if (button === null || isInactive(button)) return false;
    button.click();
    return true;
  }

  /** Asks for a second press; without a name, returns to the buttons of the card. */
  async #ask(name: string | undefined): Promise<void> {
    const before = this.#asking;
    this.#asking = name;
    this.requestUpdate();
    await this.updateComplete;
    await this.querySelector<HoldpointFormElement>(
      ':is([data-rejecting] holdpoint-form, [data-form="output"])',
    )?.updateComplete;
    if (name === 'output') await this.focusAfterUpdate('[data-form="output"] :is(input, select, textarea)');
    else if (isRejection(name))
      await this.focusAfterUpdate('[data-rejecting] :is(input, textarea), [data-rejecting] [data-primary]');
    else if (name !== undefined) await this.focusAfterUpdate('[data-action="back"]');
    // The primary button approves: after a rejection that was given up, it does not get the focus.
    else await this.focusAfterUpdate(isRejection(before) ? '.hp-card' : '[data-primary]');
  }

  protected override render(): TemplateResult {
    const { interrupt, status } = this;
    if (interrupt === undefined) return html``;
    const facts = cardFacts(interrupt, this.call);
    const isOver = isExpired(interrupt, this.clock());
    const isOpen = status.state === 'open' || this.#isReopened;
    return html`<section
      class="hp-card ${facts.isDestructive ? 'hp-destructive' : ''}"
      role="group"
      aria-labelledby="${this.#id}-title"
      tabindex="-1"
      data-state=${isOver && isOpen ? 'expired' : status.state}
    >
      ${cardHeader({
        facts,
        interrupt,
        id: this.#id,
        level: this.level,
        agent: this.agent,
        askedBy: this.askedBy,
        isAskedByYou: this.askedByYou,
        raisedAt: this.raisedAt,
        clock: this.clock,
        canExpire: isOpen || status.state === 'sending' || status.state === 'failed',
        onExpired: () => this.requestUpdate(),
      })}
      ${this.#renderBody(interrupt, facts, { isOver, isOpen })}
      ${
        this.#isReopened
          ? nothing
          : cardNotice(status, {
              now: this.clock(),
              call: facts,
              hasInput: this.#hasDraft,
              isOwn: this.#hasSent || !this.closable,
              retry: () => this.emit('holdpoint-retry', { interrupt }),
              change: () => this.#reopen(),
              close: this.closable ? () => this.emit('holdpoint-close', { interrupt }) : undefined,
            })
      }
    </section>`;
  }

  #reopen(): void {
    this.#isReopened = true;
    this.#isAtWork = false;
    this.requestUpdate();
    void this.focusAfterUpdate('[aria-invalid="true"], [data-invalid], [data-primary]');
  }

  #renderBody(
    interrupt: Interrupt,
    facts: CardFacts,
    { isOver, isOpen }: { readonly isOver: boolean; readonly isOpen: boolean },
  ): TemplateResult {
    const { state } = this.status;
    // A viewer who may not answer gets no buttons to answer with, also while a withdrawal is sent or has failed.
    if (this.waitingFor !== undefined && (isOpen || state === 'sending' || state === 'failed')) {
      const withdraw = () => {
        this.status = { state: 'sending', entry: cancel(interrupt) };
        this.#hasSent = true;
        this.emit('holdpoint-withdraw', { interrupt });
      };
      return waitingBody(facts, {
        for: this.waitingFor,
        withdraw: this.withdrawable && isOpen ? withdraw : undefined,
      });
    }
    if (isOver && isOpen) {
      return expiredBody(facts, {
        isQuestion: isQuestion(interrupt),
        askAgain: () => this.emit('holdpoint-ask-again', { interrupt }),
        cancel: () => this.#send(cancel(interrupt)),
      });
    }
    // Text that a person has entered and not sent stays in sight when another answer was first.
    const isClosed = state === 'lost' || (state === 'answered' && (this.#hasSent || !this.#hasDraft));
    if (isClosed || (state === 'staged' && !isOpen)) return closedBody(facts);
    const body = cardBodyFor(interrupt.reason, facts.toolName);
    return body(this.#context(interrupt, facts, isOpen));
  }

  #context(interrupt: Interrupt, facts: CardFacts, isOpen: boolean): CardContext {
    return {
      interrupt,
      facts,
      draft: this.#draft,
      isLocked: !isOpen || this.#isAtWork,
      // An answer from elsewhere is known a moment after the request is over.
      isUnsent: this.status.state === 'answered' && Object.keys(this.status.answered).length > 0,
      id: this.#id,
      upload: this.upload,
      undoMs: this.undoMs,
      asking: this.#asking,
      problemWith: (name) => (this.#problem?.name === name ? this.#problem.text : undefined),
      setProblem: (name, text) => {
        if (this.#isStalePress) return;
        this.#problem = { name, text };
        this.requestUpdate();
        void this.focusAfterUpdate('[aria-invalid="true"], [data-invalid]');
      },
      ask: (name) => {
        if (!this.#isStalePress) void this.#ask(name);
      },
      update: (draft) => {
        this.#isStale = true;
        this.#update(draft);
      },
      form: (name) => {
        const form = this.querySelector(`[data-form="${name}"]`);
        return form instanceof HoldpointFormElement ? form : undefined;
      },
      act: (action) => {
        if (isOpen) void this.#act(action);
      },
      toPage: (page) => {
        if (this.#isStalePress) return;
        this.#update({ page });
        void this.focusAfterUpdate('.hp-step');
      },
      edit: (isEditing) => void this.#edit(isEditing),
      send: (entry) => {
        if (!this.#isStalePress) this.#send(entry);
      },
    };
  }

  /** True while the press at work has no effect: the card stays open with the new values, for another press. */
  get #isStalePress(): boolean {
    return this.#isAtWork && this.#isStale;
  }

  #update(draft: CardDraft): void {
    this.#draft = { ...this.#draft, ...draft };
    // The second look is about the values of the first one; a reason changes nothing that runs.
    if (this.#asking === 'approve' && !('reason' in draft)) this.#asking = undefined;
    if (draft.editing === false) {
      const { edits: _edits, ...rest } = this.#draft;
      this.#draft = rest;
    }
    this.#problem = undefined;
    if (!asksForSecrets(this.interrupt?.responseSchema)) writeCardDraft(this.drafts, this.#key, this.#draft);
    this.requestUpdate();
  }

  async #edit(isEditing: boolean): Promise<void> {
    this.#update({ editing: isEditing });
    await this.updateComplete;
    await this.querySelector<HoldpointFormElement>('[data-form="edits"]')?.updateComplete;
    if (isEditing) await this.focusAfterUpdate(FIRST_EDIT);
  }

  /** Runs one action at a time; a press during another action does nothing. */
  async #act(action: () => Promise<void> | void): Promise<void> {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    this.#isStale = false;
    this.#markRead();
    try {
      await action();
    } finally {
      this.#isAtWork = false;
      this.requestUpdate();
      void this.#toProblem();
    }
  }

  /** Shows the issues of an answer at the fields of its forms. The form of the edits is the member `editedArgs` of the answer. */
  #showIssues(issues: readonly Issue[]): void {
    for (const form of this.querySelectorAll<HoldpointFormElement>('[data-form]')) {
      const root = form.dataset['form'] === 'edits' ? '/editedArgs' : '';
      const own = issues.filter(({ pointer }) => `${pointer}/`.startsWith(`${root}/`));
      form.showIssues(own.map((issue) => ({ ...issue, pointer: issue.pointer.slice(root.length) })));
    }
  }

  /** Shows the step of the first problem: the review of a wizard shows no fields. */
  async #toProblem(): Promise<void> {
    const { interrupt } = this;
    const form = this.querySelector<HoldpointFormElement>('[hidden] > [data-form="form"]');
    const [issue] = form?.issues ?? [];
    if (interrupt === undefined || form === null || issue === undefined) return;
    const { pages } = cardFacts(interrupt, this.call);
    const [name = ''] = pointerTokens(issue.pointer) ?? [];
    const step = pages.findIndex(({ properties }) => properties.includes(name));
    // The last step shows a problem that belongs to no step.
    this.#update({ page: step < 0 ? pages.length - 1 : step });
    await this.updateComplete;
    form.showIssues(form.issues);
  }

  #send(entry: ResumeEntry): void {
    // Lock at once: the second click of a double click arrives before the owner sets the status.
    this.status = { state: 'sending', entry };
    this.#isReopened = false;
    this.#hasSent = true;
    if (this.interrupt !== undefined) this.emit('holdpoint-answer', { interrupt: this.interrupt, entry });
  }
}

/** True when only the server became reachable: a person who changes the answer goes on, with the focus where it is. */
function isSameFailure(before: CardStatus | undefined, status: CardStatus): boolean {
  return before?.state === 'failed' && status.state === 'failed' && before.entry === status.entry;
}

/** True for the name of an action that asks for the reason of a rejection. A verdict adds its word to the name. */
function isRejection(name: string | undefined): boolean {
  return name?.startsWith('reject') === true;
}
