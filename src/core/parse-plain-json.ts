/** So short a text has fewer members than the limits allow. */
const MAX_LENGTH = 100_000;
/** With no more brackets than this, none is nested deeper than the limits allow. */
const MAX_BRACKETS = 100;
/** The names that the limits forbid, and the escapes that could hide one. */
const FORBIDDEN = /__proto__|constructor|\\u00[4-7]/;

/** What `parseJson` gives, if the text keeps its limits beyond doubt; undefined says that it has to tell. */
export function parsePlainJson(text: string): unknown {
  if (text.length > MAX_LENGTH || FORBIDDEN.test(text)) return undefined;
  if (text.split(/[[{]/).length > MAX_BRACKETS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
