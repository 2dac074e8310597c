import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { createEventReader, createEventWriter, EventType, isRunFinished } from '../protocol/index.ts';
import { arbitraryJson, arbitraryJsonObject } from '../protocol/testing-support/arbitrary-events.ts';
import type { FunctionApprovalRequestContent } from './index.ts';
import {
  approvalResponse,
  approvalResponseSchema,
  cancelledResponse,
  fromInterrupt,
  fromResume,
  isFunctionApprovalRequest,
  offersEdits,
  toInterrupt,
  toResume,
} from './index.ts';

const REQUEST: FunctionApprovalRequestContent = {
  type: 'functionApprovalRequest',
  id: 'call-abc',
  functionCall: {
    type: 'functionCall',
    callId: 'call-abc',
    name: 'get_weather',
    arguments: { location: 'Seattle' },
  },
};

const PAYLOAD = { functionName: 'get_weather', functionArguments: { location: 'Seattle' } };

/** The interrupt as a draft client sees it. */
function onDraftWire(interrupt: Interrupt): unknown {
  const [event] = createEventWriter('draft')({
    type: EventType.RUN_FINISHED,
    threadId: 't',
    runId: 'r',
    outcome: { type: 'interrupt', interrupts: [interrupt] },
  });
  return event?.['interrupt'];
}

/** A draft interrupt after it was read. */
function fromDraftWire(interrupt: object): Interrupt {
  const [event] = createEventReader().read({
    type: 'RUN_FINISHED',
    threadId: 't',
    runId: 'r',
    outcome: 'interrupt',
    interrupt,
  });
  if (event === undefined || !isRunFinished(event) || event.outcome?.type !== 'interrupt') throw new Error();
  return event.outcome.interrupts[0]!;
}

function approvalFrom(interrupt: Interrupt, newId?: () => string): FunctionApprovalRequestContent {
  const request = fromInterrupt(interrupt, newId === undefined ? {} : { newId });
  if (!isFunctionApprovalRequest(request)) throw new Error('not an approval');
  return request;
}

describe('toInterrupt of an approval request', () => {
  it('writes the id of the request, the call id, and the function in the metadata', () => {
    expect(toInterrupt(REQUEST)).toEqual({
      id: 'call-abc',
      reason: 'tool_call',
      toolCallId: 'call-abc',
      responseSchema: {
        type: 'object',
        properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
        required: ['approved'],
      },
      metadata: PAYLOAD,
    });
  });

  it('writes the .NET plan’s example in the draft dialect', () => {
    expect(onDraftWire(toInterrupt(REQUEST))).toEqual({
      id: 'call-abc',
      reason: 'tool_call',
      payload: PAYLOAD,
    });
  });

  it('writes the message, the expiry and a schema with edits when the request has them', () => {
    const interrupt = toInterrupt({
      ...REQUEST,
      message: 'Look outside?',
      expiresAt: '2099-01-01T00:00:00Z',
      responseSchema: { ...approvalResponseSchema({ editedArgs: { type: 'object' } }) },
    });
    expect(interrupt).toMatchObject({ message: 'Look outside?', expiresAt: '2099-01-01T00:00:00Z' });
    expect(offersEdits(interrupt)).toBe(true);
    expect(offersEdits(toInterrupt(REQUEST))).toBe(false);
    expect(offersEdits({})).toBe(false);
  });

  it('writes no functionArguments for a call without arguments', () => {
    const { arguments: _none, ...functionCall } = REQUEST.functionCall;
    expect(toInterrupt({ ...REQUEST, functionCall }).metadata).toEqual({ functionName: 'get_weather' });
  });
});

describe('fromInterrupt of an approval', () => {
  it.each([
    ['of the draft', { id: 'call-abc', reason: 'tool_call', metadata: { payload: PAYLOAD } }],
    ['of 1.0', { id: 'call-abc', reason: 'tool_call', metadata: PAYLOAD }],
  ])(
    'reads an interrupt %s as a request with the function, the call id and the interrupt itself',
    (_form, interrupt) => {
      const request = fromInterrupt(interrupt);
      expect(request).toMatchObject(REQUEST);
      expect(request.rawRepresentation).toBe(interrupt);
    },
  );

  it('reads a null function name as empty and missing arguments as no arguments', () => {
    const request = approvalFrom(fromDraftWire({ id: 'x', payload: { functionName: null } }));
    expect(request.functionCall).toEqual({ type: 'functionCall', callId: 'x', name: '' });
    expect(request.functionCall.arguments).toBeUndefined();
  });

  it('reads the reason, message, schema and expiry', () => {
    const interrupt: Interrupt = {
      id: 'i',
      reason: 'tool_call',
      message: 'May I?',
      toolCallId: 'c',
      responseSchema: { type: 'object' },
      expiresAt: '2099-01-01T00:00:00Z',
      metadata: PAYLOAD,
    };
    const { reason, message, responseSchema, expiresAt } = interrupt;
    const request = approvalFrom(interrupt);
    expect(request).toMatchObject({ reason, message, responseSchema, expiresAt });
    expect(request.functionCall.callId).toBe('c');
  });

  it('creates an id for an interrupt without one, and writes its answer without an id', () => {
    let made = 0;
    const interrupt = fromDraftWire({ payload: PAYLOAD });
    const request = approvalFrom(interrupt, () => `made-${(made += 1)}`);
    expect(made).toBe(1);
    expect(request).toMatchObject({ id: 'made-1', functionCall: { callId: 'made-1' } });
    const entry = toResume(approvalResponse(request, { approved: true }));
    expect(entry).toEqual({ interruptId: '', status: 'resolved', payload: { approved: true } });
    expect(toResume(fromResume(entry, request))).toEqual(entry);
    expect(fromResume(entry, request).id).toBe('made-1');
    expect(toInterrupt(request)).toBe(interrupt);
    const { id, type } = fromInterrupt({ id: '', reason: 'x' });
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(type).toBe('userInputRequest');
  });

  it('takes a missing function or missing arguments from the named call', () => {
    const findCall = (id: string) => (id === 'c' ? PAYLOAD : undefined);
    const named: Interrupt = { id: 'i', reason: 'tool_call', toolCallId: 'c' };
    const functionCall = {
      type: 'functionCall',
      callId: 'c',
      name: 'get_weather',
      arguments: { location: 'Seattle' },
    };
    expect(fromInterrupt(named, { findCall })).toMatchObject({ id: 'i', functionCall });
    const half: Interrupt = { ...named, metadata: { functionName: 'get_weather' } };
    expect(fromInterrupt(half, { findCall })).toMatchObject({ functionCall });
    const other = fromInterrupt({ ...named, metadata: { functionName: 'rm' } }, { findCall });
    expect(other).toMatchObject({ functionCall: { name: 'rm' } });
    expect(other).not.toHaveProperty('functionCall.arguments');
    expect(fromInterrupt({ ...named, toolCallId: 'unknown' }, { findCall }).type).toBe('userInputRequest');
  });

  it('writes the original interrupt unless the request has another call now', () => {
    const interrupt: Interrupt = {
      id: 'i',
      reason: 'confirmation',
      message: 'May I?',
      metadata: { payload: { ...PAYLOAD, note: 'kept' }, source: 'kept' },
    };
    const request = approvalFrom(interrupt);
    expect(toInterrupt(request)).toBe(interrupt);
    const functionCall = { ...request.functionCall, arguments: { location: 'Oslo' } };
    const changed = toInterrupt({ ...request, functionCall });
    const details = { functionName: 'get_weather', functionArguments: { location: 'Oslo' } };
    expect(changed).toEqual({
      id: 'i',
      reason: 'confirmation',
      message: 'May I?',
      metadata: { source: 'kept', ...details, payload: { note: 'kept', ...details } },
    });
    const renamed = toInterrupt({ ...request, functionCall: { ...request.functionCall, callId: 'other' } });
    expect(renamed.toolCallId).toBe('other');
  });

  it('restores the same request for any arguments', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), arbitraryJson(), (id, name, args) => {
        fc.pre(id !== '');
        const functionCall = { type: 'functionCall', callId: 'c', name, arguments: args } as const;
        const request = { type: 'functionApprovalRequest', id, functionCall } as const;
        const interrupt = toInterrupt(request);
        const again = fromInterrupt(interrupt);
        expect(again).toMatchObject({ type: request.type, id });
        expect(again).toHaveProperty('functionCall', functionCall);
        expect(toInterrupt(again)).toBe(interrupt);
      }),
    );
  });
});

describe('the answer to an approval', () => {
  const request = approvalFrom(toInterrupt(REQUEST));

  it('writes the decision, its reason and the edited arguments', () => {
    expect(toResume(approvalResponse(request, { approved: false, reason: 'Too cold.' }))).toEqual({
      interruptId: 'call-abc',
      status: 'resolved',
      payload: { approved: false, reason: 'Too cold.' },
    });
    const editedArgs = { location: 'Oslo' };
    const entry = toResume(approvalResponse(request, { approved: true, editedArgs }));
    expect(entry.payload).toEqual({ approved: true, editedArgs });
    expect(toResume(approvalResponse(REQUEST, { approved: true }))).toEqual({
      interruptId: 'call-abc',
      status: 'resolved',
      payload: { approved: true },
    });
  });

  it.each([
    [{ approved: true }, true],
    [{ accepted: true }, true],
    [{ approved: true, accepted: true }, true],
    [{ approved: true, accepted: false }, false],
    [{ approved: false, accepted: true }, false],
    [{ approved: 'true' }, false],
    [{ approved: 1 }, false],
    [{}, false],
    [null, false],
    [true, false],
    ['approved', false],
    [[{ approved: true }], false],
    [undefined, false],
    [{ approved: true, editedArgs: 'location=Oslo' }, false],
    [{ approved: true, editedArgs: null }, true],
    [Object.create({ approved: true }), false],
  ])('reads %j as approved: %s', (payload: unknown, approved) => {
    const response = fromResume({ interruptId: 'call-abc', status: 'resolved', payload }, request);
    expect(response).toMatchObject({ type: 'functionApprovalResponse', id: 'call-abc', approved });
    expect(response.functionCall).toBe(request.functionCall);
    expect(response).not.toHaveProperty('cancelled');
  });

  it('reads a reason and edits of the right type, and keeps additional members', () => {
    const entry: ResumeEntry = {
      interruptId: 'call-abc',
      status: 'resolved',
      payload: {
        approved: true,
        reason: 7,
        editedArgs: { location: 'Oslo' },
        modifications: { dryRun: true },
      },
    };
    const response = fromResume(entry, request);
    expect(response).toEqual({
      type: 'functionApprovalResponse',
      id: 'call-abc',
      approved: true,
      functionCall: request.functionCall,
      editedArgs: { location: 'Oslo' },
      additionalProperties: { modifications: { dryRun: true } },
      rawRepresentation: entry,
    });
    expect(response.rawRepresentation).toBe(entry);
  });

  it('marks a cancelled entry, which is not a rejection on the wire', () => {
    const entry: ResumeEntry = { interruptId: 'call-abc', status: 'cancelled', payload: { approved: true } };
    const response = fromResume(entry, request);
    expect(response).toMatchObject({ approved: false, cancelled: true });
    const bare = { interruptId: 'call-abc', status: 'cancelled' };
    expect(toResume(response)).toEqual(bare);
    expect(toResume(cancelledResponse(request))).toEqual(bare);
  });

  it('approves nothing without the request, and rejects the answer to another request', () => {
    const entry: ResumeEntry = { interruptId: 'other', status: 'resolved', payload: { approved: true } };
    expect(fromResume(entry)).toEqual({
      type: 'userInputResponse',
      id: 'other',
      value: { approved: true },
      rawRepresentation: entry,
    });
    expect(() => fromResume(entry, request)).toThrow(
      'The answer is for the interrupt other, not for call-abc.',
    );
  });

  it('restores the same response with its metadata', () => {
    const decision = fc.record(
      {
        approved: fc.boolean(),
        reason: fc.string(),
        editedArgs: arbitraryJsonObject(),
        modifications: arbitraryJson(),
      },
      { requiredKeys: ['approved'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(
        decision,
        fc.option(fc.constant({ by: 'ada' }), { nil: undefined }),
        (payload, metadata) => {
          const entry: ResumeEntry = {
            interruptId: 'call-abc',
            status: 'resolved',
            payload,
            ...(metadata === undefined ? {} : { metadata }),
          };
          expect(toResume(fromResume(entry, request))).toEqual(entry);
        },
      ),
    );
  });
});
