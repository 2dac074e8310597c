import type { PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { icon } from '../base/icon.ts';
import { translate } from '../base/strings.ts';
import { TAB_STORAGE } from '../base/viewer-storage.ts';

let composers = 0;

/** How many requests and questions are waiting, and for whom; default: the viewer. */
export function waitingWords(waiting: number, questions: number, waitingFor?: string): string {
  const requests = waiting - questions;
  const isForViewer = waitingFor === undefined;
  if (requests > 0 && questions > 0)
    return translate(
      isForViewer ? '{0} and {1} are waiting for you.' : '{0} and {1} are waiting for {2}.',
      translate('{0} request|{0} requests', requests),
      translate('{0} question|{0} questions', questions),
      waitingFor ?? '',
    );
  if (questions > 0)
    return translate(
      isForViewer
        ? '{0} question is waiting for you.|{0} questions are waiting for you.'
        : '{0} question is waiting for {1}.|{0} questions are waiting for {1}.',
      questions,
      waitingFor ?? '',
    );
  return translate(
    isForViewer
      ? '{0} request is waiting for you.|{0} requests are waiting for you.'
      : '{0} request is waiting for {1}.|{0} requests are waiting for {1}.',
    requests,
    waitingFor ?? '',
  );
}

/**
 * `<holdpoint-composer>`: the message input of a chat. Emits `holdpoint-send` with the text; while interrupts are open it
 * first asks whether to answer them (`holdpoint-answer-first`), or to cancel them and send. If another person has to answer
 * all of them, it offers to withdraw them and send. While a run goes on or the conversation is loaded, Enter keeps the message
 * and sends it afterwards. `holdpoint-stop` asks to stop the run.
 */
export class HoldpointComposerElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    running: { type: Boolean },
    stopping: { type: Boolean },
    loading: { type: Boolean },
    waiting: { type: Number },
    questions: { type: Number },
    expired: { type: Number },
    waitingFor: {},
    given: { attribute: false },
    draftKey: {},
  };

  declare running: boolean;
  /** True after Stop, until the run has ended. */
  declare stopping: boolean;
  /** True while the conversation is loaded, or a request is under way. Default: false. */
  declare loading: boolean;
  /** Number of open interrupts. */
  declare waiting: number;
  /** How many of them have expired. Default: 0. */
  declare expired: number;
  /** How many of the others ask for a value, not for a decision. Default: 0. */
  declare questions: number;
  /** The people who have to answer the open interrupts; undefined if the viewer may answer one of them. */
  declare waitingFor: string | undefined;
  /** The answers in words that wait for the other ones: a message sends them too. Default: none. */
  declare given: readonly string[];
  /** Storage key of the unsent message. */
  declare draftKey: string;
  #isAsking = false;
  /** True after Enter while a run goes on or the conversation is loaded, until then or until the text changes. */
  #isQueued = false;
  /** True once a person goes on writing after that: the message is not sent before the next Enter. */
  #isChanged = false;
  readonly #id = `hp-message-${(composers += 1)}`;

  constructor() {
    super();
    this.running = false;
    this.stopping = false;
    this.loading = false;
    this.waiting = 0;
    this.questions = 0;
    this.expired = 0;
    this.given = [];
    this.draftKey = '';
  }

  override focus(): void {
    this.#input?.focus();
  }

  get #input(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  protected override updated(changed: PropertyValues<this>): void {
    const input = this.#input;
    if (input !== null && changed.has('draftKey'))
      input.value = TAB_STORAGE.getItem(`holdpoint:message:${this.draftKey}`) ?? '';
    if (this.#isQueued && (!this.#isHeld || changed.has('draftKey'))) {
      this.#queue(false);
      if (!changed.has('draftKey')) this.#submit();
    }
  }

  get #isHeld(): boolean {
    return this.running || this.loading;
  }

  protected override willUpdate(): void {
    if (this.waiting === 0) this.#isAsking = false;
  }

  protected override render(): TemplateResult {
    const isOne = this.waiting === 1;
    return html`<form class="hp-composer" @submit=${(event: Event) => this.#onSubmit(event)}>
      ${
        this.waiting === 0
          ? nothing
          : html`<p class="hp-composer-note">${icon('help')}${this.#noteWords()}</p>`
      }
      ${
        this.running && this.stopping
          ? html`<p class="hp-composer-note" role="status">
              ${icon('spinner')}${translate('Stopping. A call that is already running is finished first.')}
            </p>`
          : nothing
      }
      ${
        this.#isQueued
          ? html`<p class="hp-composer-note" role="status">
              ${icon('clock')}${translate(
                this.running
                  ? 'Your message is sent when the run has ended.'
                  : 'Your message is sent as soon as the conversation is ready.',
              )}
            </p>`
          : nothing
      }
      ${
        this.#isChanged
          ? html`<p class="hp-composer-note" role="status">
              ${icon('alert')}${translate('Not sent yet, because you went on writing. Enter sends it.')}
            </p>`
          : nothing
      }
      ${
        this.#isAsking
          ? html`${
                this.given.length === 0
                  ? nothing
                  : html`<p class="hp-composer-note">
                      ${icon('alert')}
                      <span
                        >${translate('Your answer is sent too: {1}|Your answers are sent too: {1}', this.given.length, this.given.join(', '))}</span
                      >
                    </p>`
              }
              <div class="hp-composer-choice" role="group" aria-label=${translate('A request is open')}>
                <button type="button" class="hp-button" @click=${() => this.#answerFirst()}>
                  ${
                    this.waitingFor !== undefined
                      ? translate('Keep waiting')
                      : translate(isOne ? 'Answer it first' : 'Answer them first')
                  }
                </button>
                <button type="button" class="hp-button hp-danger" @click=${() => this.#send()}>
                  ${
                    this.waitingFor !== undefined
                      ? translate(isOne ? 'Withdraw it and send' : 'Withdraw them and send')
                      : translate(isOne ? 'Cancel it and send' : 'Cancel them and send')
                  }
                </button>
              </div>`
          : nothing
      }
      <div class="hp-composer-line">
        <label class="hp-hidden" for=${this.#id}>${translate('Message')}</label>
        <textarea
          id=${this.#id}
          rows="1"
          placeholder=${translate('Write a message …')}
          @beforeinput=${(event: InputEvent) => this.#onBeforeInput(event)}
          @input=${() => this.#onInput()}
          @keydown=${(event: KeyboardEvent) => this.#onKey(event)}
        ></textarea>
        ${
          this.running
            ? html`<button
                type="button"
                class="hp-button hp-square"
                aria-label=${translate(this.stopping ? 'Stopping' : 'Stop')}
                title=${translate(this.stopping ? 'Stopping' : 'Stop')}
                aria-disabled=${this.stopping ? 'true' : nothing}
                @click=${() => {
                  if (!this.stopping) this.emit('holdpoint-stop', {});
                }}
              >
                ${icon(this.stopping ? 'spinner' : 'stop')}
              </button>`
            : html`<button
                class="hp-button hp-primary hp-square"
                aria-label=${translate('Send')}
                title=${translate('Send')}
              >
                ${icon('send')}
              </button>`
        }
      </div>
    </form>`;
  }

  #noteWords(): string {
    const { waiting, expired } = this;
    return waiting > expired
      ? waitingWords(waiting - expired, this.questions, this.waitingFor)
      : translate('{0} request has expired.|{0} requests have expired.', expired);
  }

  #keep(): void {
    TAB_STORAGE.setItem(`holdpoint:message:${this.draftKey}`, this.#input?.value ?? '');
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#submit();
  }

  /** What is typed after Enter begins a new line: it is not glued to the sentence that waits. */
  #onBeforeInput({ inputType, target }: InputEvent): void {
    if (!this.#isQueued || inputType !== 'insertText' || !(target instanceof HTMLTextAreaElement)) return;
    if (target.selectionStart === target.value.length) target.value += '\n';
  }

  #onInput(): void {
    const isEmpty = this.#input?.value.trim() === '';
    this.#isChanged = !isEmpty && (this.#isChanged || this.#isQueued);
    this.#isQueued = false;
    this.#keep();
    this.requestUpdate();
  }

  #onSubmit(event: Event): void {
    event.preventDefault();
    this.#submit();
  }

  /** Shows a message again that was not sent, above what the person has typed since. */
  restore(text: string): void {
    const input = this.#input;
    if (input === null) return;
    input.value = [text, input.value].filter((part) => part !== '').join('\n');
    this.#keep();
  }

  /** Keeps a text that cannot be sent yet, like a typed one. Returns false when it can be sent, or the input has another text. */
  queue(text: string): boolean {
    const input = this.#input;
    if (!this.#isHeld || input === null || input.value.trim() !== '') return false;
    input.value = text;
    this.#keep();
    this.#queue(true);
    return true;
  }

  #submit(): void {
    const text = this.#input?.value.trim() ?? '';
    if (text === '') return;
    this.#isChanged = false;
    if (this.#isHeld) {
      this.#queue(true);
      return;
    }
    if (this.waiting === 0) {
      this.#send();
      return;
    }
    this.#isAsking = true;
    this.requestUpdate();
    void this.focusAfterUpdate('.hp-composer-choice button');
  }

  #queue(isQueued: boolean): void {
    if (this.#isQueued === isQueued) return;
    this.#isQueued = isQueued;
    this.requestUpdate();
  }

  #answerFirst(): void {
    this.#isAsking = false;
    this.requestUpdate();
    this.emit('holdpoint-answer-first', {});
  }

  #send(): void {
    const input = this.#input;
    const text = input?.value.trim() ?? '';
    if (input === null || text === '') return;
    input.value = '';
    this.#isAsking = false;
    this.#keep();
    this.requestUpdate();
    this.emit('holdpoint-send', { text });
    input.focus();
  }
}
