import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { duration, timeLeft } from '../base/words.ts';
import { reasonLabel } from '../interrupt/reason-label.ts';
import type { InboxRow } from './inbox-item.ts';
import { amountOf } from '../interrupt/amounts.ts';
import { riskText, rowText, rowTitle } from './inbox-item.ts';
import { translate } from '../base/strings.ts';

/** Below this share of the total time, an expiry warns. */
const LATE = 0.2;

/** Characters of a title that leaves room for an amount in a list of middle width. */
const LONG_TITLE = 40;
/** Characters of a title that one line of a list of middle width has room for. */
const LONGEST_LINE = 52;

/** Renders one row: selection, kind, title and amount; below them person, text, age and expiry. */
export function inboxRow(
  row: InboxRow,
  options: {
    readonly now: number;
    readonly href: string;
    readonly position: number;
    readonly total: number;
    readonly isSelected: boolean;
    readonly isCurrent: boolean;
    /** Why the row was refused, or does not fit the selection. */
    readonly fault: string | undefined;
    readonly open: (event: Event) => void;
    readonly select: () => void;
  },
): TemplateResult {
  const { item, facts, raisedAt, expiresAt } = row;
  const { now, isCurrent } = options;
  const reason = reasonLabel(item.interrupt.reason);
  const title = rowTitle(facts);
  const amount = amountOf(row);
  const isSaid = amount !== undefined && title.length > LONG_TITLE && title.includes(amount);
  const text = rowText(row);
  const risk = riskText(facts);
  return html`<li
    class="hp-row"
    data-key=${row.key}
    ?data-current=${isCurrent}
    ?data-selected=${options.isSelected}
    ?data-fault=${options.fault !== undefined}
    ?data-long=${title.length > LONGEST_LINE}
    ?data-expired=${row.status === 'expired'}
    aria-posinset=${options.position}
    aria-setsize=${options.total}
  >
    <label class="hp-row-box">
      <input type="checkbox" .checked=${options.isSelected} @change=${options.select} />
      <span class="hp-hidden">${translate('Select {0}', title)}</span>
    </label>
    <a
      class="hp-row-link"
      href=${options.href}
      aria-current=${isCurrent ? 'true' : nothing}
      @click=${options.open}
    >
      <span class="hp-row-kind ${facts.isDestructive ? 'hp-row-danger' : ''}" title=${reason.label}>
        ${icon(facts.isDestructive ? 'alert' : reason.icon)}<span class="hp-hidden"
          >${reason.label}${facts.isDestructive ? `, ${translate('Permanent')}` : ''}:</span
        >
      </span>
      <bdi class="hp-row-title">${title}</bdi>
      <bdi class="hp-row-text" title=${options.fault ?? nothing}
        >${options.fault === undefined ? nothing : html`<strong class="hp-row-danger">${icon('alert')} ${options.fault}</strong>${risk === undefined && text === '' ? '' : ' · '}`}${risk === undefined ? nothing : html`<strong class="hp-row-danger">${risk}</strong> `}${text === '' ? nothing : text}</bdi
      >
      <bdi class="hp-row-amount ${isSaid ? 'hp-row-said' : ''}"
        >${amount === undefined ? nothing : visibleText(amount)}</bdi
      >
      <bdi class="hp-row-person"
        >${row.isAskedByYou ? translate('You') : visibleText(row.askedBy ?? row.agent)}</bdi
      >
      <span class="hp-row-age">${raisedAt === undefined ? nothing : duration(now - raisedAt)}</span>
      ${expiresAt === undefined ? nothing : expiry(expiresAt, { now, raisedAt })}
    </a>
  </li>`;
}

function expiry(
  expiresAt: number,
  { now, raisedAt }: { readonly now: number; readonly raisedAt: number | undefined },
): TemplateResult {
  const left = expiresAt - now;
  if (left <= 0)
    return html`<span class="hp-row-expiry hp-row-late">${icon('clock')}${translate('expired')}</span>`;
  const isLate = raisedAt !== undefined && left < (expiresAt - raisedAt) * LATE;
  return html`<span class="hp-row-expiry ${isLate ? 'hp-row-late' : ''}">
    ${icon('clock')}${timeLeft(left)}<span class="hp-hidden"> ${translate('left')}</span>
  </span>`;
}
