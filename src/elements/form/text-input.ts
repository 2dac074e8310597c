import type { UnknownRecord } from '../../core/index.ts';
import type { TextInput } from './field.ts';

const BY_FORMAT: ReadonlyMap<unknown, TextInput> = new Map<unknown, TextInput>([
  ['email', 'email'],
  ['idn-email', 'email'],
  ['uri', 'url'],
  ['url', 'url'],
  ['iri', 'url'],
  ['password', 'password'],
  ['date', 'date'],
  ['time', 'time'],
  ['date-time', 'datetime-local'],
  ['textarea', 'lines'],
  ['markdown', 'lines'],
]);

/** Member names that usually hold more than one line. */
const LONG = /^(?:body|content|description|message|notes?|text|comments?|query|sql|rollback ?plan)$/i;
const LONG_LENGTH = 120;

/** The input type for a string schema. */
export function textInput(schema: UnknownRecord, name: string): TextInput {
  if (schema['writeOnly'] === true) return 'password';
  const byFormat = BY_FORMAT.get(schema['format']);
  if (byFormat !== undefined) return byFormat;
  const { maxLength } = schema;
  if (typeof maxLength === 'number' && maxLength <= LONG_LENGTH) return 'text';
  return LONG.test(name) || (typeof maxLength === 'number' && maxLength > LONG_LENGTH) ? 'lines' : 'text';
}
