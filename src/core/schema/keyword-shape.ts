import { isRecord } from '../json-value.ts';
import type { KeywordShape } from './schema-keywords.ts';
import { TYPE_NAMES } from './schema-keywords.ts';

/** The shapes without a subschema and without a pattern. */
export type PlainShape = Exclude<
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
