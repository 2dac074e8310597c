/** Member names that other code could use to change a prototype. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);

/** True for a member name that is never copied into an object. */
export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}
