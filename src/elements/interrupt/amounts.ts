import { isRecord, pointerTokens } from '../../core/index.ts';
import { language } from '../base/strings.ts';
import { changesBetween } from './changes.ts';

/** An amount after its unit, as in "$1,000", and before it, as in "1.000,50 €". */
const MONEY = [
  /(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF|JPY)\s?)-?\d[\d.,'’ ]*\d|(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF|JPY)\s?)\d/,
  /(?<![\w.,])\d(?:[\d.,'’ ]*\d)?\s?(?:€|(?:USD|EUR|GBP|CHF|JPY)\b)/,
];

/** The metadata that says what an account has, such as "$10,000"; a text after the amount may warn. */
export const BALANCE = 'balanceWhenAsked';

/** A row, as far as amounts need it. */
interface Priced {
  readonly facts: Shown & {
    readonly args: unknown;
    readonly isConverted: boolean;
    readonly details: Readonly<Record<string, unknown>>;
    readonly title: string;
  };
}

/**
 * The amount that a request is about, with its unit: "$1,000.00"; undefined when it names none. It comes from the tool's `display` or
 * from the arguments: a message may name a limit or a balance.
 */
export function amountOf({ facts }: Priced): string | undefined {
  const args = countedArgs(facts);
  const written = writtenAmount(facts) ?? amountInCurrency(args);
  const amount = isRecord(args) ? args['amount'] : undefined;
  return written ?? (typeof amount === 'number' ? amount.toLocaleString(language()) : undefined);
}

/**
 * The amount that a decision is about, as the card writes it: the amount that a person approved instead, else the proposed one.
 * Undefined for an amount whose unit the request does not name.
 */
export function decidedAmount({ facts }: Priced, editedArgs?: unknown): string | undefined {
  const proposed = writtenAmount(facts);
  if (proposed === undefined) return amountInCurrency(editedArgs ?? countedArgs(facts));
  if (!isRecord(editedArgs)) return proposed;
  for (const { pointer, before, after } of changesBetween(facts.args, editedArgs)) {
    const name = (pointerTokens(pointer) ?? []).join('/');
    // The argument that the amount is written from.
    if (writeChanged(facts, { name, before, after: before }) === proposed)
      return writeChanged(facts, { name, before, after });
  }
  return proposed;
}

/** The amount that the tool's `display` writes, else the one that its title writes of an argument. */
function writtenAmount(facts: Priced['facts']): string | undefined {
  const { display = {}, title } = facts;
  const args = countedArgs(facts);
  const shown = moneyIn([display['amount'], ...Object.values(display)]);
  if (shown !== undefined || !isRecord(args)) return shown;
  for (const [name, value] of Object.entries(args)) {
    const written = writeChanged({ title }, { name, before: value, after: value });
    if (written !== undefined) return written;
  }
  return undefined;
}

/** The arguments that may say an amount: not those that the tool converts to others. */
function countedArgs({ args, isConverted }: Priced['facts']): unknown {
  return isConverted ? undefined : args;
}

function moneyIn(texts: readonly unknown[]): string | undefined {
  return texts.flatMap((text) => (typeof text === 'string' ? (moneyOf(text) ?? []) : []))[0];
}

function moneyOf(text: string): string | undefined {
  return MONEY.flatMap((form) => form.exec(text) ?? [])[0];
}

/** The argument `amount` with its unit: in a `currency` beside it, or in its text. */
function amountInCurrency(args: unknown): string | undefined {
  if (!isRecord(args)) return undefined;
  const { amount, currency } = args;
  if (typeof amount === 'string') return moneyOf(amount);
  return typeof amount === 'number' && typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)
    ? new Intl.NumberFormat(language(), { style: 'currency', currency }).format(amount)
    : undefined;
}

/** The sum of the amounts of several rows: "$3,500"; undefined when a row has no amount, or another unit or form. */
export function totalOf(rows: readonly Priced[]): string | undefined {
  const amounts = rows.map((row) => readAmount(amountOf(row) ?? ''));
  const [first] = amounts;
  if (first === undefined || rows.length < 2) return undefined;
  let hundredths = 0;
  for (const amount of amounts) {
    if (amount === undefined || amount.unit !== first.unit) return undefined;
    hundredths += amount.hundredths;
  }
  const commas = new Set(amounts.flatMap((amount) => amount?.hasDecimalComma ?? []));
  if (commas.size > 1 || !Number.isSafeInteger(hundredths)) return undefined;
  // The sum is written as the amounts are: with their separators, and with decimals if one of them has some.
  const hasDecimals = amounts.some((amount) => amount?.hasDecimals === true);
  return writeAmount({ ...first, hundredths, hasDecimals, hasDecimalComma: commas.has(true) });
}

/** The amounts of one currency beside the balance that the newest of their requests showed when it was asked. */
interface Covered {
  /** Undefined when the amounts have no sum. */
  readonly total: string | undefined;
  readonly balance: string;
  /** True when the sum is more than that balance. */
  readonly isBeyond: boolean;
  /** True when also each amount alone is more than that balance. */
  readonly isEachBeyond: boolean;
  /** Number of requests. */
  readonly size: number;
}

/** Compares amounts with the balance that their requests show, each currency by itself. */
export function coverage(
  rows: readonly (Priced & { readonly raisedAt: number | undefined })[],
): readonly Covered[] {
  const groups = new Map<string, (typeof rows)[number][]>();
  for (const row of rows) {
    const [unit, balance] = [readAmount(amountOf(row) ?? '')?.unit, balanceOf(row)?.unit];
    if (unit !== undefined && unit === balance) groups.set(unit, [...(groups.get(unit) ?? []), row]);
  }
  return [...groups.values()].flatMap((group) => {
    const [newest] = group.toSorted((one, other) => (other.raisedAt ?? 0) - (one.raisedAt ?? 0));
    const balance = newest === undefined ? undefined : balanceOf(newest);
    if (balance === undefined) return [];
    const total = totalOf(group);
    const sum = total === undefined ? undefined : readAmount(total);
    const isBeyond = sum !== undefined && sum.hundredths > balance.hundredths;
    const isMore = (text: string) => (readAmount(text)?.hundredths ?? 0) > balance.hundredths;
    const isEachBeyond = isBeyond && group.every((row) => isMore(amountOf(row) ?? ''));
    return [{ total, balance: balance.text, isBeyond, isEachBeyond, size: group.length }];
  });
}

function balanceOf({ facts }: Priced): (Amount & { readonly text: string }) | undefined {
  const value = facts.details[BALANCE];
  const text = typeof value === 'number' ? value.toLocaleString(language()) : value;
  const written = moneyIn([text]) ?? (typeof text === 'string' ? text : '');
  const amount = readAmount(written);
  return amount === undefined ? undefined : { ...amount, text: written };
}

/** A call as far as the texts of its amounts need it. */
interface Shown {
  readonly display?: Readonly<Record<string, unknown>> | undefined;
  readonly title?: string | undefined;
  readonly headline?: string | undefined;
}

/**
 * A changed argument as the card writes it: "$2,000" for 2000 where it writes "$1,000" for 1000, or for 100000 cents.
 * Undefined for a value that the texts of the call do not write.
 */
export function writeChanged(
  { display, title = '', headline = '' }: Shown,
  { name, before, after }: { readonly name: string; readonly before: unknown; readonly after: unknown },
): string | undefined {
  if (typeof before !== 'number' || typeof after !== 'number' || after < 0) return undefined;
  const shown = display !== undefined && Object.hasOwn(display, name) ? display[name] : undefined;
  const texts =
    typeof shown === 'string' ? [shown] : [title, headline].flatMap((text) => moneyOf(text) ?? []);
  for (const text of texts) {
    const amount = readAmount(text);
    const scale = [100, 1].find((one) => amount?.hundredths === before * one);
    const hundredths = Number((after * (scale ?? Number.NaN)).toFixed(6));
    if (amount === undefined || !Number.isSafeInteger(hundredths)) continue;
    return writeAmount({
      ...amount,
      hundredths,
      hasDecimals: amount.hasDecimals || hundredths % 100 !== 0,
      hasDecimalComma: amount.hasDecimalComma === true,
    });
  }
  return undefined;
}

function writeAmount({ unit, hundredths, hasDecimals, hasDecimalComma }: Amount): string {
  const digits = hasDecimals ? 2 : 0;
  const sum = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(hundredths / 100);
  const written =
    hasDecimalComma === true ? sum.replaceAll(/[.,]/g, (separator) => (separator === '.' ? ',' : '.')) : sum;
  return unit.replace('#', () => written);
}

interface Amount {
  /** The text around the number, with `#` in its place. */
  readonly unit: string;
  readonly hundredths: number;
  readonly hasDecimals: boolean;
  /** True for "1.000,50", false for "1,000.50", undefined when the text does not say. */
  readonly hasDecimalComma: boolean | undefined;
}

const NUMBER = /\d[\d.,]*/;
/** A number with decimals after a point, and one with decimals after a comma. Three digits after either are thousands. */
const FORMS = [
  /^([1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/,
  /^([1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?$/,
] as const;

/** Reads a written amount; undefined for a text of another form. */
function readAmount(text: string): Amount | undefined {
  const number = NUMBER.exec(text)?.[0] ?? '';
  const unit = text.replace(number, '#');
  const at = FORMS.findIndex((form) => form.test(number));
  const [, whole = '', decimals = ''] = FORMS[at]?.exec(number) ?? [];
  if (whole === '' || /[\d−-]/.test(unit)) return undefined;
  return {
    unit,
    hundredths: Number(whole.replaceAll(/\D/g, '')) * 100 + Number(decimals.padEnd(2, '0')),
    hasDecimals: decimals !== '',
    hasDecimalComma: /\D/.test(number) ? at === 1 : undefined,
  };
}
