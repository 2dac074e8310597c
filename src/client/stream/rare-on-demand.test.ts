import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import { messageOf } from '../../core/index.ts';
import { createApplierWith } from '../../protocol/apply/index.ts';
import type { Applier, AgentStreamEvent } from '../../protocol/index.ts';
import { createApplier, createVerifier, EventType } from '../../protocol/index.ts';
import { arbitraryTouchingEvent } from '../../protocol/testing-support/arbitrary-streams.ts';
import { loadForEvent, partsOnDemand } from './rare-on-demand.ts';
import type { VerifyEvent } from './verifier-on-demand.ts';
import { createVerifierOnDemand } from './verifier-on-demand.ts';

const START: AgentStreamEvent = { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' };
const streams = fc.array(arbitraryTouchingEvent(), { maxLength: 25 }).map((events) => [START, ...events]);

async function verdicts(verify: VerifyEvent, events: readonly AgentStreamEvent[]): Promise<string[]> {
  const found: string[] = [];
  for (const event of events) {
    try {
      await verify(event);
    } catch (error) {
      found.push(messageOf(error));
    }
  }
  return found;
}

async function outcome(applier: Applier, events: readonly AgentStreamEvent[]): Promise<unknown> {
  for (const event of events) {
    await loadForEvent(event);
    applier.apply(event);
  }
  return { messages: applier.messages, state: applier.state };
}

describe('what is loaded with the first event that needs it', () => {
  it('verifies as if it had been there from the start', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(streams, async (events) => {
        const found = await verdicts(createVerifierOnDemand(), events);
        if (found.length > 0) refused += 1;
        const whole = createVerifier();
        expect(found).toEqual(await verdicts(async (event) => whole.check(event), events));
      }),
      { numRuns: runs(200) },
    );
    expect(refused).toBeGreaterThan(runs(60));
  });

  it('applies as if it had been there from the start', async () => {
    await fc.assert(
      fc.asyncProperty(streams, async (events) => {
        const [ours, theirs]: [string[], string[]] = [[], []];
        const onDemand = createApplierWith(partsOnDemand, { onWarning: (warning) => ours.push(warning) });
        const whole = createApplier({ onWarning: (warning) => theirs.push(warning) });
        const copy = structuredClone(events);
        expect(await outcome(onDemand, events)).toEqual(await outcome(whole, copy));
        expect(ours).toEqual(theirs);
      }),
    );
  });
});
