/**
 * adapters/langgraph: a LangGraph graph, or an agent of LangChain, as an agent for a host. The used parts of
 * `@langchain/langgraph` are declared here, so that no version of it is needed. Imports core, protocol, content and engine;
 * no Node built-ins.
 */
export { fromLangGraph } from './from-langgraph.ts';
export type { HostThread } from '../emit-run.ts';
export type { FromLangGraphOptions, LangGraphAgent } from './from-langgraph.ts';
export type { LangGraph } from './sdk.ts';
