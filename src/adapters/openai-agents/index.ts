/**
 * adapters/openai-agents: an agent of the OpenAI Agents SDK as an agent for a host. The used parts of `@openai/agents` are
 * declared here, so that no version of it is needed. Imports core, protocol, content and engine; no Node built-ins.
 */
export { fromOpenAiAgents } from './from-openai-agents.ts';
export type { FromOpenAiAgentsOptions } from './from-openai-agents.ts';
export type { OpenAiAgentsSdk } from './sdk.ts';
