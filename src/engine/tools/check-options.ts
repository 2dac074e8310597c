import { approversCheck, onExpireCheck } from '../../content/interrupts/index.ts';
import type { Check } from '../../core/index.ts';
import {
  aboveZero,
  callback,
  each,
  either,
  expecting,
  filledText,
  flag,
  isRecord,
  members,
  optional,
  record,
  text,
} from '../../core/index.ts';
import type { ApprovalOptions, RememberOptions } from './approval.ts';
import type { AskOptions, InterruptOptions } from './tool-context.ts';

const schema = expecting('a schema', (value) => typeof value === 'object' || typeof value === 'function');

/** The checks of the options that every kind of tool has. */
export const toolChecks = { name: filledText, description: text, input: schema } as const;

/** The check of an optional schema. */
export const optionalSchema: Check = optional(schema);

/** Names the options of a tool or an agent in an error. */
export function optionsOf(kind: string, options: unknown): string {
  const name = isRecord(options) ? (options['name'] ?? options['id']) : undefined;
  return typeof name === 'string' ? `options of the ${kind} ${name}` : `options of a ${kind}`;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** A text, or a function that writes it. */
export const textOrFunction: Check = either('text or a function', [isText, text], [isFunction, callback]);

/** An object, or a function that returns it. */
export const recordOrFunction: Check = either(
  'an object or a function',
  [isRecord, record],
  [isFunction, callback],
);

/** The checks of the options that every interrupt has. */
export const interruptChecks = {
  approvers: optional(approversCheck),
  onExpire: optional(onExpireCheck),
  expiresInMs: optional(aboveZero),
} as const;

/** The check of the option `approval` of a tool. */
export const approvalCheck: Check = either(
  'true, false, a function or options',
  [(value) => typeof value === 'boolean', flag],
  [isFunction, callback],
  [
    isRecord,
    members<ApprovalOptions<never>>({
      ...interruptChecks,
      when: optional(callback),
      message: optional(textOrFunction),
      description: optional(textOrFunction),
      editable: optional(flag),
      response: optional(record),
      confirmation: optional(filledText),
      requireReason: optional(flag),
      reason: optional(filledText),
      rejection: optional(callback),
      metadata: optional(recordOrFunction),
      remember: optional(
        either(
          'true, false or { amount }',
          [(value) => typeof value === 'boolean', flag],
          [isRecord, members<RememberOptions<never>>({ amount: callback })],
        ),
      ),
    }),
  ],
);

const pausingChecks = {
  ...interruptChecks,
  message: optional(text),
  reason: optional(filledText),
  expiresAt: optional(
    expecting('a time in ISO 8601', (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))),
  ),
  metadata: optional(record),
} as const;

/** The check of the options of `ctx.interrupt`. */
export const interruptOptionsCheck = members<InterruptOptions>({
  ...pausingChecks,
  schema: optionalSchema,
});

/** The check of the options of `ctx.ask`. */
export const askOptionsCheck = members<AskOptions>({
  ...pausingChecks,
  schema: optionalSchema,
  pages: optional(each(record)),
  optional: optional(flag),
});
