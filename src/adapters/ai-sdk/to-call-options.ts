import { defined, HoldpointError } from '../../core/index.ts';
import type { ModelRequest, ModelSettings } from '../../engine/index.ts';
import type { PromptForm } from './file-forms.ts';
import { isProviderOptions } from './provider-prompt.ts';
import type { ProviderCallOptions, ProviderOptions, ProviderToolDefinition } from './provider-prompt.ts';
import { toPrompt } from './to-prompt.ts';

/** A tool that the provider runs itself, such as the result of `openai.tools.webSearch()`. */
export interface ProviderTool {
  readonly id: `${string}.${string}`;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The form of one specification, and the options of every call. */
interface CallForm<FilePart, ResultPart, ToolType> extends PromptForm<FilePart, ResultPart> {
  readonly toolType: ToolType;
  readonly providerTools?: Readonly<Record<string, ProviderTool>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Turns a request into the options of a call. Throws `INPUT_INVALID` for a request that no provider accepts. */
export function toCallOptions<FilePart, ResultPart, ToolType>(
  request: ModelRequest,
  form: CallForm<FilePart, ResultPart, ToolType>,
): ProviderCallOptions<FilePart, ResultPart, ToolType> {
  const { settings, signal } = request;
  const { temperature, topP, maxOutputTokens, stopSequences, seed } = settings;
  const tools = toTools(request, form);
  const providerOptions = optionsOf(settings);
  return {
    prompt: toPrompt(request, form),
    ...defined({
      tools: tools.length === 0 ? undefined : tools,
      temperature,
      topP,
      maxOutputTokens,
      stopSequences: stopSequences && [...stopSequences],
      seed,
      providerOptions,
      headers: form.headers && { ...form.headers },
    }),
    includeRawChunks: false,
    abortSignal: signal,
  };
}

function toTools<FilePart, ResultPart, ToolType>(
  { tools }: ModelRequest,
  { toolType, providerTools = {} }: CallForm<FilePart, ResultPart, ToolType>,
): ProviderToolDefinition<ToolType>[] {
  const own = tools.map(({ name, description, inputSchema }): ProviderToolDefinition<ToolType> => ({
    type: 'function',
    name,
    description,
    // `true` and `false` are valid schemas, but function tools do not accept them.
    inputSchema: typeof inputSchema === 'boolean' ? { type: 'object' } : inputSchema,
  }));
  const theirs = Object.entries(providerTools).map(([name, { id, args }]) => ({
    type: toolType,
    id,
    name,
    args: { ...args },
  }));
  return [...own, ...theirs];
}

function optionsOf({ providerOptions }: ModelSettings): ProviderOptions | undefined {
  if (providerOptions === undefined || isProviderOptions(providerOptions)) return providerOptions;
  const sentence =
    'The setting providerOptions must have an object for each provider, such as { openai: { … } }.';
  throw new HoldpointError('INPUT_INVALID', sentence);
}
