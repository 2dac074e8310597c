import { format as formats } from '@cfworker/json-schema';

/** True for a format that is checked; other formats are annotations. */
export function isFormat(format: unknown): format is string {
  return typeof format === 'string' && Object.hasOwn(formats, format);
}

/** True when a text has the format; true for a format that is not checked. */
export function fitsFormat(format: string, text: string): boolean {
  return !isFormat(format) || formats[format]?.(text) !== false;
}
