import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import { count } from '../base/words.ts';
import type { InboxRow } from './inbox-item.ts';
import { mayApproveTogether, rowText } from './inbox-item.ts';

/** Renders the selection and its approve button: the first press lists, the second approves. */
export function inboxSelection(
  chosen: readonly InboxRow[],
  options: { readonly isListing: boolean; readonly approve: () => void; readonly clear: () => void },
): TemplateResult {
  const may = mayApproveTogether(chosen);
  return html`<section class="hp-selection" aria-label="Selected requests">
    <p>
      <strong>${count(chosen.length, 'request')} selected.</strong>
      ${may ? '' : 'You can approve several requests together only if they call the same tool and can be undone.'}
    </p>
    ${
      options.isListing && may
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
        @click=${options.approve}
      >
        ${icon('check')}${options.isListing ? `Yes, approve ${chosen.length}` : `Approve ${chosen.length} …`}
      </button>
      <button type="button" class="hp-button" @click=${options.clear}>Clear selection</button>
    </div>
  </section>`;
}
