import { onExpireCheck } from '../content/interrupts/index.ts';
import {
  aboveZero,
  callback,
  each,
  either,
  filledText,
  flag,
  isRecord,
  members,
  milliseconds,
  oneOf,
  optional,
  record,
  text,
} from '../core/index.ts';
import { modeCheck } from '../engine/index.ts';
import {
  accessChecks,
  accessInterruptChecks,
  accessLimitChecks,
  quotaChecks,
  secretKeyCheck,
  storeCheck,
} from '../ledger/index.ts';
import type { FileOptions, FileQuotas } from './files/file-options.ts';
import type { CorsOptions, HostLimits, HostOptions } from './host-options.ts';

/** The checks of the limits for what is used at one time. */
const useChecks = {
  openStreams: optional(aboveZero),
  concurrentRuns: optional(aboveZero),
  bodyBytesAtWork: optional(aboveZero),
} as const;

/** The check of the options of `createHost`. */
export const hostOptionsCheck = members<HostOptions>({
  ...accessChecks,
  agents: either(
    'a list of agents, agents by name, or a registry',
    [Array.isArray, each(() => true)],
    [isRecord, record],
  ),
  store: storeCheck,
  agentsElsewhere: optional(flag),
  policies: optional(each(callback)),
  mode: optional(modeCheck),
  interrupts: optional(
    members<NonNullable<HostOptions['interrupts']>>({
      ...accessInterruptChecks,
      uncovered: optional(oneOf('refuse', 'reinterrupt')),
      ttlMs: optional(aboveZero),
      onExpire: optional(onExpireCheck),
      recheckMs: optional(milliseconds),
    }),
  ),
  dialect: optional(filledText),
  basePath: optional(text),
  cors: optional(members<CorsOptions>({ origins: each(filledText), credentials: optional(flag) })),
  onDisconnect: optional(oneOf('continue', 'cancel')),
  onInterrupt: optional(callback),
  secretKey: optional(secretKeyCheck),
  telemetry: optional(record),
  logger: optional(either('a logger or false', [(value) => value === false, flag], [isRecord, record])),
  pages: optional(callback),
  signIn: optional(filledText),
  limits: optional(
    members<HostLimits>({
      ...accessLimitChecks,
      bodyBytes: optional(aboveZero),
      json: optional(record),
      messages: optional(aboveZero),
      agentCharacters: optional(aboveZero),
      ...useChecks,
      perPrincipal: optional(
        members<NonNullable<HostLimits['perPrincipal']>>({ ...useChecks, ...quotaChecks.perPrincipal }),
      ),
      perScope: optional(
        members<NonNullable<HostLimits['perScope']>>({ ...useChecks, ...quotaChecks.perScope }),
      ),
    }),
  ),
  files: optional(
    members<FileOptions>({
      store: optional(record),
      maxBytes: optional(aboveZero),
      quotas: optional(
        members<FileQuotas>({
          threadBytes: optional(aboveZero),
          threadFiles: optional(aboveZero),
          scopeBytes: optional(aboveZero),
          scopeFiles: optional(aboveZero),
        }),
      ),
      types: optional(each(filledText)),
      origins: optional(each(filledText)),
    }),
  ),
  keepAliveMs: optional(milliseconds),
  leaseMs: optional(aboveZero),
  sweepMs: optional(milliseconds),
  keepEventsMs: optional(milliseconds),
  newId: optional(callback),
});
