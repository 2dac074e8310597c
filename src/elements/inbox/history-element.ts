import type { PropertyDeclarations, TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { HoldpointElement } from '../base/holdpoint-element.ts';
import { icon } from '../base/icon.ts';
import { moment, toWords } from '../base/words.ts';
import type { Decision } from '../interrupt/decision.ts';
import { answerWords, DECISION_ICONS, decisionOf } from '../interrupt/decision.ts';
import { showAnswer } from '../interrupt/show-value.ts';
import { historyAsCsv } from './history-csv.ts';
import { type Text, translate } from '../base/strings.ts';

/** The label of each step of an interrupt. */
const STEPS: ReadonlyMap<unknown, Text> = new Map<unknown, Text>([
  ['raised', 'Asked'],
  ['staged', 'Answered'],
  ['claimed', 'Taken by a run'],
  ['settled', 'Carried out'],
  ['released', 'Released: the answer was not used'],
  ['cancelled', 'Cancelled'],
  ['expired', 'Expired'],
  ['superseded', 'Asked again'],
  ['withdrawn', 'Withdrawn'],
  ['taken-back', 'Answer taken back'],
  ['granted', 'Ran without asking'],
  ['outcome', 'Outcome changed'],
  ['erased', 'Erased'],
]);

/** The steps that end an interrupt without an answer; each has the icon and colour of its decision. */
const DECIDED: ReadonlyMap<unknown, Decision> = new Map<unknown, Decision>([
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
  ['withdrawn', 'withdrawn'],
]);

/** The label of a request that replaces the one of the steps before it; undefined for the first request. */
function replacementLabel(raised: UnknownRecord, before: readonly UnknownRecord[]): Text | undefined {
  const replaced = before.at(-1)?.['interruptId'];
  if (replaced === undefined || replaced === raised['interruptId']) return undefined;
  return before.some(({ what, interruptId }) => what === 'expired' && interruptId === replaced)
    ? 'Asked in place of the request that expired'
    : 'Asked in place of an earlier request';
}

/** False when the last answer was a no: then nothing was carried out. */
function isCarriedOut(steps: readonly UnknownRecord[]): boolean {
  const answer = steps.findLast(({ status }) => status === 'resolved' || status === 'cancelled');
  if (answer === undefined) return true;
  const { status, payload } = answer;
  const decision = decisionOf({ status: status === 'cancelled' ? 'cancelled' : 'resolved', payload });
  // A person can skip a call that failed; a question that was left empty is carried out.
  if (decision === 'skipped') return !isRecord(payload);
  return decision !== 'rejected' && decision !== 'cancelled' && decision !== 'withdrawn';
}

/** `<holdpoint-history>`: the history of an interrupt: each step with its time, its principal and its channel. */
export class HoldpointHistoryElement extends HoldpointElement {
  static override properties: PropertyDeclarations = {
    entries: { attribute: false },
    name: {},
    failed: { type: Boolean },
    uncertain: { type: Boolean },
  };

  declare entries: readonly UnknownRecord[];
  /** File name of the saved history, without extension. */
  declare name: string;
  /** True when the call failed: the step that carried it out says so. Default: false. */
  declare failed: boolean;
  /** True when it is not known whether the call ran: the step that carried it out says so. Default: false. */
  declare uncertain: boolean;

  constructor() {
    super();
    this.entries = [];
    this.name = 'history';
    this.failed = false;
    this.uncertain = false;
  }

  protected override render(): TemplateResult {
    const { entries } = this;
    return html`<ol class="hp-history">
        ${entries.map((entry, index) => this.#renderEntry(entry, entries.slice(0, index)))}
      </ol>
      ${
        entries.length === 0
          ? html`<p class="hp-muted">${translate('Nothing is recorded.')}</p>`
          : html`<div class="hp-actions">
              <button type="button" class="hp-button hp-small" @click=${() => this.#save('json')}>
                ${icon('file')}${translate('Save as JSON')}
              </button>
              <button type="button" class="hp-button hp-small" @click=${() => this.#save('csv')}>
                ${icon('file')}${translate('Save as CSV')}
              </button>
            </div>`
      }`;
  }

  #renderEntry(entry: UnknownRecord, before: readonly UnknownRecord[]): TemplateResult {
    const { what, at, by, via, status, payload, reason } = entry;
    const isSettled = what === 'settled';
    // The asker withdraws by an answer. Without one, the host closed the request: its conversation was deleted, or its agent went on.
    const isClosed = what === 'withdrawn' && status === undefined;
    const replacement = what === 'raised' ? replacementLabel(entry, before) : undefined;
    const outcome = isSettled ? this.#outcomeLabel(before) : undefined;
    const known = isClosed ? 'Closed without the call' : (outcome ?? replacement ?? STEPS.get(what));
    const step = known === undefined ? toWords(String(what)) : translate(known);
    const isAnswer = what !== 'withdrawn' && (status === 'resolved' || status === 'cancelled');
    const decision = isAnswer ? decisionOf({ status, payload }) : DECIDED.get(isClosed ? 'cancelled' : what);
    return html`<li>
      <strong class=${decision === undefined ? nothing : `hp-history-step hp-decision-${decision}`}
        >${decision === undefined ? nothing : icon(DECISION_ICONS[decision])}${step}</strong
      >
      <span class="hp-facets">
        ${typeof at === 'number' ? html`<time datetime=${new Date(at).toISOString()}>${moment(at)}</time>` : nothing}
        ${typeof by === 'string' ? html`<span>${translate('by {0}', by)}</span>` : nothing}
        ${typeof via === 'string' && via !== 'withdrawal' ? html`<span>${translate('via {0}', via)}</span>` : nothing}
      </span>
      ${isAnswer ? html`<p>${answerWords({ status, payload })}</p>` : nothing}
      ${typeof reason === 'string' && !isAnswer ? html`<p>${reason}</p>` : nothing}
      ${
        typeof payload === 'object' && payload !== null
          ? html`<div class="hp-args">${showAnswer(payload)}</div>`
          : nothing
      }
    </li>`;
  }

  /** What became of the call; undefined if it was carried out. */
  #outcomeLabel(before: readonly UnknownRecord[]): Text | undefined {
    if (this.uncertain) return 'It is not known whether the call ran';
    if (this.failed) return 'The call failed';
    return isCarriedOut(before) ? undefined : 'Closed without the call';
  }

  #save(form: 'json' | 'csv'): void {
    const text = form === 'json' ? JSON.stringify(this.entries, undefined, 2) : historyAsCsv(this.entries);
    const url = URL.createObjectURL(
      new Blob([text], { type: form === 'json' ? 'application/json' : 'text/csv' }),
    );
    const link = document.createElement('a');
    link.href = url;
    link.download = `${this.name}.${form}`;
    link.click();
    URL.revokeObjectURL(url);
  }
}
