import type { Shape } from './shape.ts';

/** A parsed member of the shape table. */
export interface Field {
  readonly key: string;
  /** The name of its type, or of the type of its items. */
  readonly name: string;
  /** The words of an `=a|b` member. */
  readonly words: readonly string[] | undefined;
  readonly optional: boolean;
  readonly list: boolean;
  /** True when the list must have an item. */
  readonly filled: boolean;
}

const parsed = new Map<Shape, readonly Field[]>();

/** Parses the notation of the shape table; each shape is parsed once. */
export function fieldsOf(shape: Shape): readonly Field[] {
  const known = parsed.get(shape);
  if (known !== undefined) return known;
  const fields = [...shape.matchAll(/(\w+)(?::([^ [?]+))?(\[1?\])?(\??)/g)].map(
    ([, key = '', name = 'string', list, optional]): Field => ({
      key,
      name,
      words: name.startsWith('=') ? name.slice(1).split('|') : undefined,
      optional: optional === '?',
      list: list !== undefined,
      filled: list === '[1]',
    }),
  );
  parsed.set(shape, fields);
  return fields;
}
