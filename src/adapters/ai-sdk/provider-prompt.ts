/** What a model is asked, in the words of the specifications. Arrays are mutable because theirs are. */

/** JSON as the specifications type it. */
export type ProviderJson =
  | null
  | string
  | number
  | boolean
  | ProviderJson[]
  | { [key: string]: ProviderJson };

/** What only one provider understands, by its name. */
export type ProviderOptions = Record<string, Record<string, ProviderJson>>;

/** Text, in a message or a result. */
export interface ProviderTextPart {
  type: 'text';
  text: string;
}

/** Reasoning of an earlier turn, with what its provider signed it with. */
export interface ProviderReasoningPart {
  type: 'reasoning';
  text: string;
  providerOptions?: ProviderOptions;
}

/** A call of an earlier turn; its input is parsed, unlike in a response. */
export interface ProviderToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerOptions?: ProviderOptions;
}

/** What a tool gave. */
export type ProviderToolOutput<ResultPart> =
  | { type: 'text'; value: string }
  | { type: 'json'; value: ProviderJson }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: (ProviderTextPart | ResultPart)[] };

/** The result of one call. */
export interface ProviderToolResultPart<ResultPart> {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ProviderToolOutput<ResultPart>;
}

/** A message; how a file is written in it differs between the specifications. */
export type ProviderMessage<FilePart, ResultPart> =
  | { role: 'system'; content: string }
  | { role: 'user'; content: (ProviderTextPart | FilePart)[] }
  | { role: 'assistant'; content: (ProviderTextPart | ProviderReasoningPart | ProviderToolCallPart)[] }
  | { role: 'tool'; content: ProviderToolResultPart<ResultPart>[] };

/** A tool of ours, or one of the provider's own. */
export type ProviderToolDefinition<ToolType> =
  | { type: 'function'; name: string; description: string; inputSchema: object }
  | { type: ToolType; id: `${string}.${string}`; name: string; args: Record<string, unknown> };

/** The options of a call. `ToolType` is how the specification names a tool of the provider's own. */
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
