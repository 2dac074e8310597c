/**
 * engine: tools, interrupts, the generate loop that can pause, and agents. No HTTP, no store, no Node built-ins: the caller keeps
 * the messages, which hold all that a paused turn needs, and a run with checkpoints tells them of its work. Imports core, protocol
 * and content.
 */
export {
  abstractThreadId,
  isAbstractAgent,
  runAbstractAgent,
  withoutClientMembers,
} from './agent/abstract-agent.ts';
export type { AbstractAgentLike } from './agent/abstract-agent.ts';
export { agentTool } from './agent/agent-tool.ts';
export type {
  Agent,
  AgentContext,
  AgentMemory,
  DeliveryReport,
  DoubtDecision,
  DurableContext,
  GenerateOptions,
  GenerateResponse,
  GenerateStream,
  GeneratingAgent,
  RunCheckpoints,
  RunOptions,
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
export type { AgentOptions, ModelAgentOptions } from './agent/define-agent.ts';
export { publicMessages, readCallState, toolMessage } from './calls/call-state.ts';
export { withApproval } from './agent/with-approval.ts';
export type { ApprovalRule } from './agent/with-approval.ts';
export { modeCheck } from './calls/run-context.ts';
export type { ApprovalMode, RunContext, ToolMiddleware } from './calls/run-context.ts';
export { contentResult } from './calls/call-state.ts';
export { partsOf } from './agent/assemble-agent.ts';
export type { HookedAgent } from './agent/assemble-agent.ts';
export { createEventQueue } from './agent/event-queue.ts';
export { cancellationOf, promptMessage, repliesOf, wireError } from './agent/create-run.ts';
export { callState, isChanged, withoutState } from './calls/call-state.ts';
export { codeCallName } from './calls/call-state.ts';
export { createRecovery } from './calls/checkpoints.ts';
export { isSuspension } from './calls/journal.ts';
export type { ContextProvider, ModelMiddleware, ProvidedContext } from './loop/loop-settings.ts';
export { openParts, openTurn } from './loop/open-turn.ts';
export type { FinishReason, LoopResult } from './loop/run-loop.ts';
export type {
  ChatModel,
  ModelFinish,
  ModelPart,
  ModelRequest,
  ModelSettings,
  ModelTool,
} from './loop/chat-model.ts';
export { decideShownCall } from './calls/decide-shown-call.ts';
export type { ShownCall, ShownDecision } from './calls/decide-shown-call.ts';
export { memoryGrants } from './tools/policy.ts';
export { recentMessages } from './loop/loop-settings.ts';
export type { Policy, PolicyCall, PolicyDecision } from './tools/policy.ts';
export type { Approval, ApprovalContext, ApprovalOptions, RememberOptions } from './tools/approval.ts';
export type { TelemetryApi } from './telemetry/telemetry.ts';
export type { TelemetryOptions } from './telemetry/telemetry.ts';
export { useTelemetry } from './telemetry/use-telemetry.ts';
export { askForFile } from './tools/ask-for-file.ts';
export type { AskForFileOptions } from './tools/ask-for-file.ts';
export { defineExit } from './tools/define-tool.ts';
export type { ExitOptions } from './tools/define-tool.ts';
export { defineInterrupt } from './tools/define-interrupt.ts';
export type { InterruptToolOptions } from './tools/define-interrupt.ts';
export { defineTool } from './tools/define-tool.ts';
export type { DefinedTool, DisplayOptions, ToolOptions } from './tools/define-tool.ts';
export type {
  AskOptions,
  InterruptOptions,
  PausingContext,
  Principal,
  ToolContext,
  ToolEmitter,
  ToolFiles,
} from './tools/tool-context.ts';
export type { InterruptPart, Reply } from './tools/tool-replies.ts';
export type { DisplayedValue, Tool } from './tools/tool.ts';
