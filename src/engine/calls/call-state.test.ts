import { expect, it } from 'vitest';
import { callState } from './call-state.ts';
import { createRecovery } from './checkpoints.ts';

const pending = [{ kind: 'approval', interrupt: { id: 'q', reason: 'tool_call' } }];
const stored = { status: 'waiting', questions: pending, input: {} };
const expected = { status: 'waiting', interrupts: pending, input: {} };

it('callState reads the member questions of earlier versions as interrupts', () => {
  const call = { id: 'c', type: 'function' as const, function: { name: 'pay', arguments: '{}' } };
  expect(callState({ ...call, metadata: { holdpoint: stored } })).toEqual(expected);
});

it('createRecovery reads the member questions of earlier versions as interrupts', () => {
  expect(createRecovery(new Map([['c', stored]])).outcomeOf('c')).toEqual(expected);
});
