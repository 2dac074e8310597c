import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import type { CardFacts } from './card-facts.ts';
import { showValue } from './show-value.ts';
import { translate } from '../base/strings.ts';

/** The body of an answered interrupt: its arguments. */
export function closedBody({ args, display }: CardFacts): TemplateResult {
  return html`<div class="hp-args">${showValue(args ?? {}, { display })}</div>`;
}

/** The body for a viewer who may not answer: who may, and a button for the asker to take the request back. */
export function waitingBody(
  facts: CardFacts,
  waiting: { readonly for: string; readonly withdraw: (() => void) | undefined },
): TemplateResult {
  const { withdraw } = waiting;
  return html`${closedBody(facts)}
    <p class="hp-notice" tabindex="-1" data-waiting>
      ${icon('clock')}<span>${translate('Waiting for {0}.', waiting.for)}</span>
    </p>
    ${
      withdraw === undefined
        ? nothing
        : html`<div class="hp-actions">
            <button
              type="button"
              class="hp-button"
              data-action="withdraw"
              data-primary
              title=${translate('Take your request back: nothing is done')}
              @click=${withdraw}
            >
              ${icon('back')}${translate('Withdraw')}
            </button>
          </div>`
    }`;
}

/** The body of an expired interrupt: ask again or cancel. */
export function expiredBody(
  facts: CardFacts,
  actions: { readonly isQuestion: boolean; readonly askAgain: () => void; readonly cancel: () => void },
): TemplateResult {
  return html`${closedBody(facts)}
    <p class="hp-notice hp-bad">
      ${icon('clock')}${translate(actions.isQuestion ? 'This question expired without an answer.' : 'This request expired without an answer.')}
    </p>
    <div class="hp-actions">
      <button
        type="button"
        class="hp-button hp-primary"
        data-action="ask-again"
        data-primary
        @click=${actions.askAgain}
      >
        ${icon('retry')}${translate('Ask again')}
      </button>
      <button type="button" class="hp-button hp-quiet hp-last" data-action="cancel" @click=${actions.cancel}>
        ${translate(actions.isQuestion ? 'Cancel question' : 'Cancel request')}
      </button>
    </div>`;
}
