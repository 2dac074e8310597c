import type {
  Interrupt,
  Message,
  Metadata,
  RunAgentInput,
  RunFinishedOutcome,
  TokenUsage,
} from '@ag-ui/core';
import { EventType, PROTOCOL_VERSION } from '@ag-ui/core';
import type { Clock, IdGenerator } from '../../core/index.ts';
import { defined, HoldpointError, newId } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { createVerifier } from '../verify/create-verifier.ts';
import type { Scope, StreamEmitter } from './stream-emitter.ts';
import { createScope, createStreamEmitter } from './stream-emitter.ts';

/** Options of {@link createEmitter}. */
export interface EmitterOptions {
  /** Id of the thread. */
  readonly threadId: string;
  /** Id of the run. */
  readonly runId: string;
  /** Receives every event, in order. */
  readonly write: (event: AgentStreamEvent) => void;
  /** Creates ids for messages and calls without one; default UUIDv7. */
  readonly newId?: IdGenerator;
  /** Source of the event timestamps; default: events have no timestamp. */
  readonly clock?: Clock;
}

/** Options of the end of a run. */
export interface EndOptions {
  /** Tokens that the run used, one entry for each model. Default: not written. */
  readonly usage?: readonly TokenUsage[];
  /** Metadata of the last event. Default: none. */
  readonly metadata?: Metadata;
}

/**
 * Writes one run, always in a legal order: RUN_STARTED comes first, open messages are closed before an interrupt,
 * an error or the end, and a call that would break a rule of the protocol throws `INTERNAL` and writes nothing.
 */
export interface Emitter extends StreamEmitter {
  /** Starts the run; every other method does so if needed. */
  start(options?: { readonly parentRunId?: string; readonly input?: RunAgentInput }): void;
  /** Writes a snapshot of all messages; closes open ones first. */
  messages(messages: readonly Message[]): void;
  /** Ends the run with success. `pendingToolCallIds` names calls that the client must run. */
  finish(
    options?: EndOptions & { readonly result?: unknown; readonly pendingToolCallIds?: readonly string[] },
  ): void;
  /** Ends the run with interrupts; writes the given snapshots before them. Throws without an interrupt. */
  interrupt(
    interrupts: readonly Interrupt[],
    options?: EndOptions & { readonly state?: unknown; readonly messages?: readonly Message[] },
  ): void;
  /** Ends the run as cancelled. */
  cancel(options?: EndOptions): void;
  /** Ends the run with an error. */
  fail(message: string, options?: EndOptions & { readonly code?: string }): void;
  /** True after the run has ended. */
  readonly ended: boolean;
}

/**
 * Creates the emitter of one run.
 *
 * @example
 * ```ts
 * import { createEmitter } from 'holdpoint/protocol';
 *
 * const emitter = createEmitter({ threadId: 't1', runId: 'r1', write: (event) => console.log(event) });
 * const text = emitter.text();
 * text.delta('Hello');
 * emitter.finish();
 * ```
 */
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
      ...defined({ parentRunId, input }),
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
  const finish = (outcome: RunFinishedOutcome, { result, ...rest }: EndOptions & { result?: unknown }) =>
    end({
      type: EventType.RUN_FINISHED,
      threadId,
      runId,
      ...defined({ result }),
      outcome,
      ...endMembers(rest),
    });
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
    finish({ pendingToolCallIds, ...rest } = {}) {
      const pending = pendingToolCallIds && [...pendingToolCallIds];
      finish({ type: 'success', ...defined({ pendingToolCallIds: pending }) }, rest);
    },
    interrupt(interrupts, { state, messages: list, ...rest } = {}) {
      checkInterrupts(interrupts, runId);
      if (phase === 'ended') throw misuse(runId, 'has ended');
      scope.closeAll('interrupt');
      if (state !== undefined) stream.state(state);
      if (list !== undefined) messages(list);
      finish({ type: 'interrupt', interrupts: [...interrupts] }, rest);
    },
    cancel: (rest = {}) => finish({ type: 'cancelled' }, rest),
    fail(message, { code, ...rest } = {}) {
      end({ type: EventType.RUN_ERROR, message, ...defined({ code }), ...endMembers(rest) });
    },
    get ended() {
      return phase === 'ended';
    },
  };
}

function endMembers({ usage, metadata }: EndOptions): { usage?: TokenUsage[]; metadata?: Metadata } {
  return defined({ usage: usage && [...usage], metadata });
}

function checkInterrupts(interrupts: readonly Interrupt[], runId: string): void {
  if (interrupts.length === 0) throw misuse(runId, 'cannot be interrupted without an interrupt');
  const ids = new Set(interrupts.map(({ id }) => id));
  if (ids.size < interrupts.length) throw misuse(runId, 'has two interrupts with one id');
}

function misuse(runId: string, what: string, cause?: unknown): HoldpointError {
  return new HoldpointError('INTERNAL', `The run ${runId} ${what}.`, { cause });
}
