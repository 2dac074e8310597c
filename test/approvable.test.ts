/** Client, content parts and card must agree whether an interrupt can be approved. */
import * as fc from 'fast-check';
import { approve as approveOfClient, reject as rejectOfClient } from 'holdpoint/client';
import { approve as approveOfContent, isApprovable, reject as rejectOfContent } from 'holdpoint/content';
import type { Interrupt } from 'holdpoint/protocol';
import { describe, expect, it } from 'vitest';
import { cardFacts } from '../src/elements/interrupt/card-facts.ts';

const PLAIN = { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };
const EMAIL = { type: 'string', format: 'email' };

function isTaken(write: (interrupt: Interrupt) => unknown, interrupt: Interrupt): boolean {
  try {
    write(interrupt);
    return true;
  } catch {
    return false;
  }
}

describe('an interrupt', () => {
  it.each<[string, Interrupt, boolean]>([
    ['whose schema has approved', { id: 'q', reason: 'x', responseSchema: PLAIN }, true],
    ['that asks for an e-mail address', { id: 'q', reason: 'input_required', responseSchema: EMAIL }, false],
    [
      'that asks for an e-mail address in the name of a tool',
      {
        id: 'q',
        reason: 'tool_call',
        toolCallId: 'c',
        responseSchema: EMAIL,
        metadata: { functionName: 'f' },
      },
      false,
    ],
    ['with a message and no schema', { id: 'q', reason: 'input_required', message: 'Your e-mail?' }, false],
    ['about a call, without a schema', { id: 'q', reason: 'tool_call', toolCallId: 'c' }, true],
    [
      'that names a function, without a schema',
      { id: 'q', reason: 'x', metadata: { functionName: 'f' } },
      true,
    ],
    [
      'of the draft’s minimal example',
      {
        id: 'int-abc123',
        reason: 'human_approval',
        metadata: { payload: { proposal: { tool: 'sendEmail', args: { to: 'a@b.com' } } } },
      },
      true,
    ],
    [
      'of the draft’s complex example',
      { id: 'approval-001', reason: 'database_modification', metadata: { payload: { action: 'DELETE' } } },
      true,
    ],
    ['that a policy holds, without a schema', { id: 'q', reason: 'policy_hold' }, true],
    ['that asks to confirm, without a schema', { id: 'q', reason: 'confirmation', message: 'Go on?' }, true],
    [
      'of a tool that calls ctx.interrupt, without a schema',
      { id: 'q', reason: 'confirmation', message: 'Go on?', metadata: { toolName: 'pay' } },
      false,
    ],
    ['that wants a file', { id: 'q', reason: 'upload_required' }, false],
  ])('%s: client, content and card agree whether it can be approved', (_name, interrupt, expected) => {
    expect(isApprovable(interrupt)).toBe(expected);
    expect(isTaken(approveOfClient, interrupt)).toBe(expected);
    expect(isTaken(approveOfContent, interrupt)).toBe(expected);
    expect(cardFacts(interrupt).isApproval).toBe(expected);
  });

  it('client, content and card agree whether an interrupt of any kind is approvable', () => {
    const details = fc.constantFrom<object>({ functionName: 'f' }, { other: 1 }, {});
    const metadata = fc.oneof(
      details,
      details.map((payload) => ({ payload })),
    );
    const interrupts = fc.record(
      {
        id: fc.constant('q'),
        reason: fc.constantFrom('tool_call', 'input_required', 'human_approval', 'confirmation'),
        toolCallId: fc.constant('c'),
        responseSchema: fc.constantFrom<object>(PLAIN, EMAIL, {}, { properties: { email: EMAIL } }),
        metadata,
      },
      { requiredKeys: ['id', 'reason'] },
    );
    fc.assert(
      fc.property(interrupts, (given) => {
        const interrupt = given as Interrupt;
        const writers = [approveOfClient, rejectOfClient, approveOfContent, rejectOfContent];
        const taken = new Set([
          ...writers.map((write) => isTaken(write, interrupt)),
          cardFacts(interrupt).isApproval,
        ]);
        expect([...taken]).toEqual([isApprovable(interrupt)]);
      }),
    );
  });
});
