import type { Approvers, OnExpire } from '../../content/interrupts/index.ts';
import { defined } from '../../core/index.ts';
import type { InferInput, InferOutput, SchemaLike } from '../../core/schema/index.ts';
import { isStandardSchema } from '../../core/schema/index.ts';
import type { Metadata } from '../../protocol/index.ts';
import { questionOptions } from './approval.ts';
import type { DefinedTool } from './define-tool.ts';
import { schemaForModel } from './define-tool.ts';
import { toolReplies } from './tool-replies.ts';
import { TOOL_DEFAULTS } from './tool.ts';

type OrPromise<Value> = Value | Promise<Value>;

export interface InterruptToolOptions<Input extends SchemaLike, Response extends SchemaLike> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** What an answer must look like: a schema, or a function of the input that gives one. */
  readonly response?: Response | ((input: InferOutput<Input>) => Response);
  readonly message?: (input: InferOutput<Input>) => string;
  /** Travels with the question: an object, or a function of the input. */
  readonly requestMetadata?: Metadata | ((input: InferOutput<Input>) => OrPromise<Metadata>);
  /** Milliseconds until the question expires. */
  readonly expiresInMs?: number;
  /** Who may answer; whoever can reach the question when absent. */
  readonly approvers?: Approvers;
  /** What becomes of it when nobody answers in time; by default it stays, and can be asked again. */
  readonly onExpire?: OnExpire;
  readonly scopes?: readonly string[];
}

/**
 * A tool that a person answers: the call pauses, and the answer is its output. To the model it looks like any
 * other tool. It is not restarted; there is nothing to run.
 */
export function defineInterrupt<Input extends SchemaLike, Response extends SchemaLike = SchemaLike>(
  options: InterruptToolOptions<Input, Response>,
): DefinedTool<InferInput<Input>, InferInput<Response>, never> {
  const { name, response, requestMetadata, message } = options;
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
    question: questionOptions(options),
    async requestMetadata(input) {
      const typed = input as InferOutput<Input>;
      const metadata = typeof requestMetadata === 'function' ? await requestMetadata(typed) : requestMetadata;
      return {
        ...(message === undefined ? {} : { message: message(typed) }),
        ...defined({ metadata }),
      };
    },
  };
}

/** Some libraries' schemas are functions; what is not one of these is a plain schema or absent. */
function asSchema(response: unknown): SchemaLike | undefined {
  return response as SchemaLike | undefined;
}

function widen(response: unknown): (input: unknown) => SchemaLike {
  // The loop hands over what the input schema gave, which is what the function takes.
  return response as (input: unknown) => SchemaLike;
}
