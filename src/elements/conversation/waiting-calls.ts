import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import { translate } from '../base/strings.ts';
import { rowTitle } from '../inbox/inbox-item.ts';
import { cardFacts } from '../interrupt/card-facts.ts';
import { answerWords, decisionOf } from '../interrupt/decision.ts';
import type { InterruptEntry } from './records.ts';

/** The approved calls among these interrupts of a turn that wait for its open requests; `open` is the number of those. */
export function waitingCalls(turn: readonly InterruptEntry[], open: number): TemplateResult | typeof nothing {
  const approved = turn.filter(isApprovedCall);
  if (approved.length === 0) return nothing;
  return html`<div class="hp-notice hp-waiting-calls" data-waiting-calls>
    ${icon('clock')}
    <div>
      <strong>${translate('Approved, but not run yet:')}</strong>
      <ul>
        ${approved.map((entry) => html`<li><bdi>${callWords(entry)}</bdi></li>`)}
      </ul>
      ${translate(
        open > 1
          ? 'It runs when all requests of this turn are answered or cancelled.|They run when all requests of this turn are answered or cancelled.'
          : 'It runs when this request is answered or cancelled.|They run when this request is answered or cancelled.',
        approved.length,
      )}
    </div>
  </div>`;
}

/** True for an approval that no run has carried out yet. */
function isApprovedCall({ status, answered }: InterruptEntry): boolean {
  return (
    status === 'answered' && answered !== undefined && ['approved', 'changed'].includes(decisionOf(answered))
  );
}

/** "Send $1,000 to ABC123", and what an approver has changed in it. */
export function callWords({
  interrupt,
  answered = {},
}: Pick<InterruptEntry, 'interrupt' | 'answered'>): string {
  const facts = cardFacts(interrupt);
  const title = rowTitle(facts);
  return decisionOf(answered) === 'changed' ? `${title} · ${answerWords(answered, facts)}` : title;
}
