import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Client, InboxItem } from '../../src/client/index.ts';
import { isRecord } from '../../src/core/index.ts';
import type { Decision } from '../../src/elements/index.ts';
import {
  answeredWords,
  answerWords,
  cardFacts,
  DECISION_ICONS,
  decisionOf,
  givenAnswerOf,
  icon,
  moment,
  recipientOf,
  rowTitle,
  translate,
  visibleText,
} from '../../src/elements/index.ts';
import { ANONYMOUS } from '../../src/elements/interrupt/decision.ts';
import { showResult } from '../../src/elements/interrupt/show-value.ts';
import { interruptPath, withAgent } from '../router.ts';

/** Decisions that are looked through for the same recipient. */
const LOOKED_AT = 50;
const SHOWN = 3;

/** The words of the conversation before a request. */
export function wordsBefore(item: InboxItem): TemplateResult | typeof nothing {
  const said = Array.isArray(item['said']) ? (item['said'] as readonly unknown[]) : [];
  const words = said.filter(isSaid);
  return words.length === 0
    ? nothing
    : html`<section class="pane-said" aria-label=${translate('The words before this request')}>
        ${words.map(
          ({ role, text }) =>
            html`<p>
              <strong>${translate(role === 'user' ? 'User' : 'Agent')}</strong>
              <bdi>${visibleText(text)}</bdi>
            </p>`,
        )}
      </section>`;
}

/** What the call of an answered request returned, or the error that it failed with. */
export function resultOf(item: InboxItem): TemplateResult | typeof nothing {
  const { result } = item;
  if (typeof result !== 'string' || result === '') return nothing;
  const title = isCallFailed(item)
    ? html`<h3 class="pane-failed">${icon('alert')}${translate('The call failed')}</h3>`
    : html`<h3>${translate('Result')}</h3>`;
  return html`<section class="pane-part">
    ${title}
    <div class="hp-args">${showResult(result, item['display'])}</div>
  </section>`;
}

/** Who deleted the conversation of a decided request, and when; nothing while it exists. */
export function deletionOf({ threadDeleted }: InboxItem): TemplateResult | typeof nothing {
  if (threadDeleted === undefined) return nothing;
  const { by, at, you } = threadDeleted;
  const time = moment(Date.parse(at));
  const words =
    you === true && by !== ANONYMOUS
      ? translate('You deleted the conversation on {0}.', time)
      : by === ANONYMOUS
        ? translate('The conversation was deleted on {0}.', time)
        : translate('The conversation was deleted by {0} on {1}.', visibleText(by), time);
  return html`<p class="pane-deleted">${icon('trash')}<bdi>${words}</bdi></p>`;
}

/** True when the call was allowed and failed; the result of a rejected call is an error too. */
export function isCallFailed(item: InboxItem): boolean {
  const answered = givenAnswerOf(item);
  const decision = answered === undefined ? undefined : decisionOf(answered);
  return item['failed'] === true && decision !== undefined && !AGAINST.has(decision);
}

/** True for an answer that was not carried out yet. */
export function isUnsettled({ status }: InboxItem): boolean {
  return status === 'answered' || status === 'claimed';
}

const AGAINST: ReadonlySet<string> = new Set(['rejected', 'cancelled', 'withdrawn', 'expired']);

/** Decisions, and what they have in common: "ABC123", or "this tool". */
export interface EarlierDecisions {
  readonly about: string;
  readonly items: readonly InboxItem[];
}

export const NO_DECISIONS: EarlierDecisions = { about: '', items: [] };

/** The last decisions about the same tool: those about the same recipient, if there are any. */
export async function earlierDecisions(inbox: Client['inbox'], item: InboxItem): Promise<EarlierDecisions> {
  const facts = cardFacts(item.interrupt);
  if (facts.toolName === undefined) return NO_DECISIONS;
  const { interrupts } = await inbox.list({
    status: 'all',
    order: 'answered',
    tool: facts.toolName,
    limit: LOOKED_AT,
  });
  const others = interrupts.filter(
    ({ threadId, interrupt }) => threadId !== item.threadId || interrupt.id !== item.interrupt.id,
  );
  const recipient = recipientOf(facts);
  // A decision that changed its recipient is about both; its words name the new one.
  const isSame = (other: InboxItem) =>
    [cardFacts(other.interrupt).args, decidedArgs(other)].some(
      (args) => recipientOf({ ...facts, args }) === recipient,
    );
  const same = recipient === undefined ? [] : others.filter(isSame);
  return same.length > 0
    ? { about: visibleText(recipient ?? ''), items: same.slice(0, SHOWN) }
    : { about: translate('this tool'), items: others.slice(0, SHOWN) };
}

/** The arguments that a decision is about: those that a person approved instead, else the proposed ones. */
function decidedArgs(item: InboxItem): unknown {
  const answered = givenAnswerOf(item);
  const payload: unknown = answered?.payload;
  const isChanged = answered !== undefined && decisionOf(answered) === 'changed';
  return isChanged && isRecord(payload) ? payload['editedArgs'] : cardFacts(item.interrupt).args;
}

/** The approved calls of the turn of an open request; they run when the turn has all its answers. */
export async function callsWaitingFor(
  inbox: Client['inbox'],
  item: InboxItem,
): Promise<readonly InboxItem[]> {
  if (item['status'] !== 'pending' && item['status'] !== 'expired') return [];
  const { interrupts } = await inbox.list({ status: 'answered', thread: item.threadId });
  return interrupts.filter((other) => {
    const answered = givenAnswerOf(other);
    const decision = answered === undefined ? undefined : decisionOf(answered);
    return decision === 'approved' || decision === 'changed';
  });
}

/** One decision: what was asked, and who decided what and when. */
export function decisionLine(item: InboxItem, now: number): TemplateResult {
  return html`<li>
    <a href=${withAgent(interruptPath(item.threadId, item.interrupt.id))}>
      <bdi>${rowTitle(cardFacts(item.interrupt))}</bdi>
    </a>
    ${decisionWords(item, now)}
  </li>`;
}

/** A decision by icon, colour and words: "Approved with 2 changes by Ana 5 min ago". Without `now`, the decision alone. */
export function decisionWords(item: InboxItem, now?: number): TemplateResult {
  const { decision, words, isFailed } = readDecision(item, now);
  return html`<bdi class="pane-decision hp-decision-${isFailed ? 'failed' : decision}"
    >${icon(isFailed ? 'alert' : DECISION_ICONS[decision])}${words}</bdi
  >`;
}

/** What was decided about a request, in words with the outcome of its call: "Approved · failed". */
export function readDecision(
  item: InboxItem,
  now?: number,
): { readonly decision: Decision; readonly words: string; readonly isFailed: boolean } {
  const answered = givenAnswerOf(item);
  const isOver = item['status'] === 'expired';
  const decision = answered === undefined ? (isOver ? 'expired' : 'waiting') : decisionOf(answered);
  const words =
    answered === undefined
      ? isOver
        ? translate('Expired')
        : translate('Waiting')
      : now === undefined
        ? answerWords(answered, cardFacts(item.interrupt))
        : answeredWords(answered, now, cardFacts(item.interrupt));
  const isAllowed = decision === 'approved' || decision === 'changed';
  // The call waits for the other answers of its turn, or for the end of the undo time.
  const isWaiting = isAllowed && item['status'] === 'answered';
  const isFailed = (isAllowed || decision === 'granted') && item.failed === true;
  const outcome = isWaiting
    ? translate('{0} · not run yet', words)
    : isFailed
      ? translate('{0} · failed', words)
      : words;
  return { decision, words: outcome, isFailed };
}

function isSaid(value: unknown): value is { readonly role: string; readonly text: string } {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}
