import { expect, it } from 'vitest';
import type { Message } from '../../protocol/index.ts';
import type { GivenAnswer } from '../interrupt/card-status.ts';
import { callsMade } from './read-messages.ts';
import type { InterruptEntry } from './records.ts';
import { answersOfPeople } from './show-tool-call.ts';

const CALL: readonly Message[] = [
  { id: 'm1', role: 'user', content: 'delete old users' },
  {
    id: 'm2',
    role: 'assistant',
    toolCalls: [{ id: 'c', type: 'function', function: { name: 'wipe', arguments: '{"rows":42}' } }],
  },
  { id: 'm3', role: 'tool', toolCallId: 'c', content: 'ok' },
];

const record = (answered: GivenAnswer, functionArguments: object = { rows: 42 }): InterruptEntry => ({
  interrupt: {
    id: 'i',
    reason: 'tool_call',
    toolCallId: 'c',
    responseSchema: {
      type: 'object',
      properties: {
        approved: { type: 'boolean' },
        editedArgs: { type: 'object', properties: { dryRun: { type: 'boolean' } } },
      },
    },
    metadata: { functionName: 'wipe', functionArguments },
  },
  status: 'resolved',
  answered,
  waitingFor: undefined,
  mayWithdraw: false,
});
const approved = (more: object = {}): GivenAnswer => ({
  status: 'resolved',
  payload: { approved: true, ...more },
});

it.each<readonly [string, readonly InterruptEntry[], number]>([
  ['runs without an approval', [], 1],
  ['is approved', [record(approved())], 1],
  [
    'is approved and then has a question that is cancelled',
    [record(approved()), record({ status: 'cancelled' })],
    1,
  ],
  ['is rejected', [record({ status: 'resolved', payload: { approved: false } })], 0],
  ['is cancelled', [record({ status: 'cancelled' })], 0],
  ['is withdrawn', [record({ status: 'cancelled', withdrawn: true })], 0],
  ['expires', [record({ status: 'resolved', payload: { approved: false }, via: 'expiry' })], 0],
  ['is approved as a trial run', [record(approved({ modifications: { dryRun: true } }))], 0],
  ['asks for a trial run itself', [record(approved(), { dryRun: true })], 0],
  [
    'asks for a trial run that the approver changes',
    [record(approved({ editedArgs: { dryRun: false } }), { dryRun: true })],
    1,
  ],
])('a call that %s counts as made only if it can have changed something', (_name, records, count) => {
  expect(callsMade(CALL, records)).toHaveLength(count);
});

it('counts the answers of people: an expiry and a grant are no answers', () => {
  const expired: GivenAnswer = { status: 'cancelled', via: 'expiry', askedAgain: true };
  const granted: GivenAnswer = { ...approved(), via: 'grant' };
  expect(answersOfPeople([record(expired), record(approved())])).toBe(1);
  expect(answersOfPeople([record(granted), record(approved())])).toBe(1);
  expect(answersOfPeople([record(approved()), record({ status: 'cancelled' })])).toBe(2);
});
