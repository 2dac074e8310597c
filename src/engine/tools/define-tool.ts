import {
  aboveZero,
  callback,
  checkOptions,
  each,
  filledText,
  flag,
  HoldpointError,
  members,
  oneOf,
  optional,
} from '../../core/index.ts';
import type { InferInput, InferOutput, JsonSchema, SchemaLike } from '../../core/schema/index.ts';
import { compileJsonSchema, toJsonSchema } from '../../core/schema/index.ts';
import type { Approval } from './approval.ts';
import { assertApproval } from './approval.ts';
import { approvalCheck, optionalSchema, optionsOf, toolChecks } from './check-options.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolReplies } from './tool-replies.ts';
import { toolReplies } from './tool-replies.ts';
import type { DisplayedValue, Tool } from './tool.ts';
import { TOOL_DEFAULTS } from './tool.ts';

/** The options of {@link defineTool}. */
export interface ToolOptions<Input extends SchemaLike, Output, Resume extends SchemaLike> {
  /** The name that the model calls. */
  readonly name: string;
  /** What the tool does, for the model. */
  readonly description: string;
  /** The schema of the arguments. */
  readonly input: Input;
  /**
   * The schema of the output, checked after the body. Also the schema of an answer that is the output: of every answer without a body,
   * and of the answers to `ctx.interrupt` unless there is `resume`. Default: any JSON.
   */
  readonly output?: SchemaLike<Output>;
  /** The schema of the answer for a restart: the body runs again with it. Default: any JSON, if there is no `output` either. */
  readonly resume?: Resume;
  /** The call in a few words, for people. Default: none. */
  readonly title?: (input: InferOutput<Input>) => string;
  /**
   * Texts for people, such as an amount with its currency. The card of an approval shows those of the input, unless its
   * metadata has `display`; the chat, the inbox and the audit page show both. Write it after `run`, which gives the type
   * of the output. Default: none.
   */
  readonly display?: DisplayOptions<InferOutput<Input>, Output>;
  /** Whether a call needs an approval, and which. Default: as the agent says. */
  readonly approval?: Approval<InferOutput<Input>>;
  /** Whether a call cannot be undone; a grant then never allows it. Default false. */
  readonly destructive?: boolean;
  /** Whether a call may run again after a crash, with the same key. Default false. */
  readonly idempotent?: boolean;
  /** Change it when the body no longer fits its old journals. Default: none. */
  readonly version?: string;
  /**
   * Time limit of the body in milliseconds. Default: none. At the limit its `signal` aborts, and it has a second to
   * end. A call whose body still runs is in doubt, and a person is asked; a call of an idempotent tool has failed.
   */
  readonly timeoutMs?: number;
  /** The effect of an error in the body: a result for the model, or an interrupt. Default `result`. */
  readonly onError?: 'result' | 'interrupt';
  /** Where the tool may be used, for registries. Default: none. */
  readonly scopes?: readonly string[];
  /** The body. For a tool that a person answers, use {@link defineInterrupt}. */
  readonly run: (
    input: InferOutput<Input>,
    context: ToolContext<InferOutput<Resume>>,
  ) => Output | Promise<Output>;
}

const toolOptions = members<ToolOptions<SchemaLike, unknown, SchemaLike>>({
  ...toolChecks,
  output: optionalSchema,
  resume: optionalSchema,
  title: optional(callback),
  display: optional(
    members<DisplayOptions<never, never>>({ input: optional(callback), output: optional(callback) }),
  ),
  approval: optional(approvalCheck),
  destructive: optional(flag),
  idempotent: optional(flag),
  version: optional(filledText),
  timeoutMs: optional(aboveZero),
  onError: optional(oneOf('result', 'interrupt')),
  scopes: optional(each(filledText)),
  run: callback,
});

/** The functions that write a call for people. A function that throws, or returns no texts, is ignored. */
export interface DisplayOptions<Input, Output> {
  /** Texts by the names of arguments. Default: none. */
  readonly input?: (input: Input) => Readonly<Record<string, string>>;
  /** A text for the output, or texts by the names of its members. Default: none. */
  readonly output?: (output: Output) => DisplayedValue;
}

/** A typed tool with its reply functions. */
export type DefinedTool<Input, Output, Resumed> = Tool & ToolReplies<Input, Output, Resumed>;

/**
 * Defines a tool that a model can call. Throws `INPUT_INVALID` for an option that does not fit, for an approval with an `onExpire` answer, and for a schema that cannot be
 * converted to JSON Schema.
 *
 * @example
 * ```ts
 * import { defineTool } from 'holdpoint';
 *
 * const sendEmail = defineTool({
 *   name: 'sendEmail',
 *   description: 'Sends an e-mail.',
 *   input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
 *   approval: { editable: true },
 *   run: async (_input, ctx) => ({ key: ctx.idempotencyKey, bytes: 2048 }),
 *   display: { output: ({ bytes }) => ({ bytes: `${bytes / 1024} kB` }) },
 * });
 * ```
 */
export function defineTool<Input extends SchemaLike, Output, Resume extends SchemaLike = SchemaLike>(
  options: ToolOptions<Input, Output, Resume>,
): DefinedTool<InferInput<Input>, Output, InferInput<Resume>> {
  checkOptions(optionsOf('tool', options), options, toolOptions);
  const { name, run, title } = options;
  assertApproval(name, options.approval);
  return {
    ...toolReplies(name),
    name,
    description: options.description,
    kind: 'function',
    input: options.input,
    inputSchema: schemaForModel(name, options.input),
    output: options.output,
    resume: options.resume,
    // The loop passes parsed input, which has the types of the body.
    approval: options.approval as Approval<unknown> | undefined,
    interruptOptions: {},
    destructive: options.destructive ?? false,
    idempotent: options.idempotent ?? false,
    version: options.version,
    timeoutMs: options.timeoutMs,
    onError: options.onError ?? 'result',
    scopes: options.scopes ?? [],
    title: (input) => title?.(input as InferOutput<Input>),
    display: options.display ?? {},
    requestMetadata: async () => ({}),
    run: async (input, context) =>
      run(input as InferOutput<Input>, context as ToolContext<InferOutput<Resume>>),
  };
}

/** The JSON Schema of a tool's input; an unusable schema is rejected here, not at the first call. */
export function schemaForModel(name: string, schema: SchemaLike): JsonSchema {
  if (!/^[\w.:-]{1,128}$/.test(name)) {
    throw new HoldpointError('INPUT_INVALID', `${JSON.stringify(name)} is not a name for a tool.`);
  }
  const json = toJsonSchema(schema);
  compileJsonSchema(json);
  return json;
}

export interface ExitOptions<Input extends SchemaLike> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
}

/**
 * Defines the model's way to end the run: the run succeeds, and its result is the validated input.
 *
 * @example
 * ```ts
 * import { defineExit } from 'holdpoint';
 *
 * const finish = defineExit({
 *   name: 'finish',
 *   description: 'Ends the work with a summary.',
 *   input: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
 * });
 * ```
 */
export function defineExit<Input extends SchemaLike>(
  options: ExitOptions<Input>,
): DefinedTool<InferInput<Input>, never, never> {
  checkOptions(optionsOf('exit', options), options, members<ExitOptions<SchemaLike>>(toolChecks));
  return {
    ...TOOL_DEFAULTS,
    ...toolReplies(options.name),
    name: options.name,
    description: options.description,
    kind: 'exit',
    input: options.input,
    inputSchema: schemaForModel(options.name, options.input),
  };
}
