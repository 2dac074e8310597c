import { childPointer, isRecord, kindOf } from '../../core/index.ts';

/** Records a problem and its pointer. */
export type Report = (pointer: string, message: string) => void;

/** Checks a value from outside; returns false if it reported a problem. */
export type Check = (value: unknown, pointer: string, report: Report) => boolean;

/** A check with a description, such as `a whole number above 0`. */
export function expecting(what: string, fits: (value: unknown) => boolean): Check {
  return (value, pointer, report) => {
    if (fits(value)) return true;
    report(pointer, `expected ${what}, got ${kindOf(value)}`);
    return false;
  };
}

export const text: Check = expecting('text', (value) => typeof value === 'string');

export const filledText: Check = expecting(
  'text that is not empty',
  (value) => typeof value === 'string' && value.trim() !== '',
);

export const aboveZero: Check = expecting(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
);

export function optional(check: Check): Check {
  return (value, pointer, report) => value === undefined || check(value, pointer, report);
}

/** Checks every item, so that one report has all problems. */
export function listOf(check: Check): Check {
  return (value, pointer, report) => {
    if (!Array.isArray(value)) return expecting('a list', Array.isArray)(value, pointer, report);
    const results = value.map((item: unknown, index) => check(item, childPointer(pointer, index), report));
    return results.every(Boolean);
  };
}

/** A list without duplicates. */
export function distinct(check: Check): Check {
  return (value, pointer, report) => {
    if (!listOf(check)(value, pointer, report) || !Array.isArray(value)) return false;
    const items: readonly unknown[] = value;
    const again = items.flatMap((item, index) => (items.indexOf(item) < index ? [index] : []));
    for (const index of again) report(childPointer(pointer, index), 'is there twice');
    return again.length === 0;
  };
}

/**
 * An object with these members and no others. Ignoring a misspelt `aproval` would let a call run that should need an
 * approval.
 */
export function members(checks: Readonly<Record<string, Check>>): Check {
  const known = new Map(Object.entries(checks));
  return (value, pointer, report) => {
    if (!isRecord(value)) return expecting('an object', isRecord)(value, pointer, report);
    const strange = Object.keys(value).filter((key) => !known.has(key));
    for (const key of strange) report(childPointer(pointer, key), 'is not a known member');
    const results = [...known].map(([key, check]) => check(value[key], childPointer(pointer, key), report));
    return strange.length === 0 && results.every(Boolean);
  };
}

/** The name of an existing part. */
export function nameIn(names: { has(name: string): boolean }, what: string): Check {
  return (value, pointer, report) => {
    if (typeof value !== 'string') return text(value, pointer, report);
    if (names.has(value)) return true;
    report(pointer, `there is no ${what} ${JSON.stringify(value)}`);
    return false;
  };
}

/**
 * Whether a text can be the id or alias of an agent. It is a URL segment and part of stored keys, so it has no
 * character that needs escaping and is not `.` or `..`.
 */
export function isName(value: string): boolean {
  return /^[\w.:@-]{1,128}$/.test(value) && !/^\.+$/.test(value);
}

/** The key to compare names: `Writer` and `writer` are the same agent. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}
