import type { InboxItem } from '../../client/index.ts';
import { answer, approve, reject } from '../../client/index.ts';
import { isRecord } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { expiryOf } from '../../protocol/index.ts';
import { visibleText } from '../base/visible-text.ts';
import { shortText, toWords } from '../base/words.ts';
import { givenAnswerOf } from '../conversation/given-answer.ts';
import { whoMayAnswer } from '../conversation/records.ts';
import type { CardFacts } from '../interrupt/card-facts.ts';
import { cardFacts } from '../interrupt/card-facts.ts';
import type { GivenAnswer } from '../interrupt/card-status.ts';
import { ANONYMOUS, NO, YES } from '../interrupt/decision.ts';
import { riskLabel } from '../interrupt/reason-label.ts';
import { verdictOf } from '../interrupt/verdict-body.ts';
import { translate } from '../base/strings.ts';
import { amountOf } from '../interrupt/amounts.ts';

/** An interrupt as a row of the inbox. */
export interface InboxRow {
  readonly key: string;
  readonly item: InboxItem;
  readonly facts: CardFacts;
  /** The same for calls of one tool with the same arguments; undefined without a call. */
  readonly signature: string | undefined;
  readonly agent: string;
  readonly status: string;
  readonly askedBy: string | undefined;
  readonly isAskedByYou: boolean;
  readonly raisedAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly answered: GivenAnswer | undefined;
  /** Who may answer, if the viewer may not: "finance". */
  readonly waitingFor: string | undefined;
  /** True when its card has entries that are not sent: a decision with other requests would drop them. */
  readonly isUnsent?: boolean;
}

/** A list that grows or changes in one place keeps the rows of its other items. */
const rows = new WeakMap<InboxItem, InboxRow>();

/** The row of an inbox item. */
export function toRow(item: InboxItem): InboxRow {
  const known = rows.get(item);
  if (known !== undefined) return known;
  const row = readRow(item);
  rows.set(item, row);
  return row;
}

function readRow(item: InboxItem): InboxRow {
  const { interrupt, agent, status, raisedAt } = item;
  const askedBy =
    typeof item['askedBy'] === 'string' && item['askedBy'] !== ANONYMOUS ? item['askedBy'] : undefined;
  const raised = typeof raisedAt === 'string' ? Date.parse(raisedAt) : Number.NaN;
  const facts = cardFacts(interrupt);
  const { toolName, args } = facts;
  return {
    key: itemKey(item),
    item,
    facts,
    signature: toolName === undefined ? undefined : `${String(agent)} ${toolName} ${JSON.stringify(args)}`,
    agent: typeof agent === 'string' ? agent : '',
    status: typeof status === 'string' ? status : 'pending',
    askedBy,
    isAskedByYou: askedBy !== undefined && item.askedByYou === true,
    raisedAt: Number.isNaN(raised) ? undefined : raised,
    expiresAt: expiryOf(interrupt),
    answered: givenAnswerOf(item),
    waitingFor: item.mayAnswer === false ? whoMayAnswer(item) : undefined,
  };
}

/** The row of an inbox item at a time: it expires without a word of the server. */
export function rowAt(item: InboxItem, now: number): InboxRow {
  const row = toRow(item);
  const isDue = row.expiresAt !== undefined && row.expiresAt <= now;
  return isDue && row.status === 'pending' ? { ...row, status: 'expired' } : row;
}

/** A key that is unique across threads. */
export function itemKey({ threadId, interrupt }: InboxItem): string {
  return `${threadId}/${interrupt.id}`;
}

/** The title that the author of the tool wrote, else the message, else the name of the tool in words. */
export function rowTitle(facts: CardFacts): string {
  return visibleText(hasOwnTitle(facts) ? facts.title : facts.headline);
}

/** A name of a tool that was turned into a title has its letters only. */
function hasOwnTitle({ title, toolName }: CardFacts): boolean {
  return toolName === undefined || toWords(toolName) !== title;
}

/**
 * The text that distinguishes a row: the people it waits for, if not the viewer; then the message, else the arguments of the
 * call, else the tool. Leaves out what the title or the amount already says.
 */
export function rowText({ facts, waitingFor }: InboxRow): string {
  const about = aboutText(facts);
  if (waitingFor === undefined) return about;
  return `${translate('Waiting for {0}.', waitingFor)} ${about}`.trim();
}

const ORDINARY = /^(?:none|low|normal|medium|moderate)$/i;

/** "Risk: high", for a risk above the ordinary; else undefined. */
export function riskText({ risk }: CardFacts): string | undefined {
  return risk === undefined || ORDINARY.test(risk) ? undefined : riskLabel(risk);
}

/** The facts beside the arguments, where the author of the tool warns: "Balance when asked: $5: too little, the bank would refuse". */
export function detailsText({ details }: CardFacts): string {
  const texts = Object.entries(details).map(([name, value]) => `${toWords(name)}: ${shortText(value)}`);
  return visibleText(texts.join(' · '));
}

function aboutText(facts: CardFacts): string {
  const { args } = facts;
  const title = rowTitle(facts);
  const said = facts.headline === facts.title ? facts.message : facts.headline;
  if (said !== undefined && hasOwnTitle(facts) && !isRepeated(said, title)) return visibleText(said);
  const amount = amountOf({ facts });
  const values = Object.entries(isRecord(args) ? args : {})
    .map(([name, value]) => ({ name, text: shortText(facts.display?.[name] ?? value) }))
    .filter(({ text }) => text !== amount && !isRepeated(text, title))
    .map(({ name, text }) => `${toWords(name)}: ${text}`);
  if (facts.isApproval && values.length > 0) return visibleText(values.join(' · '));
  return isRepeated(facts.title, title) ? '' : visibleText(facts.title);
}

/** The share of the words of a text from which on a title that has them says the same. */
const SAME = 2 / 3;

function isRepeated(text: string, title: string): boolean {
  const known = new Set(wordsIn(title));
  const words = wordsIn(text);
  return words.length > 0 && words.filter((word) => known.has(word)).length >= words.length * SAME;
}

function wordsIn(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}$€£¥]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => word !== '');
}

/** Names of arguments that say whom or what a call is about, the most telling first. */
const RECIPIENTS = ['to', 'recipient', 'toAccountId', 'accountId', 'account', 'email', 'customer', 'table'];

/** Whom a call is about: "ABC123"; undefined when its arguments do not say. */
export function recipientOf({ args }: CardFacts): string | undefined {
  if (!isRecord(args)) return undefined;
  const name = RECIPIENTS.find((one) => typeof args[one] === 'string');
  return name === undefined ? undefined : String(args[name]);
}

/**
 * The yes or no of a row that needs nothing else: an approval, or a choice between words such as APPROVED and REJECTED.
 * Undefined for a request that asks for more.
 */
export function plainAnswer({ item, facts }: InboxRow, isYes: boolean, reason = ''): ResumeEntry | undefined {
  if (facts.isApproval) return isYes ? approve(item) : reject(item, reason === '' ? undefined : reason);
  const verdict = verdictOf(item);
  const option = verdict?.options.find(({ value }) => (isYes ? YES : NO).test(String(value)));
  if (verdict === undefined || option === undefined) return undefined;
  const why = reason === '' || !verdict.others.includes('reason') ? {} : { reason };
  return answer(item, { ...why, [verdict.member]: option.value });
}

/** True when a person may approve a row with one press: it can be undone and needs nothing but a yes. */
export function isPlainApproval(row: InboxRow): boolean {
  const { facts } = row;
  return (
    isDecidable(row) &&
    row.isUnsent !== true &&
    !facts.isDestructive &&
    facts.confirmation === undefined &&
    facts.extras === undefined &&
    plainAnswer(row, true) !== undefined
  );
}

/** True when all rows are plain approvals of one tool, or of one turn: a thread has one open turn. */
export function mayApproveTogether(rows: readonly InboxRow[]): boolean {
  const [first] = rows;
  if (first === undefined || !rows.every(isPlainApproval)) return false;
  const isSame = (value: (row: InboxRow) => unknown) => rows.every((row) => value(row) === value(first));
  return isSame(({ facts }) => facts.toolName) || isSame(({ item }) => item.threadId);
}

/** True when all rows can be rejected with one reason. */
export function mayRejectTogether(rows: readonly InboxRow[]): boolean {
  return rows.length > 0 && rows.every(isPlainRejection);
}

function isPlainRejection(row: InboxRow): boolean {
  return isDecidable(row) && row.isUnsent !== true && plainAnswer(row, false) !== undefined;
}

/** False for a row that has expired, and for one that waits for another person. */
export function isDecidable({ status, item }: InboxRow): boolean {
  return status === 'pending' && item.mayAnswer !== false;
}

/**
 * Counts rows by the people they wait for: "9 for you, 8 wait for others, 1 expired". When all of them wait for the viewer:
 * "3 open requests"; with the `total` without a filter, "3 of 17 open requests".
 */
export function openWords(
  rows: readonly InboxRow[],
  { hasMore = false, total }: { readonly hasMore?: boolean; readonly total?: number } = {},
): string {
  const open = rows.filter(({ status }) => status !== 'expired');
  const expired = rows.length - open.length;
  const own = open.filter(isDecidable).length;
  const others = open.length - own;
  const words =
    total !== undefined
      ? translate('{0} of {1} open requests', open.length, Math.max(open.length, total))
      : hasMore
        ? translate('{0} open request and more|{0} open requests and more', open.length)
        : others > 0
          ? own === 0
            ? translate('None for you')
            : translate('{0} for you', own)
          : translate('{0} open request|{0} open requests', open.length);
  return [
    words,
    ...(others === 0 ? [] : [translate('{0} waits for others|{0} wait for others', others)]),
    ...(expired === 0 ? [] : [translate('{0} expired', expired)]),
  ].join(', ');
}

/** Why a row cannot be decided with the other ones. */
export interface RowFault {
  readonly row: InboxRow;
  /** Follows the title of the row: "is permanent". */
  readonly text: string;
}

/** The rows that keep the others from being approved together; if they cannot be rejected together either, those that prevent that. */
export function faultsAmong(rows: readonly InboxRow[]): readonly RowFault[] {
  return rows.length < 2 ? [] : faultsIn(rows);
}

/** The same for any number of rows. */
export function faultsIn(rows: readonly InboxRow[]): readonly RowFault[] {
  if (mayApproveTogether(rows)) return [];
  const isFault = mayRejectTogether(rows) ? isPlainApproval : isPlainRejection;
  const faulty = rows.filter((row) => !isFault(row));
  if (faulty.length > 0) return faulty.map((row) => ({ row, text: faultOf(row) }));
  // All are plain: the rows of the most frequent tool belong together.
  const calls = new Map<string | undefined, number>();
  for (const { facts } of rows) calls.set(facts.toolName, (calls.get(facts.toolName) ?? 0) + 1);
  const [tool] = [...calls].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return rows
    .filter(({ facts }) => facts.toolName !== tool)
    .map((row) => ({ row, text: translate('calls another tool') }));
}

function faultOf(row: InboxRow): string {
  const { item, waitingFor } = row;
  if (row.status !== 'pending') return translate('has expired');
  if (item.barredAsAsker === true) return translate('was asked by you, so another person has to answer');
  if (waitingFor !== undefined) return translate('waits for {0}', waitingFor);
  const isQuestion = plainAnswer(row, true) === undefined && plainAnswer(row, false) === undefined;
  if (row.isUnsent === true && !isQuestion) return translate('has unsent changes');
  if (row.facts.isDestructive) return translate('is permanent');
  return translate(
    plainAnswer(row, true) === undefined ? 'asks for more than yes or no' : 'needs more than a yes',
  );
}
