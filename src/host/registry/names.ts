import type { Check } from '../../core/index.ts';
import { text } from '../../core/index.ts';

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
