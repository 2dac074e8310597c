/**
 * What is appended to a log together is one row: a line of JSON for each item, and the sequence of the last for an id. At most
 * so many items, since a row is read as a whole.
 */
export const ITEMS_PER_ROW = 500;

/** JSON that was made here has no line breaks of its own. */
export function toLines(items: readonly string[]): string {
  return items.join('\n');
}

export function fromLines(text: string): string[] {
  return text.split('\n');
}
