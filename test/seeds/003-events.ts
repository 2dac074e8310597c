/** `events.ts` of "AG-UI Event Protocol Integration Plan" (two tiers), as it is written there. */
/**
 * AG-UI event types matching the specification.
 * Uses snake_case per AG-UI spec.
 */

interface BaseEvent {
  type: string;
  timestamp?: number;
}

// Lifecycle events
export interface RunStartedEvent extends BaseEvent {
  type: 'run_started';
  run_id?: string;
}

export interface RunFinishedEvent extends BaseEvent {
  type: 'run_finished';
  run_id?: string;
}

export interface RunErrorEvent extends BaseEvent {
  type: 'run_error';
  message?: string;
}

// Text message events
export interface TextMessageStartEvent extends BaseEvent {
  type: 'text_message_start';
  message_id: string;
  role?: string;
}

export interface TextMessageContentEvent extends BaseEvent {
  type: 'text_message_content';
  message_id: string;
  delta?: string;
}

export interface TextMessageEndEvent extends BaseEvent {
  type: 'text_message_end';
  message_id: string;
}

// Tool events (Agents only)
export interface ToolCallStartEvent extends BaseEvent {
  type: 'tool_call_start';
  tool_call_id: string;
  tool_call_name: string;
  parent_message_id?: string;
}

export interface ToolCallArgsEvent extends BaseEvent {
  type: 'tool_call_args';
  tool_call_id: string;
  delta?: string;
}

export interface ToolCallEndEvent extends BaseEvent {
  type: 'tool_call_end';
  tool_call_id: string;
}

// Approval events (Agents only, custom)
export interface ApprovalRequestedEvent extends BaseEvent {
  type: 'approval_requested';
  approval_id: string;
  tool_id: string;
  tool_name: string;
  parameters: unknown;
  parameters_summary?: string;
}

// State events (Agents only)
export interface StateSnapshotEvent extends BaseEvent {
  type: 'state_snapshot';
  snapshot: unknown;
}

export interface StateDeltaEvent extends BaseEvent {
  type: 'state_delta';
  delta: Array<{ op: string; path: string; value?: unknown }>;
}

// Messages snapshot (for syncing conversation history)
export interface MessagesSnapshotEvent extends BaseEvent {
  type: 'messages_snapshot';
  messages: Array<{
    role: string;
    id?: string;
    content?: string;
    tool_calls?: Array<{ id: string; function: { name: string; arguments: string } }>;
  }>;
}

// Union types - Core subset vs full Agents
export type CoreStreamEvent =
  | RunStartedEvent
  | RunFinishedEvent
  | RunErrorEvent
  | TextMessageStartEvent
  | TextMessageContentEvent
  | TextMessageEndEvent;

export type AgentStreamEvent =
  | CoreStreamEvent
  | ToolCallStartEvent
  | ToolCallArgsEvent
  | ToolCallEndEvent
  | StateSnapshotEvent
  | StateDeltaEvent
  | MessagesSnapshotEvent
  | ApprovalRequestedEvent;

// Type guards
export const isRunStarted = (e: BaseEvent): e is RunStartedEvent => e.type === 'run_started';
export const isRunFinished = (e: BaseEvent): e is RunFinishedEvent => e.type === 'run_finished';
export const isRunError = (e: BaseEvent): e is RunErrorEvent => e.type === 'run_error';
export const isTextMessageContent = (e: BaseEvent): e is TextMessageContentEvent =>
  e.type === 'text_message_content';
export const isToolCallStart = (e: BaseEvent): e is ToolCallStartEvent => e.type === 'tool_call_start';
export const isApprovalRequested = (e: BaseEvent): e is ApprovalRequestedEvent =>
  e.type === 'approval_requested';
