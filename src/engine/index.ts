/**
 * engine: tools, questions, the generate loop that can pause, and agents. No HTTP and no Node built-ins; without a
 * store the caller keeps the messages, and everything a paused turn needs is in them.
 */
export { agentTool } from './agent/agent-tool.ts';
export type {
  Agent,
  AgentContext,
  GenerateOptions,
  GenerateResponse,
  GenerateStream,
  GeneratingAgent,
} from './agent/agent.ts';
export type { CodeAgentInput, CodeAgentOptions } from './agent/code-agent.ts';
export type { CodeAgentContext, CodeGenerateOptions } from './agent/code-context.ts';
export { contentAgent } from './agent/content-agent.ts';
export type {
  ContentAgent,
  ContentAgentContext,
  ContentAgentOptions,
  ContentMessage,
} from './agent/content-agent.ts';
export { defineAgent } from './agent/define-agent.ts';
export type { ModelAgentOptions } from './agent/define-agent.ts';
export { absentAgent } from './durable/absent-agent.ts';
export { publicMessages } from './agent/public-messages.ts';
export { withApproval } from './agent/with-approval.ts';
export type { ApprovalRule } from './agent/with-approval.ts';
export type { ApprovalMode, RunContext, ToolMiddleware } from './calls/run-context.ts';
export { contentResult } from './calls/tool-message.ts';
export { partsOf } from './agent/assemble-agent.ts';
export { withoutState } from './calls/call-state.ts';
export { beginDurable, LEASE_MS } from './durable/begin-durable.ts';
export type { DurableRequest, DurableRun } from './durable/begin-durable.ts';
export { readConversation, toLog } from './durable/conversation.ts';
export type { Truncation } from './durable/conversation.ts';
export { waitForRun } from './durable/wait-for-run.ts';
export { isSuspension } from './journal/suspension.ts';
export type { ContextProvider, ModelMiddleware, ProvidedContext } from './loop/loop-settings.ts';
export type { FinishReason } from './loop/run-loop.ts';
export type {
  ChatModel,
  ModelFinish,
  ModelPart,
  ModelRequest,
  ModelSettings,
  ModelTool,
} from './model/chat-model.ts';
export { memoryGrants } from './policy/grants.ts';
export type { Grant, Grants } from './policy/grants.ts';
export { recentMessages } from './loop/recent-messages.ts';
export { storeGrants } from './policy/store-grants.ts';
export type { StoredGrant, StoredGrants } from './policy/store-grants.ts';
export type { Policy, PolicyCall, PolicyDecision } from './policy/policy.ts';
export type { Approval, ApprovalContext, ApprovalOptions } from './tools/approval.ts';
export type { TelemetryApi } from './telemetry/telemetry-api.ts';
export type { TelemetryOptions } from './telemetry/telemetry.ts';
export { useTelemetry } from './telemetry/use-telemetry.ts';
export { defineExit } from './tools/define-exit.ts';
export type { ExitOptions } from './tools/define-exit.ts';
export { defineInterrupt } from './tools/define-interrupt.ts';
export type { InterruptToolOptions } from './tools/define-interrupt.ts';
export { defineTool } from './tools/define-tool.ts';
export type { DefinedTool, ToolOptions } from './tools/define-tool.ts';
export type {
  AskOptions,
  InterruptOptions,
  PausingContext,
  Principal,
  ToolContext,
  ToolEmitter,
} from './tools/tool-context.ts';
export type { InterruptPart, Reply } from './tools/tool-replies.ts';
export type { Tool } from './tools/tool.ts';
