/** Escapes one member name for a JSON pointer (RFC 6901 §3). */
function escapePointerToken(token: string): string {
  if (!token.includes('~') && !token.includes('/')) return token;
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The pointer to a member of the value at `pointer`. */
export function childPointer(pointer: string, key: string | number): string {
  return typeof key === 'number' ? `${pointer}/${key}` : `${pointer}/${escapePointerToken(key)}`;
}

/** The member names of a pointer; undefined for an invalid pointer. */
export function pointerTokens(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
