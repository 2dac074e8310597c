import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import { count } from '../base/words.ts';
import type { InboxRow } from './inbox-item.ts';
import { mayApproveTogether, rowText } from './inbox-item.ts';

/** What is selected, and approving it together: listed first, then done. */
export function inboxSelection(
  chosen: readonly InboxRow[],
  given: { readonly isListing: boolean; readonly approve: () => void; readonly clear: () => void },
): TemplateResult {
  const may = mayApproveTogether(chosen);
  return html`<section class="hp-selection" aria-label="Selected questions">
    <p>
      <strong>${count(chosen.length, 'question')} selected.</strong>
      ${may ? '' : 'Only calls of the same tool that can be undone are approved together.'}
    </p>
    ${
      given.isListing && may
        ? html`<ul>
            ${chosen.map(
              (row) => html`<li>${row.facts.title} <span class="hp-muted">${rowText(row)}</span></li>`,
            )}
          </ul>`
        : nothing
    }
    <div class="hp-actions">
      <button
        type="button"
        class="hp-button hp-primary"
        data-action="approve-all"
        ?disabled=${!may}
        @click=${given.approve}
      >
        ${icon('check')}${given.isListing ? `Yes, approve ${chosen.length}` : `Approve ${chosen.length} …`}
      </button>
      <button type="button" class="hp-button" @click=${given.clear}>Clear selection</button>
    </div>
  </section>`;
}
