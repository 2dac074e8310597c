import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import type { CardFacts } from '../interrupt/card-facts.ts';
import type { InboxRow } from './inbox-item.ts';
import {
  detailsText,
  faultsAmong,
  faultsIn,
  isDecidable,
  mayApproveTogether,
  mayRejectTogether,
  rowText,
  rowTitle,
} from './inbox-item.ts';
import { amountOf, coverage, totalOf } from '../interrupt/amounts.ts';
import { riskLabel } from '../interrupt/reason-label.ts';
import { translate } from '../base/strings.ts';

/** What a person is about to do with the selected rows. */
export type BulkStep = 'approve' | 'reject' | undefined;

/** Renders the selection and its buttons: the first press lists the requests, the second decides. */
export function inboxSelection(
  chosen: readonly InboxRow[],
  options: {
    /** Number of selected rows that a search or a filter hides. They are not decided. */
    readonly hidden: number;
    readonly step: BulkStep;
    readonly reason: string;
    readonly begin: (step: BulkStep) => void;
    readonly setReason: (reason: string) => void;
    readonly decide: () => void;
    readonly clear: () => void;
    /** Deselects these rows. */
    readonly leaveOut: (rows: readonly InboxRow[]) => void;
    /** Takes the search and the filters away. */
    readonly showAll: () => void;
  },
): TemplateResult {
  const { step, hidden } = options;
  const mayApprove = mayApproveTogether(chosen);
  const mayReject = mayRejectTogether(chosen);
  const size = chosen.length;
  const faulty = faultsAmong(chosen).map(({ row }) => row);
  const isMissing =
    step === 'reject' && options.reason.trim() === '' && chosen.some(({ facts }) => facts.requiresReason);
  const total = step === 'approve' ? totalOf(chosen) : undefined;
  const warnings = step === 'approve' ? approvalWarnings(chosen) : [];
  const notes = step === 'approve' ? balanceNotes(chosen) : [];
  // Enter in the reason rejects, and Escape goes back to the buttons, as in a card.
  const onKey = (event: KeyboardEvent) => {
    const isSend = event.key === 'Enter' && event.target instanceof HTMLInputElement && !event.isComposing;
    if (step === undefined || event.repeat || (!isSend && event.key !== 'Escape')) return;
    event.preventDefault();
    if (!isSend) options.begin(undefined);
    else if (!isMissing) options.decide();
  };
  const decideButtons = html` <button
      type="button"
      class="hp-button hp-small hp-primary"
      data-action="approve-all"
      ?disabled=${!mayApprove}
      @click=${() => options.begin('approve')}
    >
      ${icon('check')}${translate('Approve {0} …', size)}
    </button>
    <button
      type="button"
      class="hp-button hp-small hp-danger"
      data-action="reject-all"
      ?disabled=${!mayReject}
      @click=${() => options.begin('reject')}
    >
      ${icon('ban')}${translate('Reject {0} …', size)}
    </button>`;
  return html`<section class="hp-selection" aria-label=${translate('Selected requests')} @keydown=${onKey}>
    ${
      step === undefined
        ? html`<p tabindex="-1">
              ${
                size === 0
                  ? nothing
                  : html`<strong>${translate('{0} request selected.|{0} requests selected.', size)}</strong>
                      ${whyNotTogether(chosen)}`
              }
              ${hidden === 0 ? nothing : hiddenWords(hidden, size)}
            </p>
            <div class="hp-actions">
              ${size === 0 ? nothing : decideButtons}
              ${
                faulty.length === 0 || faulty.length === size
                  ? nothing
                  : html`<button
                      type="button"
                      class="hp-button hp-small"
                      data-action="leave-out"
                      @click=${() => options.leaveOut(faulty)}
                    >
                      ${translate('Leave out {0}', faulty.length)}
                    </button>`
              }
              ${
                hidden === 0
                  ? nothing
                  : html`<button
                      type="button"
                      class="hp-button hp-small"
                      data-action="show-all"
                      @click=${options.showAll}
                    >
                      ${translate('Show all requests')}
                    </button>`
              }
              <button
                type="button"
                class="hp-button hp-small hp-quiet"
                data-action="clear"
                @click=${options.clear}
              >
                ${translate('Clear selection')}
              </button>
            </div>`
        : html`<p>
              <strong
                >${translate(
                  step === 'approve'
                    ? 'Approve {0} request?|Approve {0} requests?'
                    : 'Reject {0} request?|Reject {0} requests?',
                  size,
                )}</strong
              >
              ${
                total === undefined
                  ? nothing
                  : html`<bdi class="hp-total">${translate('Total: {0}', total)}</bdi>`
              }
              ${hidden === 0 ? nothing : hiddenWords(hidden, size)}
            </p>
            ${warnings.map(
              (warning) =>
                html`<p class="hp-notice hp-bad" role="alert">${icon('alert')}<span>${warning}</span></p>`,
            )}
            ${notes.map((note) => html`<p class="hp-notice">${icon('clock')}<span>${note}</span></p>`)}
            <ul tabindex="0" aria-label=${translate('Selected requests')}>
              ${chosen.map(
                (row) =>
                  html`<li>
                    <bdi class="hp-chosen-amount">${visibleText(amountOf(row) ?? '')}</bdi>
                    <bdi>${rowTitle(row.facts)}</bdi> ${chosenRisk(row.facts)} ${chosenText(row)}
                  </li>`,
              )}
            </ul>
            ${
              step === 'reject'
                ? html`<label class="hp-field">
                    <span class="hp-label">
                      ${translate('Reason|Reason for all {0}', size)}${
                        chosen.some(({ facts }) => facts.requiresReason)
                          ? ''
                          : html` <span>${translate('(optional)')}</span>`
                      }
                    </span>
                    <input
                      class="hp-input"
                      type="text"
                      autocomplete="off"
                      .value=${options.reason}
                      @input=${(event: Event) => options.setReason((event.target as HTMLInputElement).value)}
                    />
                  </label>`
                : nothing
            }
            <div class="hp-actions">
              <button
                type="button"
                class="hp-button ${step === 'approve' ? 'hp-primary' : 'hp-danger hp-filled'}"
                data-action="decide-all"
                ?disabled=${isMissing}
                @click=${options.decide}
              >
                ${translate(step === 'approve' ? 'Yes, approve {0}' : 'Yes, reject {0}', size)}
              </button>
              <button
                type="button"
                class="hp-button"
                data-action="back"
                @click=${() => options.begin(undefined)}
              >
                ${translate('Back')}
              </button>
            </div>`
    }
  </section>`;
}

/** Says how many selected requests a search or a filter hides, beside those in sight. */
export function hiddenWords(hidden: number, inSight: number): string {
  return translate(
    inSight === 0
      ? '{0} selected request is hidden by the search or a filter, and is not decided.|{0} selected requests are hidden by the search or a filter, and are not decided.'
      : '{0} more is selected but hidden by the search or a filter, and is not decided.|{0} more are selected but hidden by the search or a filter, and are not decided.',
    hidden,
  );
}

/** What a person has to know before several requests are approved together. */
function approvalWarnings(chosen: readonly InboxRow[]): readonly string[] {
  const repeated = repeatedAmong(chosen);
  return [
    ...coverage(chosen).flatMap(({ total = '', balance, isBeyond, isEachBeyond }) =>
      isBeyond
        ? [
            translate(
              isEachBeyond
                ? 'Together {0}; the balance was {1} when the newest of them was asked: none of them is covered.'
                : 'Together {0}; the balance was {1} when the newest of them was asked: not all of them are covered.',
              visibleText(total),
              visibleText(balance),
            ),
          ]
        : [],
    ),
    ...(repeated === 0
      ? []
      : [
          translate(
            '{0} of them repeats another one exactly.|{0} of them repeat another one exactly.',
            repeated,
          ),
        ]),
  ];
}

/** Says how old a balance is that covers the selected amounts: without a warning, they could be read as covered now. */
function balanceNotes(chosen: readonly InboxRow[]): readonly string[] {
  return coverage(chosen).flatMap(({ balance, isBeyond, size }) =>
    isBeyond
      ? []
      : [
          translate(
            'The balance was {1} when it was asked; it may be lower now.|The balance was {1} when the newest of them was asked; it may be lower now.',
            size,
            visibleText(balance),
          ),
        ],
  );
}

/** Number of requests that ask for the same call as an earlier one of the list. */
function repeatedAmong(chosen: readonly InboxRow[]): number {
  const signatures = chosen.flatMap(({ signature }) => signature ?? []);
  return signatures.length - new Set(signatures).size;
}

/** What distinguishes a request, and who asked. */
function chosenText(row: InboxRow): TemplateResult {
  const text = rowText(row);
  const asked = row.isAskedByYou
    ? translate('asked by you')
    : translate('asked by {0}', visibleText(row.askedBy ?? row.agent));
  return html`<span class="hp-muted"
    >${text === '' ? nothing : html`<bdi>${text}</bdi> · `}<bdi>${asked}</bdi></span
  >`;
}

/** The risk of a request, and with it what the card says beside the arguments. */
function chosenRisk(facts: CardFacts): TemplateResult | typeof nothing {
  if (facts.risk === undefined) return nothing;
  return html`<strong class="hp-row-danger">${riskLabel(facts.risk)}</strong>
    <bdi>${detailsText(facts)}</bdi>`;
}

/** Most rows at fault that the sentence names. */
const MOST_NAMED = 3;

/** Why the selected rows cannot be approved together, and which ones are at fault; empty when they can. */
export function whyNotTogether(chosen: readonly InboxRow[]): string {
  if (mayApproveTogether(chosen)) return '';
  const faults = faultsIn(chosen).map(({ row, text }) => translate('“{0}” {1}.', rowTitle(row.facts), text));
  const rule = translate(
    mayRejectTogether(chosen)
      ? 'You can approve several requests together only if they call the same tool or belong to one conversation, and none is permanent.'
      : !chosen.every(isDecidable)
        ? 'You can decide several requests together only if each of them waits for you.'
        : chosen.every((row) => mayRejectTogether([{ ...row, isUnsent: false }]))
          ? 'You can decide several requests together only if their cards have no unsent changes.'
          : 'You can decide several requests together only if each asks for an approval.',
  );
  const rest = faults.length > MOST_NAMED ? [translate('… and {0} more', faults.length - MOST_NAMED)] : [];
  return [rule, ...faults.slice(0, MOST_NAMED), ...rest].join(' ');
}
