import { isRecord } from '../../core/index.ts';
import type { IconName } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { ago, count } from '../base/words.ts';
import type { GivenAnswer } from './card-status.ts';
import { changesBetween } from './changes.ts';

/** What an answer decided; `waiting` before there is one. */
export type Decision =
  | 'waiting'
  | 'approved'
  | 'changed'
  | 'rejected'
  | 'cancelled'
  | 'withdrawn'
  | 'expired'
  | 'skipped'
  | 'answered';

/** The icon of each decision; its class `hp-decision-…` has the colour. */
export const DECISION_ICONS: Readonly<Record<Decision, IconName>> = {
  waiting: 'clock',
  approved: 'check',
  changed: 'edit',
  rejected: 'ban',
  cancelled: 'close',
  withdrawn: 'back',
  expired: 'clock',
  skipped: 'minus',
  answered: 'chat',
};

/** Words that mean yes and no as the value of a decision. */
export const YES = /^(?:approved?|accept(?:ed)?|yes|ok|confirm(?:ed)?|allow(?:ed)?|continue)$/i;
export const NO = /^(?:reject(?:ed)?|den(?:y|ied)|no|declined?|refused?|abort(?:ed)?)$/i;
/** Members that hold such a word. */
const VERDICTS = ['status', 'decision', 'verdict', 'action', 'answer'];

/** Reads what an answer decided. */
export function decisionOf({ status, payload, via, withdrawn }: GivenAnswer): Decision {
  if (via === 'expiry') return 'expired';
  if (withdrawn === true) return 'withdrawn';
  if (status === 'cancelled') return 'cancelled';
  // An answer that is not known yet.
  if (status === undefined && payload === undefined) return 'answered';
  if (payload === undefined || payload === null) return 'skipped';
  if (!isRecord(payload)) return 'answered';
  const { approved, editedArgs } = payload;
  const word = VERDICTS.map((name) => payload[name]).find((value) => typeof value === 'string') ?? '';
  if (approved === false || NO.test(word)) return 'rejected';
  if (approved === true || YES.test(word)) return editedArgs === undefined ? 'approved' : 'changed';
  return word === 'skip' ? 'skipped' : 'answered';
}

/** An answer in a few words: "Approved", "Rejected: too much", "Cancelled", or the value. */
export function answerWords(answer: GivenAnswer): string {
  const words = verbOf(answer);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${reasonWords(answer)}`;
}

/** "Approved by Ana 12 s ago". */
export function answeredWords(answer: GivenAnswer, now: number): string {
  const by = answer.you === true ? ' by you' : byName(answer);
  const at = answer.at === undefined ? '' : ` ${ago(answer.at, now)}`;
  return `${answerWords(answer)}${by}${at}`;
}

/** The same with the person first, for a record: "You approved with 3 changes", "Ana rejected: too much". */
export function recordWords(answer: GivenAnswer, args: unknown): string {
  const decision = decisionOf(answer);
  if (decision === 'expired') return 'Expired without an answer';
  const verb = decision === 'withdrawn' ? 'withdrew it' : `${verbOf(answer, args)}${reasonWords(answer)}`;
  if (answer.you === true) return `You ${verb}`;
  if (answer.by === undefined || answer.by === ANONYMOUS)
    return `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
  return `${visibleText(answer.by)} ${verb}`;
}

const ANONYMOUS = 'anonymous';

function byName({ by }: GivenAnswer): string {
  if (by === undefined) return '';
  return by === ANONYMOUS ? ' by another person' : ` by ${visibleText(by)}`;
}

function verbOf(answer: GivenAnswer, args?: unknown): string {
  const { payload } = answer;
  const decision = decisionOf(answer);
  switch (decision) {
    case 'changed':
      return `approved with ${changeWords(payload, args)}`;
    case 'skipped':
      return payload === undefined || payload === null ? 'left it empty' : 'skipped it';
    case 'answered':
      if (typeof payload === 'object' || payload === undefined) return 'answered';
      return `answered “${visibleText(typeof payload === 'string' ? payload : JSON.stringify(payload))}”`;
    case 'waiting':
      return 'waiting';
    default:
      return decision;
  }
}

function changeWords(payload: unknown, args: unknown): string {
  const edited: unknown = isRecord(payload) ? payload['editedArgs'] : undefined;
  return isRecord(args) ? count(changesBetween(args, edited).length, 'change') : 'changes';
}

function reasonWords({ payload }: GivenAnswer): string {
  const reason: unknown = isRecord(payload) ? payload['reason'] : undefined;
  return typeof reason === 'string' && reason.trim() !== '' ? `: ${visibleText(reason)}` : '';
}
