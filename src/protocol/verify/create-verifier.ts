import type { RunFinishedEvent, RunStartedEvent } from '@ag-ui/core';
import { HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { interruptsOf } from '../interrupts/interrupt.ts';
import { broken, SPAN_KINDS, spanOf } from './span.ts';
import { createOwnerRules } from './owner-rules.ts';
import type { Span } from './span.ts';

/** Verifies one stream of a producer or a consumer; expand chunk events first. */
export interface Verifier {
  /** Throws `INPUT_INVALID` with the rule that the event breaks. */
  check(event: AgentStreamEvent): void;
  /** Ends the stream. Throws `RUN_LOST` when the run has not ended. */
  end(): void;
}

/**
 * Creates a verifier, a state machine of a run: RUN_STARTED (or RUN_ERROR) first, only an error or another run after the
 * end, messages and calls closed before RUN_FINISHED, matching ids, and one owner for each step, subagent, message and
 * call. `docs/protocol.md` lists where it is stricter than `@ag-ui/client`.
 *
 * @example
 * ```ts
 * import { createVerifier } from 'holdpoint/protocol';
 *
 * const verifier = createVerifier();
 * for (const event of events) verifier.check(event);
 * verifier.end();
 * ```
 */
export function createVerifier(): Verifier {
  const rules = createOwnerRules();
  let phase: 'before' | 'running' | 'finished' | 'failed' = 'before';
  let run: RunStartedEvent | undefined;
  let open = new Map<string, Set<string>>();

  const assertAllowed = (event: AgentStreamEvent, span: Span | undefined) => {
    const { type } = event;
    if (phase !== 'running') {
      if (type === 'RUN_STARTED') return assertThread(event);
      if (type === 'RUN_ERROR' && phase !== 'failed') return;
      throw broken(
        event,
        phase === 'before' ? 'the first event must be RUN_STARTED' : `the run has ${phase}`,
      );
    }
    if (type === 'RUN_STARTED') throw broken(event, 'the run before it is still active');
    if (type.endsWith('_CHUNK')) throw broken(event, 'chunks are expanded before they are verified');
    if (type === 'RUN_FINISHED') assertComplete(event);
    if (span === undefined) return;
    const { kind, id, does } = span;
    const isOpen = open.get(kind)?.has(id) === true;
    if (does === 'open' && isOpen) throw broken(event, `the ${kind} ${id} is already open`);
    if (does !== 'open' && !isOpen) throw broken(event, `no ${kind} ${id} is open`);
  };

  const assertThread = (event: RunStartedEvent | RunFinishedEvent) => {
    if (run === undefined || event.threadId === run.threadId) return;
    throw broken(event, `it names the thread ${event.threadId}, the stream is about ${run.threadId}`);
  };

  const assertComplete = (event: RunFinishedEvent) => {
    assertThread(event);
    if (event.runId !== run?.runId) {
      throw broken(event, `it names the run ${event.runId}, the run was started as ${run?.runId}`);
    }
    for (const [kind, ids] of open) {
      if (ids.size > 0) throw broken(event, `the ${kind} ${[...ids].join(', ')} is still open`);
    }
  };

  return {
    check(event) {
      const span = spanOf(event);
      assertAllowed(event, span);
      rules.check(event, span);
      if (event.type === 'RUN_STARTED') {
        run = event;
        open = new Map(Object.values(SPAN_KINDS).map((kind) => [kind, new Set()]));
        phase = 'running';
      } else if (event.type === 'RUN_FINISHED') {
        assertDifferent(event);
        phase = 'finished';
      } else if (event.type === 'RUN_ERROR') {
        phase = 'failed';
      } else if (span?.does === 'open') {
        open.get(span.kind)?.add(span.id);
      } else if (span?.does === 'close') {
        open.get(span.kind)?.delete(span.id);
      }
    },
    end() {
      if (phase === 'finished' || phase === 'failed') return;
      const where = phase === 'before' ? 'before its run began' : `in the middle of run ${run?.runId}`;
      throw new HoldpointError('RUN_LOST', `The stream ended ${where}.`);
    },
  };
}

function assertDifferent(event: RunFinishedEvent): void {
  const ids = interruptsOf(event).map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw broken(event, `two of its interrupts have the id ${repeated}`);
}
