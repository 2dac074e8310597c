import type { UnknownRecord } from '../../core/index.ts';
import { isRecord, pointerTokens } from '../../core/index.ts';
import type { IconName } from '../base/icon.ts';
import { visibleText } from '../base/visible-text.ts';
import { ago, moment, shortText, toWords } from '../base/words.ts';
import { writeChanged } from './amounts.ts';
import type { GivenAnswer } from './card-status.ts';
import { changesBetween } from './changes.ts';
import { asksForSecrets } from './drafts.ts';
import { type Text, translate } from '../base/strings.ts';
import { fileNameIn } from '../form/file-rules.ts';

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

const AGAINST: ReadonlySet<Decision> = new Set(['rejected', 'cancelled', 'withdrawn', 'expired']);

/** True for a decision after which the call does not run. */
export function isAgainst(decision: Decision): boolean {
  return AGAINST.has(decision);
}

/** What the result of a call is to the agent, after a decision against the call. Only a rejection is an answer. */
export function toldTitle(answered: GivenAnswer): Text {
  return decisionOf(answered) === 'rejected' ? 'What the agent was told' : 'Noted for the agent';
}

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
const SKIP = 'skip';

/** What an answer to a failed call asks for, by its word. */
export const RECOVERY_WORDS: ReadonlyMap<unknown, Text> = new Map<unknown, Text>([
  ['finished', 'It finished'],
  ['retry', 'Do it again'],
  ['skip', 'Skip it'],
  ['abort', 'Stop'],
  ['restart', 'Start it over'],
]);

/** The first member of an answer that can hold a verdict, and its text. */
function verdictIn(payload: UnknownRecord): readonly [name: string, word: string] {
  for (const name of VERDICTS) {
    const word = payload[name];
    if (typeof word === 'string') return [name, word];
  }
  return ['', ''];
}

/** How to continue after a failed call, which is no approval and no rejection. */
function recoveryIn(payload: unknown): Text | undefined {
  return isRecord(payload) ? RECOVERY_WORDS.get(payload['action']) : undefined;
}

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
  const [, word] = verdictIn(payload);
  if (recoveryIn(payload) !== undefined) return word === SKIP ? 'skipped' : 'answered';
  if (approved === false || NO.test(word)) return 'rejected';
  if (approved === true || YES.test(word)) return editedArgs === undefined ? 'approved' : 'changed';
  return word === SKIP ? 'skipped' : 'answered';
}

/** Decisions whose words name the verdict of the answer. The answer of an expired interrupt comes from a rule. */
const VERDICT_SAID: ReadonlySet<Decision> = new Set([
  'approved',
  'changed',
  'granted',
  'rejected',
  'skipped',
]);

/** The values of an answer without those that the words of its decision say: its verdict, its changes and its reason. */
function valuesBesideDecision(answer: GivenAnswer): unknown {
  const { payload } = answer;
  const decision = decisionOf(answer);
  if (!isRecord(payload) || decision === 'answered') return payload;
  const { reason: _reason, ...given } = payload;
  if (!VERDICT_SAID.has(decision)) return given;
  const { approved: _approved, editedArgs: _edited, ...values } = given;
  const [name, word] = verdictIn(values);
  if (!YES.test(word) && !NO.test(word) && word !== SKIP) return values;
  const { [name]: _verdict, ...others } = values;
  return others;
}

/** The same without the further calls that it allows, which the words of an approval say too. */
export function unsaidValues(answer: GivenAnswer): unknown {
  const values = valuesBesideDecision(answer);
  if (!isRecord(values) || permissionWords(answer) === undefined) return values;
  const { remember: _remember, ...others } = values;
  return others;
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

/** What is known of the interrupt that an answer is about; the facts of its card fit. */
export interface AnsweredCall {
  /** True when its arguments ask for a trial run. Default false. */
  readonly isTrial?: boolean;
  /** Its arguments. With them, the words name the values that the answer changed. */
  readonly args?: unknown;
  /** Texts for arguments, such as an amount with its currency; changed amounts are written in the same way. */
  readonly display?: UnknownRecord | undefined;
  readonly title?: string;
  readonly headline?: string;
  /** The schema of the answer. With it, the words name the answered values, and write dots for secrets. */
  readonly responseSchema?: UnknownRecord;
  /** True when the reader has given the answer in another window. Default false. */
  readonly isElsewhere?: boolean;
}

/** An answer in a few words: "Approved", "Approved with 1 change: To: a@b.com", "Rejected: too much", "Cancelled", or the value. */
export function answerWords(answer: GivenAnswer, call: AnsweredCall = {}): string {
  const { verb, details } = wordsOf(answer, call);
  return withOutcome(withDetails(verb, details), answer);
}

/** What was decided, and the values, the changes or the reason. */
function wordsOf(given: GivenAnswer, call: AnsweredCall) {
  const { isTrial = false, args } = call;
  const answer = withoutSecrets(given, call);
  const decision = decisionOf(answer);
  const verb = verbOf(answer, args);
  const isAsked = isTrial && decision === 'approved' && !isTrialRun(answer.payload);
  const changed = [changesIn(answer, call), asksForSecrets(call.responseSchema) ? '' : addedIn(answer)];
  const values =
    decision === 'answered' ? valuesIn(answer, call) : changed.filter((words) => words !== '').join(' · ');
  const reason = decision === 'answered' && values !== '' ? '' : reasonOf(answer);
  return {
    verb: capital(
      isAsked ? translate('{0} as a trial run', verb) : decision === 'skipped' ? skippedWord(given) : verb,
    ),
    details: [values, namedReason(reason, values !== '' || decision === 'changed')]
      .filter((words) => words !== '')
      .join(' · '),
  };
}

function withDetails(words: string, details: string): string {
  return details === '' ? words : `${words}: ${details}`;
}

/** "Approved by Ana · did not run", for a call that was allowed and dropped; "Approved · also allowed: this tool in this conversation". */
function withOutcome(words: string, answer: GivenAnswer): string {
  if (isDroppedCall(answer)) return translate('{0} · did not run', words);
  if (answer.askedAgain === true) return translate('{0}, asked again', words);
  const permission = permissionWords(answer);
  return permission === undefined ? words : translate('{0} · also allowed: {1}', words, permission);
}

/**
 * The further calls that an approval allows without asking: "this tool in this conversation, at most 2 uses". Undefined for an answer
 * that allows none.
 */
export function permissionWords(answer: GivenAnswer): string | undefined {
  const { payload, at } = answer;
  const remember = isRecord(payload) ? payload['remember'] : undefined;
  if (!isRecord(remember) || !['approved', 'changed'].includes(decisionOf(answer))) return undefined;
  const { what, where, forMs, maxUses, maxTotal } = remember;
  const calls =
    where === 'principal'
      ? translate('this tool for {0}', receiverOf(answer))
      : translate(
          what === 'arguments' ? 'exactly this in this conversation' : 'this tool in this conversation',
        );
  return [
    calls,
    ...(typeof forMs !== 'number'
      ? []
      : [at === undefined ? translate('for a limited time') : translate('until {0}', moment(at + forMs))]),
    ...(typeof maxUses === 'number' ? [translate('at most {0} use|at most {0} uses', maxUses)] : []),
    ...(typeof maxTotal === 'number' ? [translate('up to a total of {0}', maxTotal)] : []),
  ].join(', ');
}

/** A permission for "me" belongs to the person who answered. */
function receiverOf({ by, you }: GivenAnswer): string {
  if (by === ANONYMOUS) return translate('everybody without a login');
  return you === true || by === undefined ? translate('you') : visibleText(by);
}

/** True for an allowed call that did not run, because its thread was deleted first. */
export function isDroppedCall(answer: GivenAnswer): boolean {
  return answer.dropped === true && ['approved', 'changed'].includes(decisionOf(answer));
}

/** Most values that a line names. */
const MOST_NAMED = 3;

/** "To: a@b.com · Subject: Hello", the values that an approval changed. */
function changesIn(answer: GivenAnswer, call: AnsweredCall): string {
  const { payload } = answer;
  const { args } = call;
  if (decisionOf(answer) !== 'changed' || !isRecord(payload) || !isRecord(args)) return '';
  return named(
    changesBetween(args, payload['editedArgs']).map(({ pointer, before, after }) => {
      const tokens = pointerTokens(pointer) ?? [];
      const written = writeChanged(call, { name: tokens.join('/'), before, after });
      return [tokens.map(toWords).join(' › '), written ?? after];
    }),
  );
}

/** "Batch size: 7", the values that an approval has beside its yes and its changes. Its words say that it asks for a trial run. */
function addedIn(answer: GivenAnswer): string {
  if (!['approved', 'changed'].includes(decisionOf(answer))) return '';
  const values = unsaidValues(answer);
  if (!isRecord(values)) return '';
  const { confirmation: _phrase, ...added } = values;
  return named(leavesOf(added));
}

function leavesOf(values: UnknownRecord): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || (value === true && TRIAL.test(name))) return [];
    if (isRecord(value) && typeof value['$secret'] !== 'string') return leavesOf(value);
    return [[toWords(name), isRecord(value) ? DOTS : value] as const];
  });
}

/** "E-mail: a@b.com · Plan: Pro", the values of an answer; of a file, its name. */
function valuesIn({ payload }: GivenAnswer, { responseSchema }: AnsweredCall): string {
  const file = fileNameIn(payload);
  if (file !== undefined) return visibleText(shortText(file));
  if (!isRecord(payload) || responseSchema === undefined) return '';
  const members = membersOf(responseSchema);
  const isSaid = (name: string) => name === 'action' && recoveryIn(payload) !== undefined;
  const values = Object.entries(payload).filter(([name]) => !isSaid(name));
  return named(
    values.map(([name, value]) => {
      const member = members[name];
      const title = isRecord(member) ? member['title'] : undefined;
      return [typeof title === 'string' ? title : toWords(name), value];
    }),
  );
}

/** Values with their names. */
function named(values: readonly (readonly [name: string, value: unknown])[]): string {
  const texts = values
    .slice(0, MOST_NAMED)
    .map(([name, value]) => visibleText(`${name}: ${shortText(value)}`));
  return [...texts, ...(values.length > MOST_NAMED ? ['…'] : [])].join(' · ');
}

const DOTS = '••••••';

/** The answer with dots for its secrets. The host stores a marker for each; this page may still have the entered text. */
function withoutSecrets(answer: GivenAnswer, { responseSchema }: AnsweredCall): GivenAnswer {
  const { payload } = answer;
  if (decisionOf(answer) !== 'answered' || !asksForSecrets(responseSchema)) return answer;
  if (!isRecord(payload)) return { ...answer, payload: DOTS };
  const members = membersOf(responseSchema ?? {});
  const isOpen = (name: string) => {
    const member = JSON.stringify(members[name] ?? { $ref: '' });
    return !asksForSecrets(members[name]) && !member.includes('"$ref"');
  };
  const shown = Object.entries(payload).map(([name, value]) => [name, isOpen(name) ? value : DOTS]);
  return { ...answer, payload: Object.fromEntries(shown) as unknown };
}

/** The members of the answer, also of one that may be null. */
function membersOf({ properties, anyOf }: UnknownRecord): UnknownRecord {
  if (isRecord(properties)) return properties;
  const [first] = Array.isArray(anyOf) ? (anyOf as readonly unknown[]) : [];
  return isRecord(first) && isRecord(first['properties']) ? first['properties'] : {};
}

/** The same about an interrupt with a title: "Approved: Send $5 · also allowed: this tool for you", "Answered: Sign up · E-mail: a@b.com". */
export function answerWordsAbout(title: string, answer: GivenAnswer, call: AnsweredCall): string {
  const { verb, details } = wordsOf(answer, call);
  const words = details === '' ? title : `${title.replace(/\.$/, '')} · ${details}`;
  return withOutcome(`${verb}: ${words}`, answer);
}

/** "Approved by Ana 12 s ago", "Rejected by you just now: too much". */
export function answeredWords(answer: GivenAnswer, now: number, call: AnsweredCall = {}): string {
  const { verb, details } = wordsOf(answer, call);
  const at = answer.at === undefined ? '' : ` ${ago(answer.at, now)}`;
  const where = call.isElsewhere === true ? `, ${translate('in another window')}` : '';
  return withOutcome(withDetails(`${withPerson(verb, answer)}${at}${where}`, details), answer);
}

/** The same with the person first, for a record: "You approved with 3 changes · 14:02", "Ana rejected: too much". */
export function recordWords(answer: GivenAnswer, args: unknown, time = ''): string {
  const words = recordVerb(answer, args);
  return withOutcome(time === '' ? words : `${words} · ${time}`, answer);
}

function recordVerb(answer: GivenAnswer, args: unknown): string {
  const decision = decisionOf(answer);
  if (decision === 'expired') return translate('Expired without an answer');
  if (decision === 'granted') return grantWords(answer);
  const decided = decision === 'withdrawn' ? translate('withdrew it') : verbOf(answer, args);
  const added = addedIn(answer);
  const isNamed = added !== '' || decision === 'changed';
  const reason = namedReason(reasonOf(answer), isNamed);
  const verb = isNamed
    ? [withDetails(decided, added), reason].filter((words) => words !== '').join(' · ')
    : withDetails(decided, reason);
  if (answer.you === true) return translate('You {0}', verb);
  if (answer.by === undefined || answer.by === ANONYMOUS) return capital(verb);
  return translate('{0} {1}', visibleText(answer.by), verb);
}

/** Says that a call ran without asking, and who had allowed it. */
export function grantWords({ by, you }: Pick<GivenAnswer, 'by' | 'you'>): string {
  if (you === true && by !== ANONYMOUS) return translate('Ran without asking, as you allowed');
  return by === undefined || by === ANONYMOUS
    ? translate('Ran without asking')
    : translate('Ran without asking, as {0} allowed', visibleText(by));
}

/** The id of everybody on a host without logins: it names no person. */
export const ANONYMOUS = 'anonymous';

function withPerson(words: string, answer: GivenAnswer): string {
  if (decisionOf(answer) === 'granted') return grantWords(answer);
  const { by, you } = answer;
  if (you === true) return translate('{0} by you', words);
  // No person decides an expiry: a rule of the host does.
  if (by === undefined || decisionOf(answer) === 'expired') return words;
  return by === ANONYMOUS
    ? translate('{0} by another person', words)
    : translate('{0} by {1}', words, visibleText(by));
}

/** A sentence with a capital letter. */
export function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** "Skipped by you"; a record says "You skipped it". */
function skippedWord({ payload }: GivenAnswer): string {
  return translate(payload === undefined || payload === null ? 'left empty' : 'skipped');
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
      return translate('Ran without asking');
    case 'skipped':
      return translate(payload === undefined || payload === null ? 'left it empty' : 'skipped it');
    case 'answered': {
      const recovery = recoveryIn(payload);
      if (recovery !== undefined) return translate('answered “{0}”', translate(recovery));
      if (typeof payload === 'object' || payload === undefined) return translate('answered');
      return translate('answered “{0}”', visibleText(shortText(payload)));
    }
    default:
      return translate(decision);
  }
}

function approvedWithChanges(payload: unknown, args: unknown): string {
  const edited: unknown = isRecord(payload) ? payload['editedArgs'] : undefined;
  return isRecord(args)
    ? translate('approved with {0} change|approved with {0} changes', changesBetween(args, edited).length)
    : translate('approved with changes');
}

/** "Reason: too much" where the reason could be read as a value or a change. */
function namedReason(reason: string, isNamed: boolean): string {
  return isNamed && reason !== '' ? `${translate('Reason')}: ${reason}` : reason;
}

/** The words of the person who decided or withdrew; empty without any. */
export function reasonOf({ payload, reason: withdrawal }: GivenAnswer): string {
  const reason: unknown = isRecord(payload) ? payload['reason'] : withdrawal;
  return typeof reason === 'string' && reason.trim() !== '' ? visibleText(reason) : '';
}
