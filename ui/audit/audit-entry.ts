import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { InboxItem } from '../../src/client/index.ts';
import type { CardFacts, GivenAnswer } from '../../src/elements/index.ts';
import {
  ago,
  cardFacts,
  changesBetween,
  givenAnswerOf,
  icon,
  moment,
  showValue,
  translate,
  visibleText,
} from '../../src/elements/index.ts';
import { isRecord } from '../../src/core/index.ts';
import { showChanges } from '../../src/elements/interrupt/approval-body.ts';
import { schemaEffect } from '../../src/elements/interrupt/card-parts.ts';
import { ANONYMOUS, capital, permissionWords, unsaidValues } from '../../src/elements/interrupt/decision.ts';
import { riskLabel } from '../../src/elements/interrupt/reason-label.ts';
import { showAnswer } from '../../src/elements/interrupt/show-value.ts';
import { isQuestion } from '../../src/elements/interrupt/verdict-body.ts';
import {
  decidedAt,
  decidedTitle,
  decisionWords,
  deletionOf,
  resultOf,
  wordsBefore,
} from '../inbox/request-context.ts';
import { interruptPath, withAgent } from '../router.ts';

/** Renders one decision as a line that opens: proposal, decision, changes and result. */
export function auditEntry(
  item: InboxItem,
  options: { readonly now: number; readonly opened: InboxItem | undefined; readonly open: () => void },
): TemplateResult {
  const facts = cardFacts(item.interrupt);
  const answered = givenAnswerOf(item);
  const { now, opened } = options;
  const at = decidedAt(item);
  return html`<li>
    <details
      class="audit-entry"
      @toggle=${(event: Event) => {
        if ((event.currentTarget as HTMLDetailsElement).open && opened === undefined) options.open();
      }}
    >
      <summary>
        <h2 class="audit-title"><bdi>${decidedTitle(item)}</bdi></h2>
        <span class="audit-decision">${decisionWords(item)}</span>
        <span class="audit-asker"
          ><span class="hp-hidden">${translate('Asked by')}</span> <bdi>${askerOf(item)}</bdi></span
        >
        <span class="audit-by"
          ><span class="hp-hidden">${translate('Decided by')}</span> <bdi>${deciderOf(answered)}</bdi></span
        >
        ${
          at === undefined
            ? html`<span class="audit-at"></span>`
            : html`<time class="audit-at" datetime=${new Date(at).toISOString()} title=${ago(at, now)}
                >${moment(at)}</time
              >`
        }
      </summary>
      <div class="audit-details">
        ${askerLine(item)} ${opened === undefined ? nothing : wordsBefore(opened)} ${proposalOf(item, facts)}
        ${grantOf(answered)} ${changesOf(facts, answered?.payload)} ${enteredIn(answered)}
        ${opened === undefined ? nothing : resultOf(opened)} ${deletionOf(item)}
        <p>
          <a href=${withAgent(interruptPath(item.threadId, item.interrupt.id))}
            >${icon('inbox')}${translate(isQuestion(item.interrupt) ? 'Open the question' : 'Open the request')}</a
          >
        </p>
      </div>
    </details>
  </li>`;
}

/** The names of the columns, for readers of a wide screen; each entry repeats them where they are needed. */
export function auditColumns(): TemplateResult {
  return html`<div class="audit-columns" aria-hidden="true">
    <span>${translate('Request')}</span><span>${translate('Decision')}</span>
    <span>${translate('Asked by')}</span><span>${translate('Decided by')}</span>
    <span>${translate('Decided at')}</span>
  </div>`;
}

/** The person whose run asked; a host without logins knows none. */
function askerOf({ askedBy, askedByYou }: InboxItem): string {
  if (typeof askedBy !== 'string' || askedBy === ANONYMOUS) return '–';
  return askedByYou === true ? translate('You') : visibleText(askedBy);
}

function askerLine(item: InboxItem): TemplateResult {
  return html`<p>${translate('Asked by')}: <bdi>${askerOf(item)}</bdi></p>`;
}

function deciderOf(answered: GivenAnswer | undefined): string {
  if (answered?.by === undefined || answered.via === 'expiry') return '–';
  if (answered.you === true) return translate('You');
  return answered.by === ANONYMOUS ? translate('another person') : visibleText(answered.by);
}

/** What was asked: the message, the risk, the facts beside the arguments, and the arguments. A question may have none. */
function proposalOf(
  { interrupt }: InboxItem,
  { args, display, details, risk, ...facts }: CardFacts,
): TemplateResult | typeof nothing {
  const { message } = interrupt;
  if (message === undefined && isEmpty(args) && isEmpty(details)) return nothing;
  return html`<section>
    <h3>${translate('Proposal')}</h3>
    ${message === undefined ? nothing : html`<p><bdi>${visibleText(message)}</bdi></p>`}
    ${risk === undefined ? nothing : html`<p>${riskLabel(risk)}</p>`}
    ${isEmpty(args) ? nothing : html`<div class="hp-args">${showValue(args, { display })}</div>`}
    ${schemaEffect(facts)}
    ${isEmpty(details) ? nothing : html`<div class="hp-args">${showValue(details, { display })}</div>`}
  </section>`;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0);
}

/** Who gave the grant that the call ran by, and when. */
function grantOf({ grantedAt, by, you }: GivenAnswer = {}): TemplateResult | typeof nothing {
  if (grantedAt === undefined) return nothing;
  const isNamed = by !== undefined && by !== ANONYMOUS && you !== true;
  const words = isNamed
    ? translate('Given by {0} on {1}', visibleText(by), moment(grantedAt))
    : translate('Given on {0}', moment(grantedAt));
  return html`<section>
    <h3>${translate('Permission')}</h3>
    <p>${words}</p>
  </section>`;
}

function changesOf(facts: CardFacts, payload: unknown): TemplateResult | typeof nothing {
  const edited = isRecord(payload) ? payload['editedArgs'] : undefined;
  return edited === undefined ? nothing : showChanges(changesBetween(facts.args ?? {}, edited), facts);
}

/** The values of an answer besides those that its decision says. */
function enteredIn(answered: GivenAnswer = {}): TemplateResult | typeof nothing {
  const entered = unsaidValues(answered);
  const allowed = permissionWords(answered);
  return html`${
    isEmpty(entered)
      ? nothing
      : html`<section>
          <h3>${translate('Answer')}</h3>
          <div class="hp-args">${showAnswer(entered)}</div>
        </section>`
  }
  ${
    allowed === undefined
      ? nothing
      : html`<section>
          <h3>${translate('Also allowed without asking')}</h3>
          <p>${capital(allowed)}</p>
          <p class="hp-muted">${translate('It may have been revoked since: see “Always allowed”.')}</p>
        </section>`
  }`;
}
