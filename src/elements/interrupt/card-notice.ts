import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import { ago } from '../base/words.ts';
import type { CardStatus, GivenAnswer } from './card-status.ts';
import { answerWords } from './card-status.ts';
import { errorSentence } from './error-sentence.ts';
import { showValue } from './show-value.ts';

/** Actions on an answer that was given. */
export interface NoticeActions {
  readonly now: number;
  /** Sends the same answer again. */
  readonly retry: () => void;
  /** Opens the card again with the entered values. */
  readonly change: () => void;
}

/** Renders the status of an answer: sending, staged, failed, or answered by another person. */
export function cardNotice(status: CardStatus, actions: NoticeActions): TemplateResult | typeof nothing {
  switch (status.state) {
    case 'open':
      return nothing;
    case 'sending':
      return html`<p class="hp-notice">${icon('spinner')}Sending …</p>`;
    case 'staged':
      return html`<p class="hp-notice">
        ${icon('check')}<span>${answerWords(status.entry)}. It goes with the other answers.</span>
        <button type="button" class="hp-button hp-small" data-action="change" @click=${actions.change}>
          Change
        </button>
      </p>`;
    case 'failed':
      return html`<div class="hp-notice hp-bad" role="alert">
        ${icon('alert')}<span>${errorSentence(status.error)}</span>
        <button type="button" class="hp-button hp-small" data-action="retry" @click=${actions.retry}>
          Retry
        </button>
        <button type="button" class="hp-button hp-small" data-action="change" @click=${actions.change}>
          Change
        </button>
      </div>`;
    case 'lost':
      return html`<div class="hp-notice" role="status">
        ${icon('alert')}
        <div>
          <p>${byWhom(status.answered, actions.now)}. Your answer was not used.</p>
          ${
            status.yours === undefined
              ? nothing
              : html`<div class="hp-both">
                  ${bothAnswers('Theirs', status.answered)} ${bothAnswers('Yours', status.yours)}
                </div>`
          }
        </div>
      </div>`;
    case 'answered':
      return html`<p class="hp-notice">
        ${icon('check')}<span>${byWhom(status.answered, actions.now)}</span>
      </p>`;
    default:
      return status satisfies never;
  }
}

/** "Approved by Ana 12 s ago". */
function byWhom(answered: GivenAnswer, now: number): string {
  const by = answered.by === undefined ? '' : ` by ${answered.by}`;
  const at = answered.at === undefined ? '' : ` ${ago(answered.at, now)}`;
  return `${answerWords(answered)}${by}${at}`;
}

function bothAnswers(whose: string, answer: Pick<GivenAnswer, 'status' | 'payload'>): TemplateResult {
  return html`<div>
    <strong>${whose}</strong>: ${answerWords(answer)}
    ${answer.payload === undefined ? nothing : showValue(answer.payload)}
  </div>`;
}
