/** Names that code elsewhere could turn into a change of a prototype. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);

/** True for a member name that never reaches an object of ours. */
export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}
