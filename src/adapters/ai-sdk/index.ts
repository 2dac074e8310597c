/**
 * adapters/ai-sdk: a language model of the AI SDK as a `ChatModel`. The used parts of its specifications V2, V3 and
 * V4 are declared here, so that no version of `ai` or `@ai-sdk/provider` is needed. Imports core, protocol and
 * engine; no Node built-ins.
 */
export { fromAiSdk } from './from-ai-sdk.ts';
export type { FromAiSdkOptions } from './from-ai-sdk.ts';
export type { AiSdkModel } from './provider-model.ts';
export type { ProviderTool } from './to-call-options.ts';
