/**
 * The shape of a protocol object, as data. Decoding, snake-case naming and the JSON Schema export all read one
 * table, so they cannot differ.
 *
 * A shape is its members with spaces between them. A member is a name and, after a colon, its type when that is not
 * `string`: `integer`, `count` (an integer from 0), `boolean`, `record` (any object), `pointer` (RFC 6901), `any`
 * (any JSON), `none` (a member that contradicts the shape), `Content` (text or content parts), `=a|b` (one of these words), or the name of another shape. Then
 * `[]` for a list (`[1]`: of at least one), then `?` when the member may be absent.
 */
export type Shape = string;

/** A choice of shapes by the word in one member; `strict` rejects an unknown word. */
interface Choice {
  readonly by: string;
  readonly of: Readonly<Record<string, string>>;
  readonly strict?: boolean;
}

/** A set of shapes; `parts` and `choices` are the building blocks of events and inputs. */
export interface ShapeTable {
  /** By type; the shapes do not repeat `type`. */
  readonly events: Readonly<Record<string, Shape>>;
  readonly parts: Readonly<Record<string, Shape>>;
  readonly choices: Readonly<Record<string, Choice>>;
}

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
