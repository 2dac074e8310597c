/** A field of the shape table, parsed. */
export interface FieldType {
  readonly name: string;
  /** The words of an `=a|b` field. */
  readonly words: readonly string[] | undefined;
  readonly optional: boolean;
  readonly list: boolean;
  /** The list must have an item. */
  readonly filled: boolean;
}

const parsed = new Map<string, FieldType>();

/** Parses the notation of the shape table; each text is parsed once. */
export function fieldType(text: string): FieldType {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const optional = text.endsWith('?');
  const bare = optional ? text.slice(0, -1) : text;
  const filled = bare.endsWith('[1]');
  const list = filled || bare.endsWith('[]');
  const name = list ? bare.slice(0, bare.lastIndexOf('[')) : bare;
  const words = name.startsWith('=') ? name.slice(1).split('|') : undefined;
  const type: FieldType = { name, words, optional, list, filled };
  parsed.set(text, type);
  return type;
}
