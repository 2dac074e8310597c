/** So short a text has fewer members than the limits allow. */
const MAX_LENGTH = 1_000_000;
/** As many levels as the limits allow. */
const MAX_DEPTH = 100;
/** The names that the limits forbid, and the escapes that could hide one. */
const FORBIDDEN = /__proto__|constructor|\\u00[4-7]/;

/** What `parseJson` gives, if the text keeps its limits beyond doubt; undefined says that it has to tell. */
export function parsePlainJson(text: string): unknown {
  if (text.length > MAX_LENGTH || FORBIDDEN.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isShallow(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}
