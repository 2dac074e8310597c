import type { Approvers, InterruptKind } from '../../content/interrupts/index.ts';
import { defined, isRecord, ownMember } from '../../core/index.ts';
import type {
  ContentPart,
  Interrupt,
  Message,
  Metadata,
  SchemaEffect,
  ToolCall,
} from '../../protocol/index.ts';
import type { ApprovalOptions } from '../tools/approval.ts';
import type { Principal } from '../tools/tool-context.ts';
import type { InterruptRules, Reply } from '../tools/tool-replies.ts';
import type { DisplayedCall, Tool } from '../tools/tool.ts';
import type { JournalEntry } from './journal.ts';

/** Restrictions for all later interrupts of a call after people have decided about it. */
export interface CallGuard {
  /** The principals who may decide about the call. */
  readonly approvers?: Approvers;
  /** The call needs an approval, also with other arguments. */
  readonly approval?: true;
  /** The arguments cannot be edited, because people have decided about these. */
  readonly fixed?: true;
}

/** An interrupt that a call waits for; `askKey` names the ask of its body. */
export interface PendingInterrupt {
  readonly kind: InterruptKind;
  readonly interrupt: Interrupt;
  readonly askKey?: string;
  /** The step of the body that is in doubt. */
  readonly stepKey?: string;
  /** The approvers and the expiry rule. */
  readonly rules?: InterruptRules;
  /** The tool of a subagent that raised the interrupt. */
  readonly toolName?: string;
}

/** The grant that a call runs by. */
export interface RanByGrant {
  readonly id: string;
  /** The principal who gave it. */
  readonly givenBy?: string;
  /** The interrupt that it spared, where interrupts are stored. */
  readonly interruptId?: string;
}

/** The answer of a restart, boxed, because null is an answer. */
export interface ResumedWith {
  readonly value: unknown;
  /** The answer has markers of secrets; the schema of the tool reads it after they are replaced. */
  readonly unread?: true;
}

/** The state of a waiting call as JSON, to continue in any process. */
export interface WaitingCall {
  readonly interrupts: readonly PendingInterrupt[];
  /** The arguments that were shown, and that run. */
  readonly input: unknown;
  /** What the schema does to the arguments of the model. */
  readonly schemaEffect?: SchemaEffect;
  /** The arguments that were shown before a person edited them. */
  readonly originalInput?: unknown;
  readonly journal: readonly JournalEntry[];
  /** The answer of the last restart. */
  readonly resumed?: ResumedWith;
  readonly approvedBy?: Principal;
  readonly guard?: CallGuard;
  readonly grant?: RanByGrant;
  readonly version?: string;
  /** The key of the first run of the call; absent before. */
  readonly idempotencyKey?: string;
  /** The conversation of the subagent that waits. */
  readonly child?: { readonly subagentRunId: string; readonly messages: readonly Message[] };
}

/** The state of a call of an unfinished turn. */
export type CallState =
  | {
      readonly status: 'done';
      readonly output: unknown;
      readonly error?: string;
      /** The tool's title for the call. */
      readonly title?: string;
      /** The tool's texts for the arguments that ran and for the output. */
      readonly display?: DisplayedCall;
      /** The arguments that ran, if they were edited. */
      readonly ranWith?: unknown;
      readonly grant?: RanByGrant;
      /** A person ended the run at this call. */
      readonly aborted?: true;
      /** The id of the client's own message with the result, for a call of the client. */
      readonly messageId?: string;
    }
  | ({ readonly status: 'waiting' } & WaitingCall);

/** Whether the tool of a waiting call has another version than the one that asked. */
export function isChanged(state: WaitingCall, tool: Pick<Tool, 'version'>): boolean {
  return state.version !== tool.version;
}

/** The state of a turn, on the message with its calls. */
export interface TurnState {
  readonly turns: number;
}

const KEY = 'holdpoint';

/** The state of a call in an unfinished turn. */
export function callState(call: ToolCall): CallState | undefined {
  const state = call.metadata === undefined ? undefined : ownMember(call.metadata, KEY);
  return readCallState(state);
}

/** Reads a stored state; undefined for anything else. Versions before 0.2 call the interrupts of a waiting call `questions`. */
export function readCallState(state: unknown): CallState | undefined {
  if (!isRecord(state) || typeof state['status'] !== 'string') return undefined;
  const { questions, ...rest } = state;
  // Written by the loop. The messages of a caller in process are trusted.
  return (questions === undefined ? state : { ...rest, interrupts: questions }) as unknown as CallState;
}

export function withCallState(call: ToolCall, state: CallState): ToolCall {
  return { ...call, metadata: { ...call.metadata, [KEY]: state } };
}

export function turnState(message: Message): TurnState {
  const state = message.metadata === undefined ? undefined : ownMember(message.metadata, KEY);
  const turns = isRecord(state) ? ownMember(state, 'turns') : undefined;
  return { turns: typeof turns === 'number' ? turns : 0 };
}

export function withTurnState<M extends Message>(message: M, state: TurnState): M {
  return { ...message, metadata: { ...message.metadata, [KEY]: state } };
}

/** A message without the state of the loop; the same message if it has none. */
export function withoutState<M extends Message>(message: M): M {
  if (!hasState(message)) return message;
  const cleaned = cleanMetadata(message);
  if (cleaned.role !== 'assistant' || cleaned.toolCalls === undefined) return cleaned;
  return { ...cleaned, toolCalls: cleaned.toolCalls.map(cleanMetadata) };
}

function hasState(message: Message): boolean {
  if (message.metadata !== undefined && Object.hasOwn(message.metadata, KEY)) return true;
  if (message.role !== 'assistant' || message.toolCalls === undefined) return false;
  return message.toolCalls.some(({ metadata }) => metadata !== undefined && Object.hasOwn(metadata, KEY));
}

/** Removes the state of the loop, and the metadata if nothing else is in it. */
function cleanMetadata<T extends { metadata?: Record<string, unknown> }>(target: T): T {
  if (target.metadata === undefined) return target;
  const { [KEY]: _state, ...left } = target.metadata;
  if (Object.keys(left).length > 0) return { ...target, metadata: left };
  const { metadata: _all, ...rest } = target;
  // Metadata is optional on messages and calls.
  return rest as T;
}

/** The guard of a call with this approval, given by a person or remembered. */
export function approvalGuard({ approvers, editable }: ApprovalOptions<unknown>): CallGuard {
  return {
    approval: true,
    ...defined({ approvers }),
    ...(editable === true ? {} : { fixed: true }),
  };
}

/** The guard of a call whose body was answered. The approvers of the call come before those of its body. */
export function answeredGuard(
  guard: CallGuard | undefined,
  interrupts: readonly PendingInterrupt[],
): CallGuard {
  const asked = interrupts.find(({ rules }) => rules?.approvers !== undefined);
  const approvers = guard?.approvers ?? asked?.rules?.approvers;
  return { ...guard, ...defined({ approvers }), fixed: true };
}

/** A call to run, with the state of its earlier runs. */
export interface CallToRun {
  readonly tool: Tool;
  readonly toolCallId: string;
  /** The arguments of the model, or those that were shown. */
  readonly input: unknown;
  readonly schemaEffect?: SchemaEffect | undefined;
  /** The arguments after the schema, if they were just checked. */
  readonly checked?: { readonly value: unknown };
  readonly originalInput?: unknown;
  readonly journal?: readonly JournalEntry[];
  readonly resumed?: ResumedWith;
  readonly approvedBy?: Principal | undefined;
  readonly guard?: CallGuard | undefined;
  readonly grant?: RanByGrant | undefined;
  readonly version?: string | undefined;
  /** The key of the first run. */
  readonly idempotencyKey?: string | undefined;
  /** The conversation of the subagent, and the answers for it. */
  readonly child?: {
    readonly subagentRunId: string;
    readonly messages: readonly Message[];
    readonly interrupts: readonly PendingInterrupt[];
    readonly replies: readonly Reply[];
  };
}

/** The state of a call with a result. */
export function done(output: unknown): CallState {
  return { status: 'done', output };
}

/** The state of a call with an error as its result. */
export function failed(error: string): Extract<CallState, { status: 'done' }> {
  return { status: 'done', output: error, error };
}

/** The state of a waiting call, with the data for its next run. */
export function waiting(interrupts: readonly PendingInterrupt[], call: CallToRun): CallState {
  const {
    input,
    schemaEffect,
    originalInput,
    journal = [],
    resumed,
    approvedBy,
    guard,
    grant,
    tool,
    idempotencyKey,
  } = call;
  return {
    status: 'waiting',
    interrupts,
    input,
    journal,
    ...defined({
      schemaEffect,
      originalInput,
      resumed,
      approvedBy,
      guard,
      grant,
      version: tool.version,
      idempotencyKey,
    }),
  };
}

/**
 * The messages for others: results of an unfinished turn become tool messages, and the state of the loop is removed.
 */
export function publicMessages(messages: readonly Message[]): Message[] {
  const shown: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'assistant' || message.toolCalls === undefined) {
      shown.push(withoutState(message));
    } else if (message.toolCalls.some(isHiddenCall)) {
      const { toolCalls: _hidden, ...rest } = withoutState(message);
      if (rest.content !== undefined) shown.push(rest);
    } else {
      shown.push(withoutState(message));
      for (const call of message.toolCalls) {
        const state = callState(call);
        if (state?.status === 'done') shown.push(toolMessage(call.id, state));
      }
    }
  }
  return shown;
}

const CONTENT = 'holdpoint:content';

/**
 * A tool output of several parts, such as text and images.
 *
 * @example
 * ```ts
 * import { contentResult, defineTool } from 'holdpoint';
 *
 * const report = defineTool({
 *   name: 'report',
 *   description: 'Returns the report of the day.',
 *   input: { type: 'object' },
 *   run: () => contentResult([{ type: 'text', text: 'All is well.' }]),
 * });
 * ```
 */
export function contentResult(parts: readonly ContentPart[]): Readonly<Record<string, unknown>> {
  return { [CONTENT]: parts };
}

/** The content of a tool message: text and parts unchanged, anything else as JSON. */
export function resultContent(output: unknown): string | ContentPart[] {
  if (typeof output === 'string') return output;
  const parts = isRecord(output) ? ownMember(output, CONTENT) : undefined;
  // Only `contentResult` makes it, from content parts.
  if (Array.isArray(parts)) return parts as ContentPart[];
  return JSON.stringify(output ?? null) ?? 'null';
}

/** The id of the tool message of a call; always the same. */
export function resultMessageId(toolCallId: string): string {
  return `result-${toolCallId}`;
}

/** The tool message of a finished call. */
export function toolMessage(toolCallId: string, state: Extract<CallState, { status: 'done' }>): Message {
  return {
    id: state.messageId ?? resultMessageId(toolCallId),
    role: 'tool',
    toolCallId,
    content: resultContent(state.output),
    ...defined({ error: state.error }),
    ...resultMetadata(state),
  };
}

/** The metadata of a result: its title, texts, error and grant, for which the event of a result has no member. */
export function resultMetadata({ title, display, error, grant }: Extract<CallState, { status: 'done' }>): {
  readonly metadata?: Metadata;
} {
  const metadata = defined({ title, display, error, grant });
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

const PREFIX = 'agent:';

/** The name of the hidden call of an agent in plain code. */
export function codeCallName(agentId: string): string {
  return `${PREFIX}${agentId}`;
}

/** The name of the hidden call of a model call whose middleware waits. */
export const MODEL_CALL = `${PREFIX}#model`;

/** Whether only the loop sees the call. */
export function isHiddenCall(call: ToolCall): boolean {
  return call.function.name.startsWith(PREFIX);
}
