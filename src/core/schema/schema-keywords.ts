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

export const TYPE_NAMES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);
