import { isRecord } from '../../core/basics/index.ts';

/** Only the boolean true approves; `accepted` is understood in place of `approved`. */
export function isApproved(payload: unknown): boolean {
  if (!isRecord(payload)) return false;
  const given = ['approved', 'accepted'].filter((name) => Object.hasOwn(payload, name));
  return given.length > 0 && given.every((name) => payload[name] === true);
}
