/** True when a value has the type, or one of the types, that a schema names. */
export function fitsType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((name) => fitsType(value, name));
  const kind = kindOf(value);
  return type === kind || (type === 'integer' && kind === 'number' && Number.isInteger(value));
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The length in characters, not in code units. */
export function lengthOf(text: string): number {
  return text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '_').length;
}
