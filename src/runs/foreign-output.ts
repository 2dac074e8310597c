import type { Approvers, OnExpire } from '../content/interrupts/index.ts';
import type { IdGenerator, JsonValue } from '../core/index.ts';
import type { AgentContext } from '../engine/index.ts';
import type { BeginRun, ClaimedRun, EndRun, InterruptRecord, RunSession, Vault } from '../ledger/index.ts';
import type { AgentStreamEvent, Interrupt, Message, ResumeEntry, RunAgentInput } from '../protocol/index.ts';
import { createApplier, createVerifier, EventType, PROTOCOL_VERSION } from '../protocol/index.ts';
import { messageNews, toLog } from './conversation.ts';
import type { HostAgent } from './host-agent.ts';
import { runStarted } from './event-log.ts';

/** A run of an agent that keeps its own checkpoint. */
export interface ForeignRun {
  readonly agent: HostAgent;
  readonly claim: ClaimedRun;
  /** The interrupts of its answers, also of answers in doubt. */
  readonly asked: readonly InterruptRecord[];
  readonly conversation: readonly Message[];
  readonly newMessages: BeginRun['newMessages'];
  /** The members of the input other than messages and answers. */
  readonly input: RunAgentInput;
  readonly session: RunSession;
  /** Emits an event, and stores it if the run has a log. */
  readonly emit: (event: AgentStreamEvent) => void;
  readonly context: AgentContext;
  readonly cancelSignal: AbortSignal;
  /** The approvers of an interrupt of the agent. */
  readonly approversOf: (interrupt: Interrupt) => Promise<Approvers | undefined>;
  /** The action for an expired interrupt. Default `keep`. */
  readonly onExpire: OnExpire | undefined;
  /** Throws `RATE_LIMITED` when so many more interrupts may not be open. */
  readonly assertRoom: (adding: number) => Promise<void>;
  readonly vault: Vault | undefined;
  /** Puts the secrets into answers right before the agent gets them. */
  readonly opened: (answers: readonly ResumeEntry[]) => Promise<readonly ResumeEntry[]>;
  readonly newId: IdGenerator;
  /** The ids that earlier interrupts of this thread have used. */
  readonly usedIds: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onError: (error: unknown) => void;
  /** Limit for the events of the run. */
  readonly maxCharacters: number;
}

/** The events of a foreign agent so far, and the resulting messages and state. */
export interface ForeignOutput {
  /** Verifies, stores and emits an event. Throws for an event that is out of order. */
  put(event: AgentStreamEvent): void;
  /** The events that close all open spans. */
  closing(): readonly AgentStreamEvent[];
  readonly isOver: boolean;
  /** Whether the last event is a snapshot of the state. */
  readonly isStateShown: boolean;
  readonly applier: ReturnType<typeof createApplier>;
  kept(): Pick<EndRun, 'messages' | 'state' | 'input'>;
}

/** Emits the start of the run. */
export function createOutput(run: ForeignRun): ForeignOutput {
  const { emit, conversation, claim, input, newMessages } = run;
  const verifier = createVerifier();
  const spans = createOpenSpans();
  const messages = [...conversation, ...(claim.input as unknown as readonly Message[])];
  const applier = createApplier({ messages, state: claim.state });
  let isOver = false;
  let isStateShown = false;
  const put = (event: AgentStreamEvent) => {
    verifier.check(event);
    spans.saw(event);
    applier.apply(event);
    emit(event);
    isOver = event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR;
    isStateShown = event.type === EventType.STATE_SNAPSHOT;
  };
  const { threadId, runId } = input;
  const begun = { type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION } as const;
  const { claimed } = claim;
  for (const event of runStarted(begun, { newMessages, conversation: messages, claimed })) put(event);
  return {
    put,
    get isStateShown() {
      return isStateShown;
    },
    closing: () => (isOver ? [] : spans.closing()),
    get isOver() {
      return isOver;
    },
    applier,
    kept: () => ({
      messages: toLog(messageNews(conversation, applier.messages)),
      state: applier.state as JsonValue,
      input: [],
    }),
  };
}

/** A span: the event that closes it, and the member with its id. */
interface Span {
  readonly end: EventType;
  readonly id: 'messageId' | 'toolCallId' | 'stepName' | 'subagentRunId';
  readonly opens: boolean;
}

/** The spans by the events that open and close them. */
const SPANS = new Map<EventType, Span>();
for (const [start, end, id] of [
  [EventType.TEXT_MESSAGE_START, EventType.TEXT_MESSAGE_END, 'messageId'],
  [EventType.TOOL_CALL_START, EventType.TOOL_CALL_END, 'toolCallId'],
  [EventType.REASONING_START, EventType.REASONING_END, 'messageId'],
  [EventType.REASONING_MESSAGE_START, EventType.REASONING_MESSAGE_END, 'messageId'],
  [EventType.STEP_STARTED, EventType.STEP_FINISHED, 'stepName'],
  [EventType.SUBAGENT_STARTED, EventType.SUBAGENT_ERROR, 'subagentRunId'],
] as const) {
  SPANS.set(start, { end, id, opens: true });
  SPANS.set(end, { end, id, opens: false });
}
SPANS.set(EventType.SUBAGENT_FINISHED, { end: EventType.SUBAGENT_ERROR, id: 'subagentRunId', opens: false });

/** Remembers the open spans of a stream, so that the runner can close them. */
function createOpenSpans() {
  const open = new Map<string, AgentStreamEvent>();
  return {
    saw(event: AgentStreamEvent): void {
      const span = SPANS.get(event.type);
      if (span === undefined) return;
      const id = (event as Partial<Record<Span['id'], string>>)[span.id];
      const name = `${span.end} ${id}`;
      if (!span.opens) {
        open.delete(name);
        return;
      }
      const why = span.end === EventType.SUBAGENT_ERROR ? { message: 'The run was stopped.' } : {};
      open.set(name, { type: span.end, [span.id]: id, ...why } as AgentStreamEvent);
    },
    /** The events that close all open spans, innermost first. */
    closing: () => [...open.values()].toReversed(),
  };
}
