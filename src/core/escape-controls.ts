/**
 * Control characters C0 and C1, marks of text direction, Unicode line separators and lone surrogates; not tab, line feed, and the carriage
 * return of CRLF.
 */
const CONTROLS = /(?![\n\t]|\r\n)[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Escapes control characters as `\u001b`, so that a text from outside cannot steer a terminal or hide its order. Line ends and tabs
 * stay. Within JSON, the escape means the same character.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
