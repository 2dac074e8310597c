import { isRecord, pointerTokens } from '../../core/index.ts';
import type { IconName } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { ago, toWords } from '../base/words.ts';
import type { GivenAnswer } from './card-status.ts';
import { changesBetween } from './changes.ts';
import { translate } from '../base/strings.ts';

/** What an answer decided; `waiting` before there is one. */
export type Decision =
  | 'waiting'
  | 'approved'
  | 'changed'
  | 'granted'
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
  granted: 'shield',
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
  if (via === 'grant') return 'granted';
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

const TRIAL = /^dry[-_]?run$/i;
const DEEPEST_TRIAL = 3;

/** True when a value asks for a trial run: a member such as `dryRun` is true. */
export function isTrialRun(value: unknown, depth = 0): boolean {
  if (!isRecord(value) || depth > DEEPEST_TRIAL) return false;
  return Object.entries(value).some(
    ([name, member]) => (member === true && TRIAL.test(name)) || isTrialRun(member, depth + 1),
  );
}

/** What is known of the call that an answer is about. */
export interface AnsweredCall {
  /** True when its arguments ask for a trial run. Default false. */
  readonly isTrial?: boolean;
  /** Its arguments. With them, the words name the values that the answer changed. */
  readonly args?: unknown;
}

/** An answer in a few words: "Approved", "Approved with 1 change: To: a@b.com", "Rejected: too much", "Cancelled", or the value. */
export function answerWords(answer: GivenAnswer, { isTrial = false, args }: AnsweredCall = {}): string {
  const verb = verbOf(answer, args);
  const isAsked = isTrial && decisionOf(answer) === 'approved' && !isTrialRun(answer.payload);
  const words = capital(isAsked ? translate('{0} as a trial run', verb) : verb);
  const changed = changedWords(answer, args);
  const reason = reasonWords(answer);
  return changed === '' || reason === ''
    ? `${words}${changed}${reason}`
    : `${words}${changed} · ${translate('Reason')}${reason}`;
}

/** Most changed values that a line names. */
const MOST_NAMED = 3;
const LONGEST_VALUE = 60;

/** ": To: a@b.com · Subject: Hello", the values that an approval changed. */
function changedWords(answer: GivenAnswer, args: unknown): string {
  const { payload } = answer;
  if (decisionOf(answer) !== 'changed' || !isRecord(payload) || !isRecord(args)) return '';
  const changes = changesBetween(args, payload['editedArgs']);
  const named = changes.slice(0, MOST_NAMED).map(({ pointer, after }) => {
    const name = (pointerTokens(pointer) ?? []).map(toWords).join(' › ');
    const value = after === undefined ? translate('nothing') : valueWords(after);
    const short = value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)} …` : value;
    return `${visibleText(name)}: ${short}`;
  });
  return named.length === 0
    ? ''
    : `: ${[...named, ...(changes.length > MOST_NAMED ? ['…'] : [])].join(' · ')}`;
}

/** "Approved by Ana 12 s ago". */
export function answeredWords(answer: GivenAnswer, now: number, call?: AnsweredCall): string {
  const at = answer.at === undefined ? '' : ` ${ago(answer.at, now)}`;
  return `${withPerson(answer, call)}${at}`;
}

/** The same with the person first, for a record: "You approved with 3 changes", "Ana rejected: too much". */
export function recordWords(answer: GivenAnswer, args: unknown): string {
  const decision = decisionOf(answer);
  if (decision === 'expired') return translate('Expired without an answer');
  if (decision === 'granted') return grantWords(answer);
  const verb =
    decision === 'withdrawn' ? translate('withdrew it') : `${verbOf(answer, args)}${reasonWords(answer)}`;
  if (answer.you === true) return translate('You {0}', verb);
  if (answer.by === undefined || answer.by === ANONYMOUS) return capital(verb);
  return translate('{0} {1}', visibleText(answer.by), verb);
}

/** Says that a call ran by a grant, and who gave it. */
export function grantWords({ by }: Pick<GivenAnswer, 'by'>): string {
  return by === undefined || by === ANONYMOUS
    ? translate('Ran by a grant')
    : translate('Ran by a grant of {0}', visibleText(by));
}

/** The id of everybody on a host without logins: it names no person. */
export const ANONYMOUS = 'anonymous';

function withPerson(answer: GivenAnswer, call?: AnsweredCall): string {
  if (decisionOf(answer) === 'granted') return grantWords(answer);
  const words = answerWords(answer, call);
  const { by } = answer;
  if (answer.you === true) return translate('{0} by you', words);
  if (by === undefined) return words;
  return by === ANONYMOUS
    ? translate('{0} by another person', words)
    : translate('{0} by {1}', words, visibleText(by));
}

function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function verbOf(answer: GivenAnswer, args?: unknown): string {
  const { payload } = answer;
  const decision = decisionOf(answer);
  if ((decision === 'approved' || decision === 'changed') && isTrialRun(payload)) {
    const verb = decision === 'changed' ? approvedWithChanges(payload, args) : translate(decision);
    return translate('{0} as a trial run', verb);
  }
  switch (decision) {
    case 'changed':
      return approvedWithChanges(payload, args);
    case 'granted':
      return translate('Ran by a grant');
    case 'skipped':
      return translate(payload === undefined || payload === null ? 'left it empty' : 'skipped it');
    case 'answered':
      if (typeof payload === 'object' || payload === undefined) return translate('answered');
      return translate('answered “{0}”', valueWords(payload));
    default:
      return translate(decision);
  }
}

function valueWords(value: unknown): string {
  if (typeof value === 'boolean') return translate(value ? 'Yes' : 'No');
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value));
}

function approvedWithChanges(payload: unknown, args: unknown): string {
  const edited: unknown = isRecord(payload) ? payload['editedArgs'] : undefined;
  return isRecord(args)
    ? translate('approved with {0} change|approved with {0} changes', changesBetween(args, edited).length)
    : translate('approved with changes');
}

function reasonWords({ payload }: GivenAnswer): string {
  const reason: unknown = isRecord(payload) ? payload['reason'] : undefined;
  return typeof reason === 'string' && reason.trim() !== '' ? `: ${visibleText(reason)}` : '';
}
