import type { Check } from '../core/index.ts';
import { checkOptions, defined, HoldpointError, members, parseJson } from '../core/index.ts';
import type { InferOutput, SchemaLike } from '../core/schema/index.ts';
import { validateWithSchema } from '../core/schema/index.ts';
import type { GenerateResponse, ModelAgentOptions } from '../engine/index.ts';
import { defineExit } from '../engine/index.ts';
import type { GenerateOptions } from './define-agent.ts';
import { defineAgent, generateChecks } from './define-agent.ts';

type AgentPart = Pick<
  ModelAgentOptions,
  'model' | 'instructions' | 'tools' | 'approval' | 'settings' | 'contextProviders' | 'middleware'
>;

/** The options of {@link generate}: those of an agent, and those of its `generate`. */
export interface OneShotOptions<Output extends SchemaLike = SchemaLike> extends AgentPart, GenerateOptions {
  /** The schema of the result. The model gives it by a call of the tool `finalOutput`, or as JSON text. Default: no result. */
  readonly output?: Output;
}

/** `defineAgent` and `defineExit` check these members. */
const checkedLater: Check = () => true;

const oneShotOptions = members<OneShotOptions & Record<keyof typeof generateChecks, unknown>>({
  ...generateChecks,
  model: checkedLater,
  instructions: checkedLater,
  tools: checkedLater,
  approval: checkedLater,
  settings: checkedLater,
  contextProviders: checkedLater,
  middleware: checkedLater,
  output: checkedLater,
});

const OUTPUT_TOOL = 'finalOutput';

/**
 * Calls a model with tools once, without an agent. With `output`, `result` is a value of that schema. A response that is
 * interrupted continues with the same model and tools, and `messages` and `resume`. Throws `MODEL_FAILED` when the model ends
 * without the output.
 *
 * @example
 * ```ts
 * import { generate } from 'holdpoint';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const { result } = await generate({
 *   model: scriptedModel(['{"city": "Seattle"}']),
 *   prompt: 'Where do I live?',
 *   output: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
 * });
 * ```
 */
export async function generate<Output extends SchemaLike = SchemaLike>(
  options: OneShotOptions<Output>,
): Promise<Omit<GenerateResponse, 'result'> & { readonly result: InferOutput<Output> | undefined }> {
  checkOptions('options of generate', options, oneShotOptions);
  const {
    model,
    instructions,
    tools = [],
    approval,
    settings,
    contextProviders,
    middleware,
    output,
    ...rest
  } = options;
  const exit =
    output === undefined
      ? undefined
      : defineExit({
          name: OUTPUT_TOOL,
          description: 'Ends the work. Call it with the result.',
          input: output,
        });
  const rule = exit === undefined ? undefined : `When the work is done, call ${OUTPUT_TOOL} with the result.`;
  const said = [instructions, rule].filter((text) => text !== undefined).join('\n\n');
  const agent = defineAgent({
    id: 'generate',
    model,
    tools: exit === undefined ? tools : [...tools, exit],
    ...(said === '' ? {} : { instructions: said }),
    ...defined({ approval, settings, contextProviders, middleware }),
  });
  const response = await agent.generate(rest);
  if (output === undefined || response.finishReason !== 'stop') {
    // An exit has checked its input.
    return { ...response, result: response.result as InferOutput<Output> | undefined };
  }
  return { ...response, result: await readText(response.text, output) };
}

/** The output that a model wrote as JSON text. */
async function readText<Output extends SchemaLike>(
  text: string,
  output: Output,
): Promise<InferOutput<Output>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new HoldpointError('MODEL_FAILED', 'The model ended without the output.', { cause });
  }
  const checked = await validateWithSchema(output, value);
  if (checked.ok) return checked.value;
  const { issues } = checked;
  throw new HoldpointError('MODEL_FAILED', 'The model gave an output that does not fit its schema.', {
    issues,
  });
}
