import type { Interrupt, Message, Metadata, RunAgentInput, TokenUsage } from '@ag-ui/core';
import { EventType, PROTOCOL_VERSION } from '@ag-ui/core';
import type { Clock, IdGenerator } from '../../core/index.ts';
import { HoldpointError, newId } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events/index.ts';
import { createVerifier } from '../verify/index.ts';
import type { Scope } from './scope.ts';
import { createScope } from './scope.ts';
import type { StreamEmitter } from './stream-emitter.ts';
import { createStreamEmitter } from './write-stream.ts';

export interface EmitterOptions {
  readonly threadId: string;
  readonly runId: string;
  /** Receives every event, in order, as it is made. */
  readonly write: (event: AgentStreamEvent) => void;
  /** Where the ids of messages and calls come from that are given none. */
  readonly newId?: IdGenerator;
  /** With a clock, every event carries its time. */
  readonly clock?: Clock;
}

/** Said at the end of a run. */
export interface EndOptions {
  readonly usage?: readonly TokenUsage[];
  readonly metadata?: Metadata;
}

/**
 * Writes one run. It cannot produce an illegal order: RUN_STARTED is written before anything else, what is
 * open is closed before an interrupt, an error or the end, and a call that would break a rule of the
 * protocol throws `INTERNAL` and writes nothing.
 */
export interface Emitter extends StreamEmitter {
  /** Opens the run; anything else does so too when this was not called. */
  start(options?: { readonly parentRunId?: string; readonly input?: RunAgentInput }): void;
  /** The whole of the messages; those that are open are closed before. */
  messages(messages: readonly Message[]): void;
  /** The run succeeded. `pendingToolCallIds` names calls the client is to run. */
  finish(
    options?: EndOptions & { readonly result?: unknown; readonly pendingToolCallIds?: readonly string[] },
  ): void;
  /** The run ended with questions; snapshots given here are written before them. Throws without a question. */
  interrupt(
    interrupts: readonly Interrupt[],
    options?: EndOptions & { readonly state?: unknown; readonly messages?: readonly Message[] },
  ): void;
  /** The run was stopped by whoever ran it. */
  cancel(options?: EndOptions): void;
  /** The run failed. */
  fail(message: string, options?: EndOptions & { readonly code?: string }): void;
  readonly ended: boolean;
}

export function createEmitter(options: EmitterOptions): Emitter {
  const { threadId, runId, clock } = options;
  const verifier = createVerifier();
  let phase: 'before' | 'running' | 'ended' = 'before';

  const put = (event: AgentStreamEvent) => {
    try {
      verifier.check(event);
    } catch (cause) {
      throw misuse(runId, `cannot have a ${event.type} here`, cause);
    }
    options.write(clock === undefined ? event : { ...event, timestamp: clock.now() });
  };
  const start: Emitter['start'] = ({ parentRunId, input } = {}) => {
    if (phase !== 'before') throw misuse(runId, 'was already started');
    phase = 'running';
    put({
      type: EventType.RUN_STARTED,
      threadId,
      runId,
      protocolVersion: PROTOCOL_VERSION,
      ...(parentRunId === undefined ? {} : { parentRunId }),
      ...(input === undefined ? {} : { input }),
    });
  };
  const write = (event: AgentStreamEvent) => {
    if (phase === 'before') start();
    if (phase === 'ended') throw misuse(runId, 'has ended');
    put(event);
  };
  const scope: Scope = createScope({ write, newId: options.newId ?? newId, owner: {} });
  const end = (event: AgentStreamEvent) => {
    if (phase === 'before') start();
    if (phase === 'ended') throw misuse(runId, 'has ended');
    scope.closeAll('end');
    write(event);
    phase = 'ended';
  };
  const messages: Emitter['messages'] = (list) => {
    if (phase === 'ended') throw misuse(runId, 'has ended');
    scope.closeMessages();
    write({ type: EventType.MESSAGES_SNAPSHOT, messages: [...list] });
  };

  const stream = createStreamEmitter(scope);
  return {
    ...stream,
    start,
    messages,
    finish({ result, pendingToolCallIds, ...rest } = {}) {
      const pending = pendingToolCallIds === undefined ? {} : { pendingToolCallIds: [...pendingToolCallIds] };
      end({
        type: EventType.RUN_FINISHED,
        threadId,
        runId,
        ...(result === undefined ? {} : { result }),
        outcome: { type: 'success', ...pending },
        ...endMembers(rest),
      });
    },
    interrupt(interrupts, { state, messages: list, ...rest } = {}) {
      checkInterrupts(interrupts, runId);
      if (phase === 'ended') throw misuse(runId, 'has ended');
      scope.closeAll('interrupt');
      if (state !== undefined) stream.state(state);
      if (list !== undefined) messages(list);
      end({
        type: EventType.RUN_FINISHED,
        threadId,
        runId,
        outcome: { type: 'interrupt', interrupts: [...interrupts] },
        ...endMembers(rest),
      });
    },
    cancel(rest = {}) {
      end({
        type: EventType.RUN_FINISHED,
        threadId,
        runId,
        outcome: { type: 'cancelled' },
        ...endMembers(rest),
      });
    },
    fail(message, { code, ...rest } = {}) {
      end({
        type: EventType.RUN_ERROR,
        message,
        ...(code === undefined ? {} : { code }),
        ...endMembers(rest),
      });
    },
    get ended() {
      return phase === 'ended';
    },
  };
}

function endMembers({ usage, metadata }: EndOptions): { usage?: TokenUsage[]; metadata?: Metadata } {
  return {
    ...(usage === undefined ? {} : { usage: [...usage] }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function checkInterrupts(interrupts: readonly Interrupt[], runId: string): void {
  if (interrupts.length === 0) throw misuse(runId, 'cannot be interrupted without a question');
  const ids = new Set(interrupts.map(({ id }) => id));
  if (ids.size < interrupts.length) throw misuse(runId, 'asks two questions under one id');
}

function misuse(runId: string, what: string, cause?: unknown): HoldpointError {
  return new HoldpointError('INTERNAL', `The run ${runId} ${what}.`, { cause });
}
