import type { Approvers, InterruptKind } from '../../content/interrupts/index.ts';
import { defined, isRecord, ownMember } from '../../core/index.ts';
import type { ContentPart, Interrupt, Message, Metadata, ToolCall } from '../../protocol/index.ts';
import type { ApprovalOptions } from '../tools/approval.ts';
import type { Principal } from '../tools/tool-context.ts';
import type { QuestionRules, Reply } from '../tools/tool-replies.ts';
import type { Tool } from '../tools/tool.ts';
import type { JournalEntry } from './journal.ts';

/** What every later question about a call keeps to, once people had a say in it. */
export interface CallGuard {
  /** Who may decide about it. */
  readonly approvers?: Approvers;
  /** It needs an approval: so it does with other arguments. */
  readonly approval?: true;
  /** Its arguments stay as they are: what people said, they said of these. */
  readonly fixed?: true;
}

/** A question a call waits at; `askKey` says which ask of its body it is. */
export interface PendingQuestion {
  readonly kind: InterruptKind;
  readonly interrupt: Interrupt;
  readonly askKey?: string;
  /** The step of its body that it is about. */
  readonly stepKey?: string;
  /** Who may answer, and what happens when nobody does. */
  readonly rules?: QuestionRules;
  /** The tool of a subagent that asks. */
  readonly toolName?: string;
}

/** The answer that a body is run with, boxed: null is an answer. */
export interface ResumedWith {
  readonly value: unknown;
  /** It holds what stands for secrets: the tool's schema reads it when they are put back. */
  readonly unread?: true;
}

/** All that a waiting call needs to go on, as JSON, in this process or another. */
export interface WaitingCall {
  readonly questions: readonly PendingQuestion[];
  /** The arguments it runs with. */
  readonly input: unknown;
  /** What the model asked for, when it was edited since. */
  readonly originalInput?: unknown;
  readonly journal: readonly JournalEntry[];
  /** The answer it was last run with. */
  readonly resumed?: ResumedWith;
  readonly approvedBy?: Principal;
  readonly guard?: CallGuard;
  readonly version?: string;
  /** What it was first run with; absent while it never was. */
  readonly idempotencyKey?: string;
  /** The conversation of the subagent that asks. */
  readonly child?: { readonly subagentRunId: string; readonly messages: readonly Message[] };
}

/** Where a call of an unfinished turn stands. */
export type CallState =
  | {
      readonly status: 'done';
      readonly output: unknown;
      readonly error?: string;
      /** The tool's title for the call. */
      readonly title?: string;
      /** What it ran with, when that was edited. */
      readonly ranWith?: unknown;
      /** A person ended the whole run at this call. */
      readonly aborted?: true;
    }
  | ({ readonly status: 'waiting' } & WaitingCall);

/** What the turn itself remembers, on the message that carries the calls. */
export interface TurnState {
  readonly turns: number;
}

const KEY = 'holdpoint';

/** The state that an unfinished turn keeps with a call. */
export function callState(call: ToolCall): CallState | undefined {
  const state = call.metadata === undefined ? undefined : ownMember(call.metadata, KEY);
  // Written by `withCallState`; a program that hands over its own messages is trusted, as the design says.
  return isRecord(state) && typeof state['status'] === 'string' ? (state as unknown as CallState) : undefined;
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

/** A message without what only the loop needs; the very message when it has nothing of that. */
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

/** Without what the loop wrote; without metadata when that was all. */
function cleanMetadata<T extends { metadata?: Record<string, unknown> }>(target: T): T {
  if (target.metadata === undefined) return target;
  const { [KEY]: _state, ...left } = target.metadata;
  if (Object.keys(left).length > 0) return { ...target, metadata: left };
  const { metadata: _all, ...rest } = target;
  // A message, or a call, may be without metadata.
  return rest as T;
}

/** The guard of a call that needs this approval, whether a person gives it or one that was remembered. */
export function approvalGuard({ approvers, editable }: ApprovalOptions<unknown>): CallGuard {
  return {
    approval: true,
    ...defined({ approvers }),
    ...(editable === true ? {} : { fixed: true }),
  };
}

/** The guard of a call whose body was answered. Who may decide about the call itself comes before who may answer its body. */
export function answeredGuard(
  guard: CallGuard | undefined,
  questions: readonly PendingQuestion[],
): CallGuard {
  const asked = questions.find(({ rules }) => rules?.approvers !== undefined);
  const approvers = guard?.approvers ?? asked?.rules?.approvers;
  return { ...guard, ...defined({ approvers }), fixed: true };
}

/** A call that is to be made now, with all that earlier runs of it left. */
export interface CallToRun {
  readonly tool: Tool;
  readonly toolCallId: string;
  /** The arguments as they were given. */
  readonly input: unknown;
  /** What the tool's schema made of them, where they were checked just before. */
  readonly checked?: { readonly value: unknown };
  readonly originalInput?: unknown;
  readonly journal?: readonly JournalEntry[];
  readonly resumed?: ResumedWith;
  readonly approvedBy?: Principal | undefined;
  readonly guard?: CallGuard | undefined;
  readonly version?: string | undefined;
  /** What it was first run with. */
  readonly idempotencyKey?: string | undefined;
  /** The subagent's conversation so far, and the answers it waits for. */
  readonly child?: {
    readonly subagentRunId: string;
    readonly messages: readonly Message[];
    readonly questions: readonly PendingQuestion[];
    readonly replies: readonly Reply[];
  };
}

/** The state of a call that has its result. */
export function done(output: unknown): CallState {
  return { status: 'done', output };
}

/** The state of a call whose result says what went wrong. */
export function failed(error: string): Extract<CallState, { status: 'done' }> {
  return { status: 'done', output: error, error };
}

/** The state of a call that waits, with all that its next run needs. */
export function waiting(questions: readonly PendingQuestion[], call: CallToRun): CallState {
  const { input, originalInput, journal = [], resumed, approvedBy, guard, tool, idempotencyKey } = call;
  return {
    status: 'waiting',
    questions,
    input,
    journal,
    ...defined({ originalInput, resumed, approvedBy, guard, version: tool.version, idempotencyKey }),
  };
}

/**
 * The messages as others may see them: results that an unfinished turn keeps are shown as tool messages, and what
 * only the loop needs is left out.
 */
export function publicMessages(messages: readonly Message[]): Message[] {
  return messages.flatMap((message): Message[] => {
    if (message.role !== 'assistant' || message.toolCalls === undefined) return [withoutState(message)];
    const kept = message.toolCalls.flatMap((call) => {
      const state = callState(call);
      return state?.status === 'done' ? [toolMessage(call.id, state)] : [];
    });
    const toolCalls = message.toolCalls.filter((call) => !isHiddenCall(call));
    if (toolCalls.length === message.toolCalls.length) return [withoutState(message), ...kept];
    const { toolCalls: _hidden, ...rest } = withoutState(message);
    return rest.content === undefined ? [] : [rest];
  });
}

const CONTENT = 'holdpoint:content';

/** An output of several parts, such as text and images, for a tool to return. */
export function contentResult(parts: readonly ContentPart[]): Readonly<Record<string, unknown>> {
  return { [CONTENT]: parts };
}

/** What goes into a tool message: text as it is, parts as they are, anything else as JSON. */
export function resultContent(output: unknown): string | ContentPart[] {
  if (typeof output === 'string') return output;
  const parts = isRecord(output) ? ownMember(output, CONTENT) : undefined;
  // Made by `contentResult`, which takes nothing else.
  if (Array.isArray(parts)) return parts as ContentPart[];
  return JSON.stringify(output ?? null) ?? 'null';
}

/** The id of the message that carries a call's result; the same every time. */
export function resultMessageId(toolCallId: string): string {
  return `result-${toolCallId}`;
}

/** The tool message of a finished call. */
export function toolMessage(toolCallId: string, state: Extract<CallState, { status: 'done' }>): Message {
  return {
    id: resultMessageId(toolCallId),
    role: 'tool',
    toolCallId,
    content: resultContent(state.output),
    ...defined({ error: state.error }),
    ...resultMetadata(state),
  };
}

/** The metadata of a result: its title and its error, for which the event of a result has no member. */
export function resultMetadata({ title, error }: Extract<CallState, { status: 'done' }>): {
  readonly metadata?: Metadata;
} {
  const metadata = defined({ title, error });
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

const PREFIX = 'agent:';

/** The name of the call that stands for an agent written as code; only the loop sees it. */
export function codeCallName(agentId: string): string {
  return `${PREFIX}${agentId}`;
}

/** The name of the call that stands for a call of the model whose middleware waits. */
export const MODEL_CALL = `${PREFIX}#model`;

/** Whether nobody but the loop sees a call. */
export function isHiddenCall(call: ToolCall): boolean {
  return call.function.name.startsWith(PREFIX);
}
