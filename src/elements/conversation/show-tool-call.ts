import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { icon } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { moment, toWords } from '../base/words.ts';
import { showChanges } from '../interrupt/approval-body.ts';
import { cardFacts } from '../interrupt/card-facts.ts';
import { schemaEffect } from '../interrupt/card-parts.ts';
import { changesBetween } from '../interrupt/changes.ts';
import {
  DECISION_ICONS,
  decisionOf,
  grantWords,
  isAgainst,
  recordWords,
  toldTitle,
  unsaidValues,
} from '../interrupt/decision.ts';
import { parse, showAnswer, showResult, showValue } from '../interrupt/show-value.ts';
import { textOf } from './message-text.ts';
import type { InterruptEntry } from './records.ts';
import type { CallShown, ToolCallState, ToolResult } from './tool-call-state.ts';
import { STATE_WORDS } from './tool-call-state.ts';
import { translate, translateParts } from '../base/strings.ts';

/** A tool call with everything that is known of it. */
export interface ToolCallShown {
  readonly call: CallShown;
  readonly state: ToolCallState;
  readonly result: ToolResult | undefined;
  /** The interrupts of the call, the oldest first. */
  readonly records: readonly InterruptEntry[];
  readonly now: number;
}

/** Renders a tool call: what it does, its state and the decision about it; unfolded, its arguments and result. */
export function showToolCall({ call, state, result, records, now }: ToolCallShown): TemplateResult {
  const words = STATE_WORDS[state];
  const edited = editedArgs(records);
  const asked = records
    .map(({ interrupt }) => cardFacts(interrupt))
    .findLast((one) => one.args !== undefined);
  // What a person was asked about is what runs; the call has the words of the model.
  const args = edited ?? asked?.args ?? parse(call.args);
  const answered = records.filter((record) => record.answered !== undefined);
  const [first] = records;
  const facts = first === undefined ? undefined : cardFacts(first.interrupt);
  const title = callTitle(call, result, records);
  const display = recordOf(result?.metadata?.['display']) ?? {};
  // The texts of the interrupt are about the arguments before a change.
  const texts = (edited === undefined ? facts?.display : undefined) ?? recordOf(display['input']);
  const last = answered.at(-1);
  const given = answersOfPeople(records);
  const grant = last?.answered?.via === 'grant' ? undefined : grantLine(result);
  return html`<details class="hp-call" data-state=${state}>
    <summary>
      ${icon('tool')}<strong class="hp-call-title">${visibleText(title)}</strong>
      <span class="hp-badge hp-state-${state}">${icon(words.icon)}${translate(words.label)}</span>
      ${
        last === undefined
          ? nothing
          : html`<span class="hp-call-record">
              ${recordLine(last, now)}${given > 1 ? ` · ${translate('the newest of {0} answers', given)}` : nothing}
            </span>`
      }
      ${grant === undefined ? nothing : html`<span class="hp-call-record">${grant}</span>`} ${icon('down')}
    </summary>
    <div class="hp-call-body">
      ${answered.length === 0 ? nothing : answered.map((record) => showRecord(record, now))}
      ${
        isRecord(args) && Object.keys(args).length === 0
          ? nothing
          : html`<div class="hp-args">
              <p class="hp-caption">
                ${translateParts('Arguments of {0}', html`<code>${visibleText(call.name)}</code>`)}
              </p>
              ${showValue(args, { display: texts })}
            </div>`
      }
      ${asked === undefined || edited !== undefined ? nothing : schemaEffect(asked)}
      ${
        result === undefined
          ? nothing
          : html`<div class="hp-args">
              <p class="hp-caption">
                ${translate(hasRun(last) ? 'Result' : toldTitle(last?.answered ?? {}))}
              </p>
              ${showResult(textOf(result), display['output'])}
            </div>`
      }
    </div>
  </details>`;
}

/** False when the last answer was against the call: its result is then only a sentence for the model. */
function hasRun(last: InterruptEntry | undefined): boolean {
  return last?.answered === undefined || !isAgainst(decisionOf(last.answered));
}

/** How many of the interrupts a person answered; an expiry and a grant are no answers. */
export function answersOfPeople(records: readonly InterruptEntry[]): number {
  return records.filter(
    ({ answered }) => answered !== undefined && !['expired', 'granted'].includes(decisionOf(answered)),
  ).length;
}

function recordOf(value: unknown): UnknownRecord | undefined {
  return isRecord(value) ? value : undefined;
}

/** The arguments that the last approval with changes gave to the call; a conversation that is shown live has the earlier ones. */
function editedArgs(records: readonly InterruptEntry[]): unknown {
  const edited = records.flatMap(({ answered: { payload } = {} }) =>
    isRecord(payload) && payload['editedArgs'] !== undefined ? [payload['editedArgs']] : [],
  );
  return edited.at(-1);
}

/** What a call does: the title that its tool gave to the result or to an interrupt, else its name in words. */
export function callTitle(
  call: Pick<CallShown, 'name'>,
  result: ToolResult | undefined,
  records: readonly InterruptEntry[],
): string {
  const given = result?.metadata?.['title'];
  if (typeof given === 'string' && given !== '') return given;
  const [record] = records;
  return record === undefined ? toWords(call.name) : cardFacts(record.interrupt).title;
}

/** Says that a call ran without asking, and who had allowed it; undefined for any other call. */
function grantLine(result: ToolResult | undefined): string | undefined {
  const grant = result?.metadata?.['grant'];
  if (!isRecord(grant)) return undefined;
  const { givenBy } = grant;
  return grantWords(typeof givenBy === 'string' ? { by: givenBy } : {});
}

/** Renders the record of an answer that belongs to no tool call. */
export function showLooseRecord(record: InterruptEntry, now: number): TemplateResult {
  return html`<details class="hp-call">
    <summary>
      ${icon('shield')}<strong class="hp-call-title"
        >${visibleText(cardFacts(record.interrupt).headline)}</strong
      >
      <span class="hp-call-record">${recordLine(record, now)}</span>${icon('down')}
    </summary>
    <div class="hp-call-body">${showRecord(record, now)}</div>
  </details>`;
}

/** "You approved with 3 changes · 14:02". */
function recordLine({ interrupt, answered = {} }: InterruptEntry, now: number): string {
  const time = answered.at === undefined ? '' : moment(answered.at, now);
  return recordWords(answered, cardFacts(interrupt).args, time);
}

/** What was asked, and what was answered: the changes of an approval, or the values of an answer. */
function showRecord(record: InterruptEntry, now: number): TemplateResult {
  const { interrupt, answered = {} } = record;
  const facts = cardFacts(interrupt);
  const decision = decisionOf(answered);
  const values = unsaidValues(answered);
  const edited = editedArgs([record]);
  const changes = edited === undefined ? [] : changesBetween(facts.args ?? {}, edited);
  const hasValues = typeof values === 'object' && values !== null && Object.keys(values).length > 0;
  return html`<div class="hp-record hp-decision-${decision}">
    ${icon(DECISION_ICONS[decision])}
    <div>
      <p class="hp-caption">${visibleText(facts.headline)}</p>
      <p>${recordLine(record, now)}</p>
      ${changes.length === 0 ? nothing : showChanges(changes, facts)}
      ${hasValues ? showAnswer(values) : nothing}
    </div>
  </div>`;
}
