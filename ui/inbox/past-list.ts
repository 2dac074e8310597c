import type { TemplateResult } from 'lit';
import { html } from 'lit';
import type { InboxItem } from '../../src/client/index.ts';
import { ago, answerWords, cardFacts, givenAnswerOf, icon } from '../../src/elements/index.ts';
import { interruptPath, withAgent } from '../router.ts';

/** Answered interrupts: message, answer and principal. */
export function pastList(items: readonly InboxItem[], now: number): TemplateResult {
  if (items.length === 0) {
    return html`<div class="hp-empty">
      ${icon('check')}
      <p>No request has been answered yet.</p>
    </div>`;
  }
  return html`<ul class="hp-rows" aria-label="Answered requests">
    ${items.map((item) => {
      const answered = givenAnswerOf(item);
      const when = answered?.at === undefined ? '' : ` ${ago(answered.at, now)}`;
      return html`<li class="hp-row">
        <a class="hp-row-link" href=${withAgent(interruptPath(item.threadId, item.interrupt.id))}>
          <span class="hp-row-title">${cardFacts(item.interrupt).title}</span>
          <span class="hp-row-text">
            ${answered === undefined ? String(item['status']) : answerWords(answered)}
            ${answered?.by === undefined ? '' : `by ${answered.by}`}${when}
          </span>
        </a>
      </li>`;
    })}
  </ul>`;
}
