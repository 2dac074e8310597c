import type { Check, JsonValue } from '../../core/index.ts';
import {
  each,
  either,
  expecting,
  filledText,
  flag,
  isRecord,
  members,
  oneOf,
  optional,
} from '../../core/index.ts';
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
