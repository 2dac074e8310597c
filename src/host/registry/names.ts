/**
 * Whether a text can be the id or alias of an agent. It is a segment of a URL and a key of stored threads, so it has no
 * character that needs escaping, and is no path (`.` and `..`) of its own.
 */
export function isName(value: string): boolean {
  return /^[\w.:@-]{1,128}$/.test(value) && !/^\.+$/.test(value);
}

/** What names are compared by: `Writer` and `writer` are one agent, not two that look alike. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}
