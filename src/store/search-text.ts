import type { JsonObject } from '../core/index.ts';
import { HoldpointError, isRecord } from '../core/index.ts';

const LONGEST = 200;

/** Character classes in a row; each lists the characters that may stand there. */
export type Classes = readonly (readonly string[])[];

/**
 * The forms of a search text, each as character classes with upper and lower case. Databases differ in case rules;
 * classes mean the same in all of them. An amount has several forms: "5000" is also "5,000", and "$5,000.00" is also
 * an argument of 500000 cents.
 */
export function searchForms(text: string): readonly Classes[] {
  const characters = Array.from(text);
  if (characters.length > LONGEST) {
    throw new HoldpointError('INPUT_INVALID', `A text to search for has at most ${LONGEST} characters.`);
  }
  const literal = characters.map((character) => {
    const cases = [character, character.toLowerCase(), character.toUpperCase()];
    return [...new Set(cases)].filter((one) => Array.from(one).length === 1);
  });
  return [literal, ...amountForms(text)];
}

const SEPARATORS = [',', '.', "'", '’', ' ', '\u00a0', '\u202f'];
const DECIMAL_SIGNS = ['.', ','];
/** A number with its currency before or after it. Three digits after a separator are thousands. */
const AMOUNT =
  /^\s*(?:([$£¥])|€|[A-Z]{3}\b)?\s*(\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+|\d+)(?:[.,](\d{1,2}))?\s*(?:[$£¥€]|[A-Z]{3})?\s*$/i;

/** The other forms of an amount; none for a text that is no amount. */
function amountForms(text: string): readonly Classes[] {
  const [amount, sign, number, decimals = ''] = AMOUNT.exec(text) ?? [];
  if (amount === undefined || number === undefined) return [];
  const digits = (of: string) => Array.from(of, (digit) => [digit]);
  const whole = number.replaceAll(/\D/g, '');
  const isRound = Number(decimals) === 0;
  const fraction = isRound ? [] : [DECIMAL_SIGNS, ...digits(decimals)];
  const grouped = Array.from(whole, (digit, index) => {
    const isStart = index > 0 && (whole.length - index) % 3 === 0;
    return isStart ? [SEPARATORS, [digit]] : [[digit]];
  });
  const forms = [
    [...digits(whole), ...fraction],
    ...(whole.length > 3 ? [[...grouped.flat(), ...fraction]] : []),
    // The form without decimals is the start of a number of cents.
    ...(isRound ? [] : [digits(whole + decimals.padEnd(2, '0'))]),
  ];
  // These signs stand before a number; an argument has a colon there.
  return sign === undefined ? forms : forms.map((form) => [[sign, ':'], ...form]);
}

/** Characters that no database can compare inside of JSON. */
// oxlint-disable-next-line no-control-regex
const INCOMPARABLE = /[\u0000\p{Surrogate}]/u;

/** The forms that a database can find in the values of a JSON document. */
export function formsInJson(forms: readonly Classes[]): readonly Classes[] {
  return forms.filter((form) => !form.some((cases) => cases.some((one) => INCOMPARABLE.test(one))));
}

/** The member of a marker that stands for a secret in an answer. */
export const SECRET_MEMBER = '$secret';

/** The values of the answer in a document of `interrupts` that a search compares, as texts. */
export function answerTexts({ answer }: JsonObject): readonly string[] {
  if (!isRecord(answer)) return [];
  const { payload, metadata, withdrawn } = answer;
  const reason = withdrawn === true && isRecord(metadata) ? metadata['reason'] : undefined;
  const texts: string[] = [];
  const queue: unknown[] = [payload, reason];
  for (const value of queue) {
    if (typeof value === 'string' || typeof value === 'number') texts.push(String(value));
    else if (Array.isArray(value)) queue.push(...(value as readonly unknown[]));
    else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) if (name !== SECRET_MEMBER) queue.push(member);
    }
  }
  return texts;
}

/** Whether one of the texts contains one of the forms. */
export function containsForm(forms: readonly Classes[], texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => {
    const characters = Array.from(text ?? '');
    return characters.some((_, start) =>
      forms.some((form) => form.every((cases, offset) => cases.includes(characters[start + offset] ?? ''))),
    );
  });
}
