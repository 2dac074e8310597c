import { format as formats } from '@cfworker/json-schema';

/** Whether a format is checked; any other is a note. */
export function isFormat(format: unknown): format is string {
  return typeof format === 'string' && Object.hasOwn(formats, format);
}

export function fitsFormat(format: string, text: string): boolean {
  return !isFormat(format) || formats[format]?.(text) !== false;
}
