/** holdpoint: the entry that most applications import. */
export { answer, approve, cancel, reject } from './content/index.ts';
export type { ApproveOptions } from './content/index.ts';
export type {
  FileContent,
  FileInfo,
  FileReader,
  FoundGrant,
  Grant,
  GrantedCall,
  Grants,
  GrantUse,
} from './content/interrupts/index.ts';
export { HoldpointError } from './core/index.ts';
export type { ErrorCode, Issue } from './core/index.ts';
export {
  agentTool,
  askForFile,
  contentAgent,
  contentResult,
  defineExit,
  defineInterrupt,
  defineTool,
  isSuspension,
  memoryGrants,
  recentMessages,
  useTelemetry,
  withApproval,
} from './engine/index.ts';
export type {
  Agent,
  AgentContext,
  Approval,
  ApprovalContext,
  ApprovalMode,
  ApprovalOptions,
  ApprovalRule,
  AskForFileOptions,
  AskOptions,
  ChatModel,
  ContentAgent,
  ContentAgentOptions,
  ContentMessage,
  CodeAgentContext,
  CodeAgentInput,
  ContextProvider,
  DefinedTool,
  DisplayedValue,
  DisplayOptions,
  FinishReason,
  GenerateResponse,
  GenerateStream,
  InterruptOptions,
  InterruptPart,
  ModelAgentOptions,
  ModelMiddleware,
  ModelPart,
  ModelRequest,
  ModelSettings,
  Policy,
  PolicyCall,
  PolicyDecision,
  Principal,
  RememberOptions,
  Reply,
  TelemetryApi,
  TelemetryOptions,
  Tool,
  ToolContext,
  ToolFiles,
  ToolMiddleware,
  ToolOptions,
} from './engine/index.ts';
export { storeGrants } from './ledger/index.ts';
export type { GrantPage, StoredGrant, StoredGrants } from './ledger/index.ts';
export { defineAgent, generate } from './runs/index.ts';
export type { GenerateOptions, GeneratingAgent, OneShotOptions } from './runs/index.ts';
export type { Store } from './store/index.ts';
