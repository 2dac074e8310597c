import type { InferInput, SchemaLike } from '../../core/schema/index.ts';
import { schemaForModel } from './define-tool.ts';
import type { DefinedTool } from './define-tool.ts';
import { TOOL_DEFAULTS } from './tool-defaults.ts';
import { toolReplies } from './tool-replies.ts';

export interface ExitOptions<Input extends SchemaLike> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
}

/** The model's way to say that it is done: the run succeeds, and its result is the validated input. */
export function defineExit<Input extends SchemaLike>(
  options: ExitOptions<Input>,
): DefinedTool<InferInput<Input>, never, never> {
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
