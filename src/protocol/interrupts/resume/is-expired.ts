import type { Interrupt } from '@ag-ui/core';

/** When the question expires, in milliseconds; undefined when it never does. A malformed date never expires. */
export function expiryOf(interrupt: Pick<Interrupt, 'expiresAt'>): number | undefined {
  if (interrupt.expiresAt === undefined) return undefined;
  const time = Date.parse(interrupt.expiresAt);
  return Number.isNaN(time) ? undefined : time;
}

/** Whether the question is past its expiry at `now` (milliseconds since the epoch). */
export function isExpired(interrupt: Pick<Interrupt, 'expiresAt'>, now: number): boolean {
  const expiry = expiryOf(interrupt);
  return expiry !== undefined && expiry <= now;
}
