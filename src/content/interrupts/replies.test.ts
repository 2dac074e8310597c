import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { HoldpointError } from '../../core/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { approvalOf } from '../../protocol/index.ts';
import { approve } from './replies.ts';

function isRefused(interrupt: Interrupt): boolean {
  try {
    approve(interrupt);
    return false;
  } catch (error) {
    if (HoldpointError.is(error, 'ANSWER_INVALID')) return true;
    throw error;
  }
}

it('approves an interrupt without a schema only if its reason asks for an approval', () => {
  const details = fc.constantFrom<object>({ functionName: 'f' }, { functionName: null }, { other: 1 }, {});
  const metadata = fc.oneof(
    details,
    details.map((payload) => ({ payload })),
    fc.constant({ payload: 'text' }),
  );
  const interrupts = fc.record(
    {
      id: fc.constant('q'),
      reason: fc.constantFrom('tool_call', 'input_required'),
      toolCallId: fc.constant('c'),
      metadata,
    },
    { requiredKeys: ['id', 'reason'] },
  );
  fc.assert(
    fc.property(interrupts, (interrupt: Interrupt) => {
      const approval = approvalOf(interrupt, (functionName) => ({ functionName }));
      expect(isRefused(interrupt)).toBe(approval === undefined);
    }),
  );
});
