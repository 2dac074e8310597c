/**
 * adapters/mastra: an agent or a workflow of Mastra as an agent for a host. The used parts of `@mastra/core` are declared here,
 * so that no version of it is needed. Imports core, protocol, content and engine; no Node built-ins.
 */
export { fromMastra } from './from-mastra.ts';
export type { FromMastraOptions } from './from-mastra.ts';
export type { MastraAgent, MastraWorkflow } from './sdk.ts';
