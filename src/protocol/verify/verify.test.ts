import { verifyEvents } from '@ag-ui/client';
import { EventType } from '@ag-ui/core';
import type { BaseEvent } from '@ag-ui/core';
import * as fc from 'fast-check';
import { from } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import { HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import { arbitraryTouchingEvent } from '../testing-support/arbitrary-streams.ts';
import { createVerifier } from './create-verifier.ts';

const START: AgentStreamEvent = { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' };
const FINISH: AgentStreamEvent = { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' };

/** The index of the first event that the official client rejects; undefined when it rejects none. */
function officialRefusal(events: readonly AgentStreamEvent[]): number | undefined {
  let passed = 0;
  let failed = false;
  from(structuredClone(events) as readonly BaseEvent[])
    .pipe(verifyEvents())
    .subscribe({ next: () => (passed += 1), error: () => (failed = true) });
  return failed ? passed : undefined;
}

function refusal(
  events: readonly AgentStreamEvent[],
): { readonly index: number; readonly message: string } | undefined {
  const verifier = createVerifier();
  for (const [index, event] of events.entries()) {
    try {
      verifier.check(event);
    } catch (error) {
      if (!HoldpointError.is(error, 'INPUT_INVALID')) throw error;
      return { index, message: error.message };
    }
  }
  return undefined;
}

function messageOf(...events: AgentStreamEvent[]): string | undefined {
  return refusal([START, ...events])?.message;
}

describe('createVerifier', () => {
  it('rejects every event that the official client rejects', () => {
    let refused = 0;
    const sequence = fc.array(arbitraryTouchingEvent(), { maxLength: 25 });
    fc.assert(
      fc.property(sequence, fc.boolean(), (events, started) => {
        const stream = started ? [START, ...events] : events;
        const theirs = officialRefusal(stream);
        const ours = refusal(stream);
        if (theirs !== undefined) refused += 1;
        if (theirs === undefined) {
          expect(ours).toBeUndefined();
        } else {
          expect(ours?.index).toBe(theirs);
        }
      }),
      { numRuns: runs(500) },
    );
    expect(refused).toBeGreaterThan(runs(160));
  });

  it('accepts several runs in one stream', () => {
    expect(
      refusal([START, FINISH, START, { type: EventType.RUN_ERROR, message: 'x' }, START, FINISH]),
    ).toBeUndefined();
  });

  it('accepts one RUN_ERROR after RUN_FINISHED', () => {
    const error: AgentStreamEvent = { type: EventType.RUN_ERROR, message: 'late' };
    expect(refusal([START, FINISH, error, START, FINISH])).toBeUndefined();
    expect(refusal([START, FINISH, error, error])?.message).toContain('the run has failed');
  });

  it('rejects a second run on another thread', () => {
    const other = { ...START, threadId: 'other', runId: 'r2' } as AgentStreamEvent;
    expect(refusal([START, FINISH, other])?.message).toBe(
      'RUN_STARTED is not allowed here: it names the thread other, the stream is about t.',
    );
  });

  it('accepts a stream of one RUN_ERROR', () => {
    const verifier = createVerifier();
    verifier.check({ type: EventType.RUN_ERROR, message: 'no' });
    expect(() => verifier.end()).not.toThrow();
  });

  it('names both ids when the end belongs to another run', () => {
    expect(messageOf({ ...FINISH, runId: 'other' })).toBe(
      'RUN_FINISHED is not allowed here: it names the run other, the run was started as r.',
    );
    expect(messageOf({ ...FINISH, threadId: 'other' })).toContain('it names the thread other');
  });

  it('rejects two interrupts with one id', () => {
    const interrupts = [
      { id: 'i', reason: 'x' },
      { id: 'i', reason: 'y' },
    ];
    expect(messageOf({ ...FINISH, outcome: { type: 'interrupt', interrupts } })).toContain(
      'two of its interrupts have the id i',
    );
  });

  it('throws RUN_LOST for a stream that ends early', () => {
    const empty = createVerifier();
    expect(() => empty.end()).toThrow('before its run began');
    const truncated = createVerifier();
    truncated.check(START);
    expect(() => truncated.end()).toThrow(expect.objectContaining({ code: 'RUN_LOST' }));
    truncated.check(FINISH);
    expect(() => truncated.end()).not.toThrow();
  });

  it('names the open spans at the end', () => {
    expect(messageOf({ type: EventType.TEXT_MESSAGE_START, messageId: 'm' }, FINISH)).toContain(
      'the text message m is still open',
    );
    expect(messageOf({ type: EventType.STEP_STARTED, stepName: 'plan' }, FINISH)).toContain('the step plan');
  });

  it('rejects chunk events, which must be expanded first', () => {
    expect(messageOf({ type: EventType.TEXT_MESSAGE_CHUNK, messageId: 'm' })).toContain('expanded');
  });
});
