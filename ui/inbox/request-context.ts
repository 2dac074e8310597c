import type { TemplateResult } from 'lit';
import { html, nothing } from 'lit';
import type { Client, InboxItem } from '../../src/client/index.ts';
import { isRecord } from '../../src/core/index.ts';
import type { Decision, GivenAnswer } from '../../src/elements/index.ts';
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
import {
  ANONYMOUS,
  isAgainst,
  isDroppedCall,
  isTrialRun,
  toldTitle,
} from '../../src/elements/interrupt/decision.ts';
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

/** The answer that the viewer has given in the conversation: this browser keeps it there until the other requests of the turn have one. */
export function heldAnswer(client: Pick<Client, 'thread'>, item: InboxItem): TemplateResult | typeof nothing {
  const { staged } = client.thread(item.threadId).getSnapshot();
  const held = staged.find(({ interruptId }) => interruptId === item.interrupt.id);
  if (held === undefined || item['status'] !== 'pending') return nothing;
  return html`<p class="hp-notice" role="status">
    ${icon('clock')}<span
      >${translate('You have answered this in the conversation: {0}. It is not sent yet: it goes with your other answers there. An answer here replaces it.', answerWords(held, cardFacts(item.interrupt)))}</span
    >
  </p>`;
}

/** What the call of an answered request returned, or the error that it failed with; or that it has not run yet. */
export function resultOf(item: InboxItem): TemplateResult | typeof nothing {
  const { result } = item;
  const { outcome } = readDecision(item);
  if (outcome === 'not run yet')
    return html`<p class="pane-part hp-notice">
      ${icon('clock')}<span>${translate('The call has not run yet.')}</span>
    </p>`;
  if (typeof result !== 'string' || result === '') return nothing;
  const title =
    outcome === 'failed'
      ? html`<h3 class="pane-failed">${icon('alert')}${translate('The call failed')}</h3>`
      : outcome === 'unknown'
        ? html`<h3 class="pane-unknown">
            ${icon('alert')}${translate('It is not known whether the call ran')}
          </h3>`
        : html`<h3>
            ${translate(outcome === 'did not run' ? toldTitle(givenAnswerOf(item) ?? {}) : 'Result')}
          </h3>`;
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

/** True for an answer that was not carried out yet. */
export function isUnsettled({ status }: InboxItem): boolean {
  return status === 'answered' || status === 'claimed';
}

/** Decisions, and what they have in common: "ABC123", or "this tool". */
export interface EarlierDecisions {
  readonly about: string;
  /** The name of the tool. */
  readonly tool: string;
  readonly items: readonly InboxItem[];
}

export const NO_DECISIONS: EarlierDecisions = { about: '', tool: '', items: [] };

/** The last decisions about the same tool before this one: those about the same recipient, if there are any. */
export async function earlierDecisions(inbox: Client['inbox'], item: InboxItem): Promise<EarlierDecisions> {
  const facts = cardFacts(item.interrupt);
  if (facts.toolName === undefined) return NO_DECISIONS;
  const { toolName: tool } = facts;
  const { interrupts } = await inbox.list({ status: 'all', order: 'answered', tool, limit: LOOKED_AT });
  const at = decidedAt(item) ?? Infinity;
  const others = interrupts.filter(
    (other) =>
      (decidedAt(other) ?? 0) <= at &&
      (other.threadId !== item.threadId || other.interrupt.id !== item.interrupt.id),
  );
  const recipient = recipientOf(facts);
  // A decision that changed its recipient is about both; its words name the new one.
  const isSame = (other: InboxItem) =>
    [cardFacts(other.interrupt).args, decidedArgs(other)].some(
      (args) => recipientOf({ ...facts, args }) === recipient,
    );
  const same = recipient === undefined ? [] : others.filter(isSame);
  return same.length > 0
    ? { about: visibleText(recipient ?? ''), tool, items: same.slice(0, SHOWN) }
    : { about: translate('this tool'), tool, items: others.slice(0, SHOWN) };
}

/** When a request was decided, in milliseconds since the epoch: when it was answered, or when it expired without an answer. */
export function decidedAt(item: InboxItem): number | undefined {
  const { endedAt = item['status'] === 'expired' ? item.interrupt.expiresAt : undefined } = item;
  const ended = typeof endedAt === 'string' ? Date.parse(endedAt) : Number.NaN;
  return givenAnswerOf(item)?.at ?? (Number.isNaN(ended) ? undefined : ended);
}

/** The arguments that a decision is about: those that a person approved instead, else the proposed ones. */
function decidedArgs(item: InboxItem): unknown {
  const answered = givenAnswerOf(item);
  const payload: unknown = answered?.payload;
  const isChanged = answered !== undefined && decisionOf(answered) === 'changed';
  return isChanged && isRecord(payload) ? payload['editedArgs'] : cardFacts(item.interrupt).args;
}

/** The answered requests of the turn of an open one; approved calls run when the turn has all its answers. */
export async function callsWaitingFor(
  inbox: Client['inbox'],
  item: InboxItem,
): Promise<readonly InboxItem[]> {
  if (item['status'] !== 'pending' && item['status'] !== 'expired') return [];
  const { interrupts } = await inbox.list({ status: 'answered', thread: item.threadId });
  return interrupts;
}

/** One decision: what was asked, and who decided what and when. */
export function decisionLine(item: InboxItem, now: number): TemplateResult {
  return html`<li>
    <a href=${withAgent(interruptPath(item.threadId, item.interrupt.id))}>
      <bdi>${decidedTitle(item)}</bdi>
    </a>
    ${decisionWords(item, now)}
  </li>`;
}

/** The title of a decided request. One that was changed may name what the call did not do. */
export function decidedTitle(item: InboxItem): string {
  const title = rowTitle(cardFacts(item.interrupt));
  const answered = givenAnswerOf(item);
  const isChanged = answered !== undefined && decisionOf(answered) === 'changed';
  return isChanged ? translate('Proposed: {0}', title) : title;
}

/** A decision by icon, colour and words: "Approved with 2 changes by Ana 5 min ago". Without `now`, the decision alone. */
export function decisionWords(item: InboxItem, now?: number): TemplateResult {
  const { decision, words, outcome } = readDecision(item, now);
  // The class `hp-decision-waiting` has the colour of a warning.
  const [name, sign] =
    outcome === 'failed'
      ? (['failed', 'alert'] as const)
      : outcome === 'unknown'
        ? (['waiting', 'alert'] as const)
        : [decision, DECISION_ICONS[decision]];
  return html`<bdi class="pane-decision hp-decision-${name}">${icon(sign)}${words}</bdi>`;
}

/**
 * What became of the call of a request; undefined while it is open or runs, and for an answered question. `unknown`: a lost run may have
 * made the call, and no person has said that it finished.
 */
export type Outcome = 'ran' | 'trial run' | 'failed' | 'unknown' | 'did not run' | 'not run yet';

/** What was decided about a request, in words with the outcome of its call: "Approved · failed". */
export function readDecision(
  item: InboxItem,
  now?: number,
): { readonly decision: Decision; readonly words: string; readonly outcome: Outcome | undefined } {
  const answered = givenAnswerOf(item);
  const isOver = item['status'] === 'expired';
  if (answered === undefined) {
    return isOver
      ? { decision: 'expired', words: translate('Expired'), outcome: 'did not run' }
      : { decision: 'waiting', words: translate('Waiting'), outcome: undefined };
  }
  const facts = cardFacts(item.interrupt);
  const outcome = outcomeOf(item, answered);
  const words = now === undefined ? answerWords(answered, facts) : answeredWords(answered, now, facts);
  return { decision: decisionOf(answered), words: withOutcome(words, item, { answered, outcome }), outcome };
}

function withOutcome(
  words: string,
  { interrupt }: InboxItem,
  { answered, outcome }: { readonly answered: GivenAnswer; readonly outcome: Outcome | undefined },
): string {
  if (outcome === 'not run yet') return translate('{0} · not run yet', words);
  // A decision to leave a failed call as it is has not failed.
  const isOld = interrupt.reason === 'error_recovery' && !isDoneAfter(answered);
  if (outcome === 'failed') return translate(isOld ? '{0} · the call had failed' : '{0} · failed', words);
  if (outcome === 'unknown') return translate('{0} · not known whether it ran', words);
  // The words of a decision against a call say that it did not run; so do those about a deleted conversation.
  const isUnused = outcome === 'did not run' && isApproval(answered) && !isDroppedCall(answered);
  return isUnused ? translate('{0} · did not run', words) : words;
}

function outcomeOf(item: InboxItem, answered: GivenAnswer): Outcome | undefined {
  const { interrupt, status } = item;
  // A rule answers an expired request: its answer may approve the call.
  const { via: _rule, ...given } = answered;
  const decision = decisionOf(answered.via === 'expiry' ? given : answered);
  const isRecovery = interrupt.reason === 'error_recovery';
  // A decision about a failed call: the call has run before, or may have.
  if (isAgainst(decision) && !isRecovery) return 'did not run';
  const isDecisionOnCall = isRecovery || ['approved', 'changed', 'granted'].includes(decision);
  if (item.uncertain === true && isDecisionOnCall) return 'unknown';
  if (item.failed === true) return 'failed';
  if (isRecovery) {
    const hasRun = status === 'resolved' && interrupt.toolCallId !== undefined && isDoneAfter(answered);
    return hasRun ? 'ran' : undefined;
  }
  if (decision === 'granted') return 'ran';
  if (decision !== 'approved' && decision !== 'changed') return undefined;
  // The call waits for the other answers of its turn, or for the end of the undo time.
  if (status === 'answered') return 'not run yet';
  if (status === 'cancelled') return 'did not run';
  if (status !== 'resolved') return undefined;
  const isAsked = decision === 'approved' && cardFacts(interrupt).isTrial;
  return isAsked || isTrialRun(answered.payload) ? 'trial run' : 'ran';
}

/** True for an answer to a failed call after which the call has ended without an error: it had finished, or it ran again. */
function isDoneAfter({ payload }: GivenAnswer): boolean {
  return isRecord(payload) && ['finished', 'retry', 'restart'].includes(String(payload['action']));
}

function isApproval(answered: GivenAnswer): boolean {
  return ['approved', 'changed'].includes(decisionOf(answered));
}

function isSaid(value: unknown): value is { readonly role: string; readonly text: string } {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}
