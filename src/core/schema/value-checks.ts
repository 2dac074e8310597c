import { format as formats } from '@cfworker/json-schema';

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

/** True when a number is a multiple of another by their decimal digits, such as 0.3 and 0.1. */
export function isMultiple(value: number, divisor: number): boolean {
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shared = Math.min(exponent, divisorExponent);
  const scale = (number: bigint, from: number) => number * 10n ** BigInt(from - shared);
  return scale(digits, exponent) % scale(divisorDigits, divisorExponent) === 0n;
}

/** The digits and the exponent: 1.25 is 125 and -2. */
function decimal(value: number): readonly [digits: bigint, exponent: number] {
  const [coefficient = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = coefficient.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** True for a format that is checked; other formats are annotations. */
export function isFormat(format: unknown): format is string {
  return typeof format === 'string' && Object.hasOwn(formats, format);
}

/** True when a text has the format; true for a format that is not checked. */
export function fitsFormat(format: string, text: string): boolean {
  return !isFormat(format) || formats[format]?.(text) !== false;
}

/** True when two values are the same JSON, in any order of members. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [members, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (Array.isArray(one) !== Array.isArray(other) || members.size !== others.size) return false;
  return [...members].every(([name, member]) => others.has(name) && sameJson(member, others.get(name)));
}
