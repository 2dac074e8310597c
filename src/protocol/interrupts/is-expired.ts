import type { Interrupt } from '@ag-ui/core';

/** The expiry of an interrupt in milliseconds since the Unix epoch; undefined without one or for a malformed date. */
export function expiryOf(interrupt: Pick<Interrupt, 'expiresAt'>): number | undefined {
  if (interrupt.expiresAt === undefined) return undefined;
  const time = Date.parse(interrupt.expiresAt);
  return Number.isNaN(time) ? undefined : time;
}

/** True when the interrupt is expired at `now` (milliseconds since the Unix epoch). */
export function isExpired(interrupt: Pick<Interrupt, 'expiresAt'>, now: number): boolean {
  const expiry = expiryOf(interrupt);
  return expiry !== undefined && expiry <= now;
}
