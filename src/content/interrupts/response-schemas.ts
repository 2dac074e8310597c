import { defined } from '../../core/index.ts';
import type { JsonSchema, JsonSchemaObject } from '../../core/schema/index.ts';

/** Options of {@link approvalResponseSchema}. */
export interface ApprovalSchemaOptions {
  /** Schema of the arguments when they may be edited; clients offer edits when it is present. */
  readonly editedArgs?: JsonSchema | undefined;
  /** Additional members of the answer, such as `modifications`. */
  readonly extras?: Readonly<Record<string, JsonSchema>> | undefined;
  /** Phrase that the answer must repeat. */
  readonly confirmation?: string | undefined;
  /** Whether the reviewer may have an approval remembered; `total`: also up to a total amount. Default false. */
  readonly remember?: boolean | 'total' | undefined;
  /** Whether a remembered approval may be for exactly these arguments. Default true. */
  readonly rememberArguments?: boolean | undefined;
}

/** The schema of most approvals: one object, so that it is compiled once. */
const PLAIN: JsonSchemaObject = /* @__PURE__ */ (() =>
  Object.freeze({
    type: 'object',
    properties: Object.freeze({
      approved: Object.freeze({ type: 'boolean' }),
      reason: Object.freeze({ type: 'string' }),
    }),
    required: Object.freeze(['approved']),
  }))();

/**
 * `what`: the tool or exactly these arguments; `where`: on this thread or for the person who answers. A misspelled limit would be
 * no limit, so there are no other members. Chat user interfaces show their own buttons for a schema with this member, because only
 * the keywords of the outer schema must be simple.
 */
function rememberSchema(hasTotal: boolean, hasArguments: boolean): JsonSchemaObject {
  return {
    type: 'object',
    properties: {
      what: hasArguments ? { type: 'string', description: '"tool" or "arguments"' } : { enum: ['tool'] },
      where: { type: 'string', description: '"thread" or "principal": the person who answers' },
      forMs: { type: 'integer', description: 'milliseconds until it ends; absent: no end' },
      maxUses: { type: 'integer', description: 'number of calls; absent: any number' },
      ...(hasTotal
        ? { maxTotal: { type: 'number', description: 'sum of the amounts of all calls; absent: any' } }
        : {}),
    },
    required: ['what', 'where'],
    additionalProperties: false,
  };
}

/** The schema of an approval with a plain offer: one object, so that it is compiled once. */
const REMEMBERED: JsonSchemaObject = /* @__PURE__ */ (() =>
  Object.freeze({
    ...PLAIN,
    properties: Object.freeze({
      ...(PLAIN['properties'] as object),
      remember: rememberSchema(false, true),
    }),
  }))();

/**
 * The response schema of an approval; simple, so that chat user interfaces show their own buttons.
 *
 * @example
 * ```ts
 * import { approvalResponseSchema } from 'holdpoint/content';
 *
 * const responseSchema = approvalResponseSchema({ confirmation: 'delete it' });
 * ```
 */
export function approvalResponseSchema(options: ApprovalSchemaOptions = {}): JsonSchemaObject {
  const { editedArgs, extras, confirmation, remember = false, rememberArguments = true } = options;
  if (editedArgs === undefined && extras === undefined && confirmation === undefined) {
    if (remember === false) return PLAIN;
    if (remember === true && rememberArguments) return REMEMBERED;
  }
  return {
    type: 'object',
    properties: {
      approved: { type: 'boolean' },
      reason: { type: 'string' },
      ...defined({
        confirmation: confirmation === undefined ? undefined : { type: 'string' },
        editedArgs,
        remember: remember === false ? undefined : rememberSchema(remember === 'total', rememberArguments),
      }),
      ...extras,
    },
    required: ['approved'],
  };
}

/** Options of {@link recoveryResponseSchema}. */
interface RecoverySchemaOptions {
  readonly actions: readonly string[];
  /** Schema of the arguments when the call may be retried with others. */
  readonly editedArgs?: JsonSchema | undefined;
}

/** The response schema for a call that failed or whose outcome is unknown. */
export function recoveryResponseSchema({ actions, editedArgs }: RecoverySchemaOptions): JsonSchemaObject {
  return {
    type: 'object',
    properties: {
      action: { enum: actions },
      ...defined({ editedArgs }),
      ...(actions.includes('skip') || actions.includes('finished') ? { result: {} } : {}),
    },
    required: ['action'],
  };
}
