import { HoldpointError, parseJson } from '../core/index.ts';
import type { ListQuery } from './store.ts';

/** The place of a row in an order. */
export interface Position {
  /** The order in which the rows of the table were created. */
  readonly ordinal: number;
  /** Absent if the row has no time. */
  readonly dueAt?: number;
  /** Absent if the row has no answer. */
  readonly answeredAt?: number;
}

type Order = NonNullable<ListQuery['order']>;

/** The cursor for the end of a page in this order. */
export function encodeCursor(order: Order, { ordinal, dueAt, answeredAt }: Position): string {
  const time = order === 'due' ? [dueAt ?? null] : order === 'answered' ? [answeredAt ?? null] : [];
  return btoa(JSON.stringify([order, ordinal, ...time]));
}

/** Throws `INPUT_INVALID` for an invalid cursor, and for a cursor of another order. */
export function decodeCursor(text: string, order: Order): Position {
  let value: unknown;
  try {
    value = parseJson(atob(text));
  } catch (cause) {
    throw new HoldpointError('INPUT_INVALID', 'The cursor is not valid. Use `next` of the page before.', {
      cause,
    });
  }
  const [of, ordinal, time]: readonly unknown[] = Array.isArray(value) ? value : [];
  const isTime = (time ?? null) === null || Number.isSafeInteger(time);
  if (typeof of !== 'string' || !Number.isSafeInteger(ordinal) || !isTime) {
    throw new HoldpointError('INPUT_INVALID', 'The cursor is not valid. Use `next` of the page before.');
  }
  if (of !== order) {
    throw new HoldpointError('INPUT_INVALID', `The cursor is of a list in the order "${of}".`);
  }
  if (typeof time !== 'number') return { ordinal: Number(ordinal) };
  return { ordinal: Number(ordinal), ...(order === 'answered' ? { answeredAt: time } : { dueAt: time }) };
}

/** Compares two positions in an order. */
export function comparePositions(order: Order, one: Position, other: Position): number {
  if (order === 'newest') return other.ordinal - one.ordinal;
  if (order === 'answered')
    return (other.answeredAt ?? 0) - (one.answeredAt ?? 0) || other.ordinal - one.ordinal;
  const due = order === 'due' ? compareDue(one.dueAt, other.dueAt) : 0;
  return due === 0 ? one.ordinal - other.ordinal : due;
}

function compareDue(one: number | undefined, other: number | undefined): number {
  if (one === other) return 0;
  if (one === undefined) return 1;
  return other === undefined ? -1 : one - other;
}
