import { escapeControls } from './escape-controls.ts';

/**
 * A text as a cell of CSV (RFC 4180): in quotes, because some spreadsheets also split at semicolons and tabs. A cell that a
 * spreadsheet would run as a formula starts with an apostrophe, and control characters are escaped, because people read the file in
 * terminals too: the text comes from people and models.
 */
export function csvCell(text: string): string {
  const isFormula = /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text);
  const shown = escapeControls(text).replaceAll('"', '""');
  return `"${isFormula ? "'" : ''}${shown}"`;
}
