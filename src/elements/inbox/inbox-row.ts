import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import { ago } from '../base/words.ts';
import { reasonLabel } from '../interrupt/reason-label.ts';
import type { InboxRow } from './inbox-item.ts';
import { rowText } from './inbox-item.ts';

/** Renders one row: subject, agent, age and expiry. */
export function inboxRow(
  row: InboxRow,
  options: {
    readonly now: number;
    readonly clock: () => number;
    readonly href: string;
    readonly isSelected: boolean;
    readonly isCurrent: boolean;
    readonly open: (event: Event) => void;
    readonly select: () => void;
    readonly focus: () => void;
  },
): TemplateResult {
  const { item, facts, agent, raisedAt } = row;
  const { interrupt } = item;
  const reason = reasonLabel(interrupt.reason);
  return html`<li
    class="hp-row"
    data-key=${row.key}
    ?data-current=${options.isCurrent}
    @focusin=${options.focus}
  >
    <label class="hp-row-box">
      <input type="checkbox" .checked=${options.isSelected} @change=${options.select} />
      <span class="hp-hidden">Select ${facts.title}</span>
    </label>
    <a class="hp-row-link" href=${options.href} @click=${options.open}>
      <span class="hp-row-title">${facts.title}</span>
      <span class="hp-row-text">${rowText(row)}</span>
      <span class="hp-facets">
        <span class="hp-badge">${icon(reason.icon)}${reason.label}</span>
        ${
          facts.isDestructive
            ? html`<span class="hp-badge hp-late">${icon('alert')}Cannot be undone</span>`
            : nothing
        }
        ${
          row.expiresAt === undefined
            ? nothing
            : html`<holdpoint-countdown
                .expiresAt=${interrupt.expiresAt}
                .from=${raisedAt}
                .clock=${options.clock}
              ></holdpoint-countdown>`
        }
        <span>${agent}</span>
        ${raisedAt === undefined ? nothing : html`<span>${ago(raisedAt, options.now)}</span>`}
      </span>
    </a>
  </li>`;
}
