import { canonicalJson, childPointer, isRecord } from '../../core/index.ts';

/** One changed value. */
export interface Change {
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The differences between two values, member by member; arrays are compared as a whole. */
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
