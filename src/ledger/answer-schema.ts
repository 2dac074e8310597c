import type { CompiledSchema } from '../core/schema/index.ts';
import { compileForeignSchema, compileJsonSchema } from '../core/schema/index.ts';
import type { InterruptRecord } from './records.ts';

/** The compiled response schema of an interrupt; undefined where it has none. Throws `INPUT_INVALID` for an unusable schema. */
export async function answerSchema({
  interrupt,
  foreign,
}: InterruptRecord): Promise<CompiledSchema | undefined> {
  const { responseSchema } = interrupt;
  if (responseSchema === undefined) return undefined;
  return foreign === true ? compileForeignSchema(responseSchema) : compileJsonSchema(responseSchema);
}
