import type { SchemaLike } from '../../core/schema/index.ts';
import { isStandardSchema } from '../../core/schema/index.ts';
import type { Tool } from './tool.ts';

/** What a tool gives, or a person answers for it, for this input. */
export function outputSchema(tool: Tool, input: unknown): SchemaLike | undefined {
  const { output } = tool;
  // Some libraries' schemas are functions as well.
  if (isStandardSchema(output)) return output;
  return typeof output === 'function' ? output(input) : output;
}
