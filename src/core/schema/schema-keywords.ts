import { isRecord } from '../json-value.ts';

/** The required shape of a keyword's value. */
export type KeywordShape =
  | 'schema'
  | 'schemas'
  | 'schema map'
  | 'items'
  | 'dependencies'
  | 'names'
  | 'name map'
  | 'types'
  | 'count'
  | 'positive number'
  | 'number'
  | 'exclusive bound'
  | 'boolean'
  | 'pattern'
  | 'pattern map'
  | 'format'
  | 'list'
  | 'any';

/** Every keyword that affects validation, with the shape of its value. Other keywords are annotations. */
export const KEYWORD_SHAPES: ReadonlyMap<string, KeywordShape> = new Map<string, KeywordShape>([
  ['type', 'types'],
  ['const', 'any'],
  ['enum', 'list'],
  ['not', 'schema'],
  ['allOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['required', 'names'],
  ['properties', 'schema map'],
  ['patternProperties', 'pattern map'],
  ['additionalProperties', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['minProperties', 'count'],
  ['maxProperties', 'count'],
  ['dependentRequired', 'name map'],
  ['dependentSchemas', 'schema map'],
  ['dependencies', 'dependencies'],
  ['prefixItems', 'schemas'],
  ['items', 'items'],
  ['additionalItems', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['contains', 'schema'],
  ['minContains', 'count'],
  ['maxContains', 'count'],
  ['minItems', 'count'],
  ['maxItems', 'count'],
  ['uniqueItems', 'boolean'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'exclusive bound'],
  ['exclusiveMaximum', 'exclusive bound'],
  ['multipleOf', 'positive number'],
  ['minLength', 'count'],
  ['maxLength', 'count'],
  ['pattern', 'pattern'],
  ['format', 'format'],
]);

/** Keywords that affect validation and that the validator would ignore. */
export const UNSUPPORTED_KEYWORDS: ReadonlySet<string> = new Set(['$dynamicRef', '$recursiveRef']);

/** Keywords whose subschemas check the same value, not a part of it. */
export const IN_PLACE_KEYWORDS: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);

const TYPE_NAMES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);

/** The shapes without a subschema and without a pattern. */
type PlainShape = Exclude<
  KeywordShape,
  | 'schema'
  | 'schemas'
  | 'schema map'
  | 'items'
  | 'dependencies'
  | 'pattern'
  | 'pattern map'
  | 'format'
  | 'exclusive bound'
>;

/** The words for a shape, after "expected". */
export const SHAPE_WORDS: Readonly<Record<PlainShape, string>> = {
  types: 'a type name or several',
  names: 'an array of member names',
  'name map': 'an object of member names',
  count: 'a number that is not negative',
  'positive number': 'a number above zero',
  number: 'a number',
  boolean: 'a boolean',
  list: 'an array',
  any: 'JSON',
};

/** True when the value of a keyword has this shape. */
export function hasShape(shape: PlainShape, value: unknown): boolean {
  switch (shape) {
    case 'types':
      return Array.isArray(value) ? value.every((name) => TYPE_NAMES.has(name)) : TYPE_NAMES.has(value);
    case 'names':
      return Array.isArray(value) && value.every((name) => typeof name === 'string');
    case 'name map':
      return isRecord(value) && Object.values(value).every((names) => hasShape('names', names));
    case 'count':
      return typeof value === 'number' && value >= 0;
    case 'positive number':
      return typeof value === 'number' && value > 0;
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value);
    case 'any':
      return true;
  }
}
