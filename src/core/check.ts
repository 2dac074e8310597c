import { invalidInput } from './invalid-value.ts';
import { childPointer } from './json-pointer.ts';
import { isRecord, kindOf } from './json-value.ts';
import type { Issue } from './holdpoint-error.ts';

/** Records a problem and its pointer. */
export type Report = (pointer: string, message: string) => void;

/** Checks a value from outside; returns false if it reported a problem. */
export type Check = (value: unknown, pointer: string, report: Report) => boolean;

/** Throws `INPUT_INVALID` for options that do not fit; `what` names them, such as `options of the tool pay`. */
export function checkOptions(what: string, options: unknown, check: Check): void {
  const issues: Issue[] = [];
  if (check(options, '', (pointer, message) => issues.push({ pointer, message }))) return;
  throw invalidInput(what, issues);
}

/** A check with a description, such as `a whole number above 0`. */
export function expecting(what: string, fits: (value: unknown) => boolean): Check {
  return (value, pointer, report) => {
    if (fits(value)) return true;
    report(pointer, `expected ${what}, got ${typeof value === 'number' ? value : kindOf(value)}`);
    return false;
  };
}

export const text: Check = expecting('text', (value) => typeof value === 'string');

export const filledText: Check = expecting(
  'text that is not empty',
  (value) => typeof value === 'string' && value.trim() !== '',
);

export const flag: Check = expecting('true or false', (value) => typeof value === 'boolean');

export const callback: Check = expecting('a function', (value) => typeof value === 'function');

export const record: Check = expecting('an object', isRecord);

export const aboveZero: Check = expecting(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
);

export const milliseconds: Check = expecting(
  'milliseconds as a number, 0 or more',
  (value) => Number.isFinite(value) && Number(value) >= 0,
);

/** One of these values. */
export function oneOf(...values: readonly unknown[]): Check {
  return expecting(values.map((value) => JSON.stringify(value)).join(' or '), (value) =>
    values.includes(value),
  );
}

/** A value that fits one of the checks, each of which belongs to the values that its test selects. */
export function either(
  what: string,
  ...cases: readonly (readonly [(value: unknown) => boolean, Check])[]
): Check {
  return (value, pointer, report) => {
    const [, check] = cases.find(([selects]) => selects(value)) ?? [];
    return (check ?? expecting(what, () => false))(value, pointer, report);
  };
}

export function optional(check: Check): Check {
  return (value, pointer, report) => value === undefined || check(value, pointer, report);
}

/** Checks every item, so that one report has all problems. */
export function each(check: Check): Check {
  return (value, pointer, report) => {
    if (!Array.isArray(value)) return expecting('a list', Array.isArray)(value, pointer, report);
    const results = value.map((item: unknown, index) => check(item, childPointer(pointer, index), report));
    return results.every(Boolean);
  };
}

/** A list without duplicates. */
export function distinct(check: Check): Check {
  return (value, pointer, report) => {
    if (!each(check)(value, pointer, report) || !Array.isArray(value)) return false;
    const items: readonly unknown[] = value;
    const again = items.flatMap((item, index) => (items.indexOf(item) < index ? [index] : []));
    for (const index of again) report(childPointer(pointer, index), 'is there twice');
    return again.length === 0;
  };
}

/**
 * An object with these members and no others. Ignoring a misspelt `aproval` would let a call run that should need an
 * approval. `Options` is the type that the checks belong to: each of its members needs one.
 */
export function members<Options = Readonly<Record<string, unknown>>>(
  checks: Readonly<Record<keyof Options & string, Check>>,
): Check {
  const known = new Map(Object.entries<Check>(checks));
  return (value, pointer, report) => {
    if (!isRecord(value)) return expecting('an object', isRecord)(value, pointer, report);
    const strange = Object.keys(value).filter((key) => !known.has(key));
    for (const key of strange)
      report(childPointer(pointer, key), `is not a known member${nearest(key, [...known.keys()])}`);
    const results = [...known].map(([key, check]) => check(value[key], childPointer(pointer, key), report));
    return strange.length === 0 && results.every(Boolean);
  };
}

/** Suggests the known name that is most like an unknown one. */
function nearest(name: string, known: readonly string[]): string {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) =>
        candidate.startsWith(name) || distance <= Math.max(name.length, candidate.length) / 3,
    )
    .toSorted((one, other) => one.distance - other.distance);
  return best === undefined ? `; known are ${known.join(', ')}` : ` (did you mean ${best.candidate}?)`;
}

/** The number of characters to insert, delete or replace to turn one text into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of from.split('').entries()) {
    const next = [index + 1];
    for (const [column, other] of to.split('').entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
