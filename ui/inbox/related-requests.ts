import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { InboxItem } from '../../src/client/index.ts';
import { icon, isPlainApproval, plainAnswer, rowTitle, toRow, translate } from '../../src/elements/index.ts';

/** Renders what other open requests have to do with the shown one: those of its turn, and those that ask for the same. */
export function relatedRequests(
  items: readonly InboxItem[],
  options: {
    readonly listed: InboxItem | undefined;
    readonly approveAll: (turn: readonly InboxItem[]) => void;
    readonly selectAll: (same: readonly InboxItem[]) => void;
  },
): TemplateResult | typeof nothing {
  const { listed } = options;
  if (listed === undefined) return nothing;
  const turn = items.filter(({ threadId }) => threadId === listed.threadId);
  const row = toRow(listed);
  const { signature } = row;
  const isPlain = signature !== undefined && plainAnswer(row, false) !== undefined && isOpen(listed);
  const same = isPlain ? items.filter((item) => toRow(item).signature === signature && isOpen(item)) : [];
  return html`${turn.length < 2 ? nothing : showTurn(turn, () => options.approveAll(turn))}
  ${
    same.length < 2
      ? nothing
      : html`<div class="hp-notice inbox-related">
          <div>${translate('{0} requests ask for exactly this.', same.length)}</div>
          <button type="button" class="hp-button hp-small" @click=${() => options.selectAll(same)}>
            ${translate('Select all {0}', same.length)}
          </button>
        </div>`
  }`;
}

/** A thread has one open turn: its agent continues when every request of the turn has an answer. */
function showTurn(turn: readonly InboxItem[], approveAll: () => void): TemplateResult {
  const rows = turn.map(toRow);
  return html`<div class="hp-notice inbox-related">
    <div>
      <strong>${translate('This turn asks for {0} decisions.', turn.length)}</strong>
      ${translate('The agent continues when all of them have an answer.')}
      <ul>
        ${rows.map(({ facts }) => html`<li><bdi>${rowTitle(facts)}</bdi></li>`)}
      </ul>
    </div>
    ${
      rows.every(isPlainApproval)
        ? html`<button type="button" class="hp-button hp-primary" @click=${approveAll}>
            ${icon('check')}${translate('Approve all {0} …', turn.length)}
          </button>`
        : nothing
    }
  </div>`;
}

/** False for an expired request and for one that waits for another person: they cannot be decided together. */
function isOpen(item: InboxItem): boolean {
  return toRow(item).status === 'pending' && item.mayAnswer !== false;
}
