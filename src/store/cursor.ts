import { HoldpointError, isRecord, parseJson } from '../core/index.ts';

/** Where a page ended: the place of its last row in the order, and something that tells equals apart. */
export interface Cursor {
  readonly at: number;
  readonly tie: string;
}

export function encodeCursor({ at, tie }: Cursor): string {
  return btoa(encodeURIComponent(JSON.stringify([at, tie])));
}

/** Throws `INPUT_INVALID` for what is no cursor of ours. */
export function decodeCursor(text: string): Cursor {
  try {
    const value = parseJson(decodeURIComponent(atob(text)));
    if (Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'string') {
      return { at: value[0], tie: value[1] };
    }
    if (isRecord(value)) throw new TypeError('not a list');
  } catch (cause) {
    throw new HoldpointError('INPUT_INVALID', 'The cursor is not one that a page gave.', { cause });
  }
  throw new HoldpointError('INPUT_INVALID', 'The cursor is not one that a page gave.');
}
