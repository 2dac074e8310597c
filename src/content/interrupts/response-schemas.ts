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
  /** Whether the reviewer may have an approval remembered; `total`: also up to a total amount. */
  readonly remember?: boolean | 'total' | undefined;
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
 * `what`: the tool or exactly these arguments; `where`: on this thread or for the person who answers. Without `enum`,
 * because chat user interfaces show their own buttons only for schemas of simple keywords.
 */
const REMEMBER: JsonSchemaObject = /* @__PURE__ */ (() =>
  Object.freeze({
    type: 'object',
    properties: Object.freeze({
      what: Object.freeze({ type: 'string', description: '"tool" or "arguments"' }),
      where: Object.freeze({
        type: 'string',
        description: '"thread" or "principal": the person who answers',
      }),
      forMs: Object.freeze({ type: 'integer', description: 'milliseconds until it ends; absent: no end' }),
      maxUses: Object.freeze({ type: 'integer', description: 'number of calls; absent: any number' }),
    }),
    required: Object.freeze(['what', 'where']),
  }))();

const REMEMBER_TOTAL: JsonSchemaObject = /* @__PURE__ */ (() =>
  Object.freeze({
    ...REMEMBER,
    properties: Object.freeze({
      ...(REMEMBER['properties'] as object),
      maxTotal: Object.freeze({
        type: 'number',
        description: 'sum of the amounts of all calls; absent: any',
      }),
    }),
  }))();

const REMEMBERED: JsonSchemaObject = /* @__PURE__ */ (() =>
  Object.freeze({
    ...PLAIN,
    properties: Object.freeze({ ...(PLAIN['properties'] as object), remember: REMEMBER }),
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
  const { editedArgs, extras, confirmation, remember = false } = options;
  if (editedArgs === undefined && extras === undefined && confirmation === undefined) {
    if (remember !== 'total') return remember ? REMEMBERED : PLAIN;
  }
  return {
    type: 'object',
    properties: {
      approved: { type: 'boolean' },
      reason: { type: 'string' },
      ...defined({
        confirmation: confirmation === undefined ? undefined : { type: 'string' },
        editedArgs,
        remember: remember === 'total' ? REMEMBER_TOTAL : remember ? REMEMBER : undefined,
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
