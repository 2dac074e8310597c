import type { Check, JsonValue } from '../../core/index.ts';
import {
  each,
  either,
  expecting,
  filledText,
  flag,
  HoldpointError,
  isRecord,
  members,
  oneOf,
  optional,
  ownMember,
} from '../../core/index.ts';
import { isApproved } from './approval-rules.ts';
import type { Approvers } from './interrupt-rules.ts';

/** The check of the option `onExpire`. */
export const onExpireCheck: Check = either(
  '"keep", "cancel", "deny" or { answer }',
  [(value) => typeof value === 'string', oneOf('keep', 'cancel', 'deny')],
  [isRecord, members<{ readonly answer: JsonValue }>({ answer: expecting('a value', isDefined) })],
);

function isDefined(value: unknown): boolean {
  return value !== undefined;
}

const approversMembers = members<Approvers>({
  principals: optional(each(filledText)),
  roles: optional(each(filledText)),
  notAsker: optional(flag),
});

/** The check of the option `approvers`. Nobody could answer under a rule that names no person and no role. */
export const approversCheck: Check = (value, pointer, report) => {
  if (!approversMembers(value, pointer, report)) return false;
  // The members were checked above.
  const { principals, roles, notAsker } = value as Approvers;
  const named = [...(principals ?? []), ...(roles ?? [])];
  if (named.length > 0 || (principals === undefined && roles === undefined && notAsker === true)) return true;
  report(pointer, 'names nobody: give roles, principals or notAsker: true');
  return false;
};

/**
 * Throws `INPUT_INVALID` for an `onExpire` that would answer an approval: an expiry never approves. `owner`: whose option it is, such as
 * "The tool pay". `isApproval`: the option is for approvals only, so any answer is refused; otherwise one that approves.
 */
export function assertExpiry(
  onExpire: unknown,
  { owner, isApproval = false }: { readonly owner: string; readonly isApproval?: boolean },
): void {
  if (!isRecord(onExpire)) return;
  if (!isApproval && !isApproved(ownMember(onExpire, 'answer'))) return;
  throw new HoldpointError(
    'INPUT_INVALID',
    `${owner} has an onExpire that answers an approval, and an expiry never approves. Use 'keep', 'cancel' or 'deny'; an answer is for questions.`,
  );
}
