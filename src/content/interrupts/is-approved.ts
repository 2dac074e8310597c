import { isRecord } from '../../core/index.ts';

/** Only the boolean true approves; `accepted` counts as `approved`, and each of the two that is present must be true. */
export function isApproved(payload: unknown): boolean {
  if (!isRecord(payload)) return false;
  const present = ['approved', 'accepted'].filter((name) => Object.hasOwn(payload, name));
  return present.length > 0 && present.every((name) => payload[name] === true);
}
