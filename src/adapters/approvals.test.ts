import { expect, it } from 'vitest';
import { approve, cancel, reject } from '../content/index.ts';
import { approvalInterrupt, decisionOf } from './approvals.ts';

const interrupt = approvalInterrupt({ id: 'i', name: 'pay', args: {}, editedArgs: { type: 'object' } });
const answeredBy = { id: 'bob', scope: 'a' };

it.each([
  [approve(interrupt, { editedArgs: { amount: 2 } }), {}, { approved: true, editedArgs: { amount: 2 } }],
  [reject(interrupt, 'no'), {}, { approved: false, reason: 'no' }],
  [reject(interrupt), {}, { approved: false }],
  [cancel(interrupt), {}, { approved: false, reason: 'Cancelled: nobody answered.' }],
  [cancel(interrupt), { answeredBy }, { approved: false, reason: 'Cancelled by bob.' }],
  [
    cancel(interrupt, { reason: 'Not now.' }),
    { answeredBy },
    { approved: false, reason: 'Cancelled by bob. Not now.' },
  ],
  [
    cancel(interrupt),
    { answeredBy, isWithdrawn: () => true },
    { approved: false, reason: 'Withdrawn by the asker.' },
  ],
])('decisionOf reads %o with %o as %o', (entry, context, decision) => {
  expect(decisionOf(entry, context)).toEqual(decision);
});
