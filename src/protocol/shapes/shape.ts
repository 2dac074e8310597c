/**
 * The shape of a protocol object, as data. Decoding, snake-case naming and the JSON Schema export all read one
 * table, so they cannot differ.
 *
 * A shape is its members with spaces between them. A member is a name and, after a colon, its type when that is not
 * `string`: `integer`, `count` (an integer from 0), `boolean`, `record` (any object), `pointer` (RFC 6901), `any`
 * (any JSON), `Content` (text or content parts), `=a|b` (one of these words), or the name of another shape. Then
 * `[]` for a list (`[1]`: of at least one), then `?` when the member may be absent.
 */
export type Shape = string;

/** A choice of shapes by the word in one member; `strict` rejects an unknown word. */
export interface Choice {
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
