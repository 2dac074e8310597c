import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { icon } from '../base/icon.ts';
import type { CardFacts } from './card-facts.ts';
import { showValue } from './show-value.ts';

/** A question that has its answer: what it was about stays to be seen. */
export function closedBody({ args }: CardFacts): TemplateResult {
  return html`<div class="hp-args">${showValue(args ?? {})}</div>`;
}

/** A question whose time is over: no answer, but it can be asked again, or given up. */
export function expiredBody(
  facts: CardFacts,
  given: { readonly askAgain: () => void; readonly cancel: () => void },
): TemplateResult {
  return html`${closedBody(facts)}
    <p class="hp-notice hp-bad">${icon('clock')}Nobody answered in time.</p>
    <div class="hp-actions">
      <button
        type="button"
        class="hp-button hp-primary"
        data-action="ask-again"
        data-primary
        @click=${given.askAgain}
      >
        ${icon('retry')}Ask again
      </button>
      <button type="button" class="hp-button hp-quiet hp-last" data-action="cancel" @click=${given.cancel}>
        Cancel
      </button>
    </div>`;
}
