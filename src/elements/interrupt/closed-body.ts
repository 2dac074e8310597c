import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { isRecord } from '../../core/index.ts';
import { icon } from '../base/icon.ts';
import type { CardFacts } from './card-facts.ts';
import { showMembers, showValue } from './show-value.ts';
import { translate } from '../base/strings.ts';

/** The body of an answered interrupt: its arguments. */
export function closedBody({ args, display }: CardFacts): TemplateResult {
  return html`<div class="hp-args">
    ${isRecord(args) ? showMembers(args, { display }) : showValue(args ?? {})}
  </div>`;
}

/** The body of an expired interrupt: ask again or cancel. */
export function expiredBody(
  facts: CardFacts,
  actions: { readonly askAgain: () => void; readonly cancel: () => void },
): TemplateResult {
  return html`${closedBody(facts)}
    <p class="hp-notice hp-bad">${icon('clock')}${translate('This request expired without an answer.')}</p>
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
        ${translate('Cancel')}
      </button>
    </div>`;
}
