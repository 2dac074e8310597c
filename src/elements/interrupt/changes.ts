import { canonicalJson, childPointer, isRecord } from '../../core/index.ts';

/** A value that would be another one. */
export interface Change {
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What differs between two values, field by field; arrays are compared as a whole. */
export function changesBetween(before: unknown, after: unknown, pointer = ''): readonly Change[] {
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changesBetween(before[name], after[name], childPointer(pointer, name)),
    );
  }
  return textOf(before) === textOf(after) ? [] : [{ pointer, before, after }];
}

function textOf(value: unknown): string {
  return value === undefined ? '' : canonicalJson(value);
}
