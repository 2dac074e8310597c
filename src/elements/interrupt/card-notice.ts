import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import type { CardStatus, GivenAnswer } from './card-status.ts';
import type { AnsweredCall, Decision } from './decision.ts';
import { answeredWords, answerWords, DECISION_ICONS, decisionOf } from './decision.ts';
import { errorSentence } from './error-sentence.ts';
import { showAnswer } from './show-value.ts';
import { type Text, translate, translateParts } from '../base/strings.ts';

/** Actions on an answer that was given. */
export interface NoticeActions {
  readonly now: number;
  /** The facts of the card. */
  readonly call: AnsweredCall;
  /** True when a person has entered something in this card. */
  readonly hasInput: boolean;
  /** True when this card has sent the answer. */
  readonly isOwn: boolean;
  /** Sends the same answer again. */
  readonly retry: () => void;
  /** Opens the card again with the entered values. */
  readonly change: () => void;
  /** Takes the closed card off the screen; absent where it stays. */
  readonly close: (() => void) | undefined;
}

/** What Retry sends, by the decision of the kept answer. */
const RETRIES: Partial<Readonly<Record<Decision, Text>>> = {
  approved: 'Retry: approve',
  changed: 'Retry: approve',
  rejected: 'Retry: reject',
  cancelled: 'Retry: cancel',
};

/** Renders the status of an answer: sending, staged, failed, or answered by another person. */
export function cardNotice(status: CardStatus, actions: NoticeActions): TemplateResult | typeof nothing {
  switch (status.state) {
    case 'open':
      return nothing;
    case 'sending':
      return html`<p class="hp-notice">${icon('spinner')}${translate('Sending …')}</p>`;
    case 'staged':
      return html`<p class="hp-notice">
        ${icon('check')}<span
          >${translate('{0}. Not sent yet: it goes with the other answers.', answerWords(status.entry, actions.call))}</span
        >
        <button type="button" class="hp-button hp-small" data-action="change" @click=${actions.change}>
          ${translate('Change')}
        </button>
      </p>`;
    case 'failed':
      return html`<div class=${status.isReachable === true ? 'hp-notice' : 'hp-notice hp-bad'} role="alert">
        ${icon('alert')}
        <div>
          ${
            status.isWithdrawal === true
              ? nothing
              : html`<p>
                  ${translateParts('Your answer: {0}', html`<strong>${answerWords(status.entry, actions.call)}</strong>`)}
                </p>`
          }
          <p>
            ${
              status.isReachable === true
                ? translate('The server can be reached again. Your answer was not sent. Retry sends it.')
                : errorSentence(status.error, { hasInput: actions.hasInput, isAnswer: true })
            }
          </p>
        </div>
        <button type="button" class="hp-button hp-small" data-action="retry" @click=${actions.retry}>
          ${translate(status.isWithdrawal === true ? 'Retry' : (RETRIES[decisionOf(status.entry)] ?? 'Retry'))}
        </button>
        <button type="button" class="hp-button hp-small" data-action="change" @click=${actions.change}>
          ${translate('Change')}
        </button>
      </div>`;
    case 'lost':
      // A changed "… ago" is no news.
      return html`<div class="hp-notice hp-bad" role="status" aria-relevant="additions">
        ${icon('alert')}
        <div>
          <p>
            ${translateParts(
              '{0}. Your answer was not used.',
              html`<strong>${wonBy(status.answered, actions)}</strong>`,
            )}
          </p>
          ${
            status.yours === undefined
              ? nothing
              : html`<div class="hp-both">
                  ${bothAnswers(translate(status.answered.you === true ? 'The other window' : 'Theirs'), status.answered)}
                  ${bothAnswers(translate(status.answered.you === true ? 'This window' : 'Yours'), status.yours)}
                </div>`
          }
        </div>
        ${closeButton(actions)}
      </div>`;
    case 'answered': {
      const decision = decisionOf(status.answered);
      return html`<div class="hp-notice hp-decision-${decision}">
        ${icon(DECISION_ICONS[decision])}<span
          >${actions.isOwn ? answeredWords(status.answered, actions.now, actions.call) : wonBy(status.answered, actions)}</span
        >
        ${closeButton(actions)}
      </div>`;
    }
    default:
      return status satisfies never;
  }
}

/** "Approved by Ana 12 s ago". Another window of the same person counts as another place. */
function wonBy(answered: GivenAnswer, { now, call }: NoticeActions): string {
  const { you: _you, by: _by, ...rest } = answered;
  return answered.you === true
    ? answeredWords(rest, now, { ...call, isElsewhere: true })
    : answeredWords(answered, now, call);
}

function closeButton({ close }: NoticeActions): TemplateResult | typeof nothing {
  if (close === undefined) return nothing;
  return html`<button type="button" class="hp-button hp-small" data-action="close" @click=${close}>
    ${translate('Close')}
  </button>`;
}

function bothAnswers(whose: string, answer: Pick<GivenAnswer, 'status' | 'payload'>): TemplateResult {
  return html`<div>
    <strong>${whose}</strong>: ${answerWords(answer)}
    ${answer.payload === undefined ? nothing : showAnswer(answer.payload)}
  </div>`;
}
