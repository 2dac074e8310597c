import { isRecord } from '../json-value.ts';

const TYPE_WORDS: ReadonlyMap<unknown, string> = new Map([
  ['array', 'an array'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['null', 'null'],
  ['number', 'a number'],
  ['object', 'an object'],
  ['string', 'text'],
]);

const FORMAT_WORDS: ReadonlyMap<unknown, string> = new Map([
  ['date', 'a date such as 2026-01-31'],
  ['time', 'a time with its offset, such as 14:30:00Z'],
  ['date-time', 'a date and time such as 2026-01-31T14:30:00Z'],
  ['duration', 'a duration such as P1DT2H'],
  ['uri', 'a URL'],
  ['url', 'a URL'],
  ['uri-reference', 'a URL or a relative reference'],
  ['uri-template', 'a URI template'],
  ['email', 'an email address'],
  ['hostname', 'a host name'],
  ['ipv4', 'an IPv4 address'],
  ['ipv6', 'an IPv6 address'],
  ['regex', 'a regular expression'],
  ['uuid', 'a UUID'],
  ['json-pointer', 'a JSON pointer'],
  ['json-pointer-uri-fragment', 'a JSON pointer as a URI fragment'],
  ['relative-json-pointer', 'a relative JSON pointer'],
]);

const MAX_CHOICES = 10;
const MAX_QUOTE = 100;

/** The requirement of a keyword, to follow "expected"; undefined for a keyword without words. */
export function describeKeyword(keyword: string, value: unknown): string | undefined {
  switch (keyword) {
    case 'type':
      return listed(
        (Array.isArray(value) ? value : [value]).map((name) => TYPE_WORDS.get(name) ?? String(name)),
      );
    case 'const':
      return quote(value);
    case 'enum':
      return describeChoices(Array.isArray(value) ? value : []);
    case 'format':
      return FORMAT_WORDS.get(value) ?? String(value);
    case 'pattern':
      return `text that matches ${cut(String(value))}`;
    case 'minLength':
      return `at least ${counted(value, 'character')}`;
    case 'maxLength':
      return `at most ${counted(value, 'character')}`;
    case 'minItems':
      return `at least ${counted(value, 'item')}`;
    case 'maxItems':
      return `at most ${counted(value, 'item')}`;
    case 'minProperties':
      return `at least ${counted(value, 'member')}`;
    case 'maxProperties':
      return `at most ${counted(value, 'member')}`;
    case 'minContains':
      return `at least ${counted(value, 'item')} of the required kind`;
    case 'maxContains':
      return `at most ${counted(value, 'item')} of the required kind`;
    case 'contains':
      return 'at least one item of the required kind';
    case 'uniqueItems':
      return 'items that all differ';
    case 'minimum':
      return `at least ${String(value)}`;
    case 'maximum':
      return `at most ${String(value)}`;
    case 'exclusiveMinimum':
      return `more than ${String(value)}`;
    case 'exclusiveMaximum':
      return `less than ${String(value)}`;
    case 'multipleOf':
      return `a multiple of ${String(value)}`;
    case 'not':
      return 'a value that is not excluded';
    case 'oneOf':
      return 'a value that fits exactly one of the alternatives';
    case 'anyOf':
      return 'a value that fits one of the alternatives';
    default:
      return undefined;
  }
}

/** Joins words: "a, b or c". */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? 'nothing';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

function describeChoices(values: readonly unknown[]): string {
  const [only] = values;
  if (values.length === 1) return quote(only);
  const shown = values.slice(0, MAX_CHOICES).map(quote).join(', ');
  return `one of ${shown}${values.length > MAX_CHOICES ? ', …' : ''}`;
}

function counted(value: unknown, noun: string): string {
  return `${String(value)} ${noun}${value === 1 ? '' : 's'}`;
}

function quote(value: unknown): string {
  const isLarge = isRecord(value) || Array.isArray(value);
  return cut(JSON.stringify(value), isLarge ? MAX_QUOTE : MAX_QUOTE / 2);
}

function cut(text: string, length = MAX_QUOTE): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
