import type { Approvers, OnExpire } from '../content/interrupts/index.ts';
import type { IdGenerator, JsonValue } from '../core/index.ts';
import type { AgentContext } from '../engine/index.ts';
import type { BeginRun, ClaimedRun, EndRun, RunSession, Vault } from '../ledger/index.ts';
import type { AgentStreamEvent, Interrupt, Message, ResumeEntry, RunAgentInput } from '../protocol/index.ts';
import { createApplier, createVerifier, EventType, PROTOCOL_VERSION } from '../protocol/index.ts';
import { messageNews, toLog } from './conversation.ts';
import type { HostAgent } from './host-agent.ts';
import { runStarted } from './event-log.ts';

/** A run of an agent that keeps its own checkpoint. */
export interface ForeignRun {
  readonly agent: HostAgent;
  readonly claim: ClaimedRun;
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
  readonly vault: Vault | undefined;
  /** Puts the secrets into answers right before the agent gets them. */
  readonly opened: (answers: readonly ResumeEntry[]) => Promise<readonly ResumeEntry[]>;
  readonly newId: IdGenerator;
  /** The ids that earlier interrupts of this thread have used. */
  readonly usedIds: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onError: (error: unknown) => void;
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

/** Remembers the open spans of a stream, so that the runner can close them. */
export interface OpenSpans {
  saw(event: AgentStreamEvent): void;
  /** The events that close all open spans, innermost first. */
  closing(): AgentStreamEvent[];
}

export function createOpenSpans(): OpenSpans {
  const open = new Map<string, AgentStreamEvent>();
  return {
    saw(event) {
      // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- everything else opens and closes nothing
      switch (event.type) {
        case EventType.TEXT_MESSAGE_START:
          open.set(`text ${event.messageId}`, {
            type: EventType.TEXT_MESSAGE_END,
            messageId: event.messageId,
          });
          break;
        case EventType.TEXT_MESSAGE_END:
          open.delete(`text ${event.messageId}`);
          break;
        case EventType.TOOL_CALL_START:
          open.set(`call ${event.toolCallId}`, {
            type: EventType.TOOL_CALL_END,
            toolCallId: event.toolCallId,
          });
          break;
        case EventType.TOOL_CALL_END:
          open.delete(`call ${event.toolCallId}`);
          break;
        case EventType.REASONING_START:
          open.set(`span ${event.messageId}`, { type: EventType.REASONING_END, messageId: event.messageId });
          break;
        case EventType.REASONING_END:
          open.delete(`span ${event.messageId}`);
          break;
        case EventType.REASONING_MESSAGE_START:
          open.set(`thought ${event.messageId}`, {
            type: EventType.REASONING_MESSAGE_END,
            messageId: event.messageId,
          });
          break;
        case EventType.REASONING_MESSAGE_END:
          open.delete(`thought ${event.messageId}`);
          break;
        case EventType.STEP_STARTED:
          open.set(`step ${event.stepName}`, { type: EventType.STEP_FINISHED, stepName: event.stepName });
          break;
        case EventType.STEP_FINISHED:
          open.delete(`step ${event.stepName}`);
          break;
        case EventType.SUBAGENT_STARTED:
          open.set(`agent ${event.subagentRunId}`, {
            type: EventType.SUBAGENT_ERROR,
            subagentRunId: event.subagentRunId,
            message: 'The run was stopped.',
          });
          break;
        case EventType.SUBAGENT_FINISHED:
        case EventType.SUBAGENT_ERROR:
          open.delete(`agent ${event.subagentRunId}`);
          break;
      }
    },
    closing: () => [...open.values()].toReversed(),
  };
}
