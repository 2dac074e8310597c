import { isRecord } from '../../core/index.ts';

/** The prompt of a model, in the types of the specifications. Arrays are mutable because theirs are. */

/** JSON in the type of the specifications. */
export type ProviderJson =
  | null
  | string
  | number
  | boolean
  | ProviderJson[]
  | { [key: string]: ProviderJson };

/** Options of one provider, by its name. */
export type ProviderOptions = Record<string, Record<string, ProviderJson>>;

/** Text in a message or a result. */
export interface ProviderTextPart {
  type: 'text';
  text: string;
}

/** Reasoning of an earlier turn, with its provider's signature. */
export interface ProviderReasoningPart {
  type: 'reasoning';
  text: string;
  providerOptions?: ProviderOptions;
}

/** A call of an earlier turn; its input is parsed, unlike in a response. */
interface ProviderToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerOptions?: ProviderOptions;
}

/** The output of a tool. */
export type ProviderToolOutput<ResultPart> =
  | { type: 'text'; value: string }
  | { type: 'json'; value: ProviderJson }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: (ProviderTextPart | ResultPart)[] };

/** The result of one call. */
interface ProviderToolResultPart<ResultPart> {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ProviderToolOutput<ResultPart>;
}

/** A message; the form of a file differs between the specifications. */
export type ProviderMessage<FilePart, ResultPart> =
  | { role: 'system'; content: string }
  | { role: 'user'; content: (ProviderTextPart | FilePart)[] }
  | { role: 'assistant'; content: (ProviderTextPart | ProviderReasoningPart | ProviderToolCallPart)[] }
  | { role: 'tool'; content: ProviderToolResultPart<ResultPart>[] };

/** A tool of the agent, or one of the provider. */
export type ProviderToolDefinition<ToolType> =
  | { type: 'function'; name: string; description: string; inputSchema: object }
  | { type: ToolType; id: `${string}.${string}`; name: string; args: Record<string, unknown> };

/** The options of a call. `ToolType` is the specification's name for a tool of the provider. */
export interface ProviderCallOptions<FilePart, ResultPart, ToolType> {
  prompt: ProviderMessage<FilePart, ResultPart>[];
  tools?: ProviderToolDefinition<ToolType>[];
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  stopSequences?: string[];
  seed?: number;
  includeRawChunks: false;
  abortSignal: AbortSignal;
  headers?: Record<string, string>;
  providerOptions?: ProviderOptions;
}

/**
 * True for an object of objects. The provider checks the contents, which come from JSON or from a trusted program.
 */
export function isProviderOptions(value: unknown): value is ProviderOptions {
  return isRecord(value) && Object.values(value).every(isRecord);
}
