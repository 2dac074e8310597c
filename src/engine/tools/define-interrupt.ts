import type { Approvers, OnExpire } from '../../content/interrupts/index.ts';
import { assertExpiry } from '../../content/interrupts/index.ts';
import { callback, checkOptions, defined, each, filledText, members, optional } from '../../core/index.ts';
import type { InferInput, InferOutput, SchemaLike } from '../../core/schema/index.ts';
import { isStandardSchema } from '../../core/schema/index.ts';
import type { Metadata } from '../../protocol/index.ts';
import { interruptOptions } from './approval.ts';
import { interruptChecks, optionalSchema, optionsOf, recordOrFunction, toolChecks } from './check-options.ts';
import type { DefinedTool } from './define-tool.ts';
import { schemaForModel } from './define-tool.ts';
import { toolReplies } from './tool-replies.ts';
import { TOOL_DEFAULTS } from './tool.ts';

type OrPromise<Value> = Value | Promise<Value>;

export interface InterruptToolOptions<Input extends SchemaLike, Response extends SchemaLike> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** The schema of the answer, or a function of the input that returns it. Default: any JSON. */
  readonly response?: Response | ((input: InferOutput<Input>) => Response);
  readonly message?: (input: InferOutput<Input>) => string;
  /** Metadata of the interrupt: an object, or a function of the input. Default: none. */
  readonly requestMetadata?: Metadata | ((input: InferOutput<Input>) => OrPromise<Metadata>);
  /** Milliseconds until the interrupt expires. Default: that of the run. */
  readonly expiresInMs?: number;
  /** The principals who may answer. Default: those who may see the thread. */
  readonly approvers?: Approvers;
  /** The action when the interrupt expires. Default `keep`: it stays and can be asked again. */
  readonly onExpire?: OnExpire;
  readonly scopes?: readonly string[];
}

const interruptTool = members<InterruptToolOptions<SchemaLike, SchemaLike>>({
  ...toolChecks,
  ...interruptChecks,
  response: optionalSchema,
  message: optional(callback),
  requestMetadata: optional(recordOrFunction),
  scopes: optional(each(filledText)),
});

/**
 * A tool that a person answers: the call pauses, and the answer is its output. For the model it is an ordinary tool.
 * It has no body, so it cannot be restarted.
 *
 * @example
 * ```ts
 * import { defineInterrupt } from 'holdpoint';
 *
 * const askColor = defineInterrupt({
 *   name: 'askColor',
 *   description: 'Asks a person for a color.',
 *   input: { type: 'object' },
 *   message: () => 'Which color?',
 *   response: { type: 'string', enum: ['red', 'blue'] },
 * });
 * ```
 */
export function defineInterrupt<Input extends SchemaLike, Response extends SchemaLike = SchemaLike>(
  options: InterruptToolOptions<Input, Response>,
): DefinedTool<InferInput<Input>, InferInput<Response>, never> {
  checkOptions(optionsOf('interrupt', options), options, interruptTool);
  const { name, response, requestMetadata, message } = options;
  assertExpiry(options.onExpire, { owner: `The tool ${name}` });
  return {
    ...TOOL_DEFAULTS,
    ...toolReplies(name),
    name,
    description: options.description,
    kind: 'interrupt',
    input: options.input,
    inputSchema: schemaForModel(name, options.input),
    output:
      isStandardSchema(response) || typeof response !== 'function' ? asSchema(response) : widen(response),
    scopes: options.scopes ?? [],
    interruptOptions: interruptOptions(options),
    async requestMetadata(input) {
      const typed = input as InferOutput<Input>;
      const metadata = typeof requestMetadata === 'function' ? await requestMetadata(typed) : requestMetadata;
      return {
        ...defined({ message: message?.(typed) }),
        ...defined({ metadata }),
      };
    },
  };
}

/** Schemas of some libraries are functions; anything else is a plain schema or absent. */
function asSchema(response: unknown): SchemaLike | undefined {
  return response as SchemaLike | undefined;
}

function widen(response: unknown): (input: unknown) => SchemaLike {
  // The loop passes parsed input, which is what the function takes.
  return response as (input: unknown) => SchemaLike;
}
