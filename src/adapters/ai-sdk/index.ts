/**
 * adapters/ai-sdk: a language model of the AI SDK as a `ChatModel`, and an agent of the AI SDK as an agent for a host. The used
 * parts are declared here, so that no version of `ai` or `@ai-sdk/provider` is needed. Imports core, protocol, content and
 * engine; no Node built-ins.
 */
export { fromAiSdk } from './from-ai-sdk.ts';
export type { FromAiSdkOptions } from './from-ai-sdk.ts';
export type { AiSdkModel } from './provider-model.ts';
export type { ProviderTool } from './to-call-options.ts';
export { fromAiSdkAgent } from './from-ai-sdk-agent.ts';
export type { FromAiSdkAgentOptions, StreamMessages } from './from-ai-sdk-agent.ts';
export type { AiSdkAgent, AiSdkStream } from './sdk.ts';
