import {
  expecting,
  flag,
  filledText,
  callback,
  isRecord,
  members,
  milliseconds,
  oneOf,
  optional,
} from '../core/index.ts';
import type { AccessOptions } from './gate.ts';
import type { Quotas } from './quotas.ts';
import { isSecretKey } from './vault.ts';

const wholeNumber = expecting(
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);

/** The check of the option `store`. */
export const storeCheck = expecting(
  'a store, such as sqliteStore("holdpoint.db")',
  (value) => isRecord(value) && typeof value['commit'] === 'function' && typeof value['watch'] === 'function',
);

/** The check of the option `secretKey`. It never shows the key. */
export const secretKeyCheck = expecting('32 random bytes in base64', isSecretKey);

/** The checks of the limits of a principal and of a scope for what the store keeps. */
export const quotaChecks = {
  perPrincipal: { openInterrupts: optional(wholeNumber) },
  perScope: { openInterrupts: optional(wholeNumber), threads: optional(wholeNumber) },
} as const;

/** The check of the option `quotas`. */
export const quotasCheck = members<Quotas>({
  perPrincipal: optional(members<NonNullable<Quotas['perPrincipal']>>(quotaChecks.perPrincipal)),
  perScope: optional(members<NonNullable<Quotas['perScope']>>(quotaChecks.perScope)),
});

/** The checks of the members of `limits` that every server has. */
export const accessLimitChecks = {
  failedLoginsPerMinute: optional(wholeNumber),
  requestsPerMinute: optional(wholeNumber),
} as const;

/** The checks of the members of `interrupts` that every server has. */
export const accessInterruptChecks = {
  mayAnswer: optional(callback),
  approvers: optional(callback),
} as const;

/** The checks of {@link AccessOptions}, without `limits` and `interrupts`. */
export const accessChecks = {
  authenticate: optional(callback),
  authorize: optional(callback),
  visibility: optional(oneOf('owner', 'scope')),
  allowUnauthenticated: optional(flag),
  clientAddressHeader: optional(filledText),
  accessCheckMs: optional(milliseconds),
} as const satisfies Partial<Record<keyof AccessOptions, unknown>>;
