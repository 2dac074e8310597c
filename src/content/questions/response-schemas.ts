import type { JsonSchema, JsonSchemaObject } from '../../core/schema/index.ts';

export interface ApprovalSchemaOptions {
  /** The schema of the arguments, when they may be edited; its presence says so to every client. */
  readonly editedArgs?: JsonSchema | undefined;
  /** Further members of the answer, such as `modifications`. */
  readonly extras?: Readonly<Record<string, JsonSchema>> | undefined;
  /** The answer repeats a phrase. */
  readonly confirmation?: string | undefined;
  /** The reviewer may ask that an approval is remembered. */
  readonly remember?: boolean | undefined;
}

/** The schema of most approvals: one object, so that it is compiled once. */
const PLAIN: JsonSchemaObject = Object.freeze({
  type: 'object',
  properties: Object.freeze({
    approved: Object.freeze({ type: 'boolean' }),
    reason: Object.freeze({ type: 'string' }),
  }),
  required: Object.freeze(['approved']),
});

/**
 * `what`: the tool or exactly these arguments; `where`: on this thread or for this person. Without `enum`, since chat user
 * interfaces show their own buttons only for schemas of plain keywords.
 */
const REMEMBER: JsonSchemaObject = Object.freeze({
  type: 'object',
  properties: Object.freeze({
    what: Object.freeze({ type: 'string', description: '"tool" or "arguments"' }),
    where: Object.freeze({ type: 'string', description: '"thread" or "principal"' }),
  }),
  required: Object.freeze(['what', 'where']),
});

const REMEMBERED: JsonSchemaObject = Object.freeze({
  ...PLAIN,
  properties: Object.freeze({ ...(PLAIN['properties'] as object), remember: REMEMBER }),
});

/** The response schema of an approval, kept as plain as chat user interfaces want it for their own buttons. */
export function approvalResponseSchema(options: ApprovalSchemaOptions = {}): JsonSchemaObject {
  const { editedArgs, extras, confirmation, remember = false } = options;
  if (editedArgs === undefined && extras === undefined && confirmation === undefined) {
    return remember ? REMEMBERED : PLAIN;
  }
  return {
    type: 'object',
    properties: {
      approved: { type: 'boolean' },
      reason: { type: 'string' },
      ...(confirmation === undefined ? {} : { confirmation: { type: 'string' } }),
      ...(editedArgs === undefined ? {} : { editedArgs }),
      ...(remember ? { remember: REMEMBER } : {}),
      ...extras,
    },
    required: ['approved'],
  };
}

export interface RecoverySchemaOptions {
  readonly actions: readonly string[];
  /** The schema of the arguments, when the call may be tried again with others. */
  readonly editedArgs?: JsonSchema | undefined;
}

/** The response schema of a question about a call that failed or is in doubt. */
export function recoveryResponseSchema({ actions, editedArgs }: RecoverySchemaOptions): JsonSchemaObject {
  return {
    type: 'object',
    properties: {
      action: { enum: actions },
      ...(editedArgs === undefined ? {} : { editedArgs }),
      ...(actions.includes('skip') || actions.includes('finished') ? { result: {} } : {}),
    },
    required: ['action'],
  };
}
