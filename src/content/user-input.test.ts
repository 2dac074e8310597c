import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { createEventWriter, EventType } from '../protocol/index.ts';
import { arbitraryJson } from '../protocol/testing-support/arbitrary-events.ts';
import type { UserInputRequestContent } from './index.ts';
import {
  cancelledResponse,
  contentsToResume,
  fromInterrupt,
  fromResume,
  inputResponse,
  isUserInputRequest,
  toInterrupt,
  toResume,
} from './index.ts';

const PAYLOAD = { prompt: 'Please provide your email address', inputType: 'email' };
const INTERRUPT: Interrupt = { id: 'input-456', reason: 'input_required', metadata: { payload: PAYLOAD } };
const BARE: UserInputRequestContent = { type: 'userInputRequest', id: 'input-456' };

function inputFrom(interrupt: Interrupt): UserInputRequestContent {
  const request = fromInterrupt(interrupt);
  if (!isUserInputRequest(request)) throw new Error('not a request for input');
  return request;
}

describe('toInterrupt of a user-input request', () => {
  it('returns the interrupt that the request was made from', () => {
    expect(toInterrupt({ ...BARE, rawRepresentation: INTERRUPT })).toBe(INTERRUPT);
  });

  it('writes other JSON as the payload, as in the .NET plan’s example in the draft dialect', () => {
    const interrupt = toInterrupt({ ...BARE, rawRepresentation: PAYLOAD });
    expect(interrupt).toEqual(INTERRUPT);
    expect(interrupt.metadata?.['payload']).toBe(PAYLOAD);
    const [event] = createEventWriter('draft')({
      type: EventType.RUN_FINISHED,
      threadId: 't',
      runId: 'r',
      outcome: { type: 'interrupt', interrupts: [interrupt] },
    });
    expect(event?.['interrupt']).toEqual({ id: 'input-456', reason: 'input_required', payload: PAYLOAD });
  });

  it('writes an interrupt of the draft as it went in, and adds the schema of the request', () => {
    const draft = { id: 'input-456', payload: PAYLOAD };
    const responseSchema = { type: 'string', format: 'email' };
    const part = fromInterrupt(draft);
    expect(part).toMatchObject({ type: 'userInputRequest', id: 'input-456', message: PAYLOAD.prompt });
    expect(part.rawRepresentation).toBe(draft);
    const written = [part, { ...BARE, rawRepresentation: draft, responseSchema }].map((request) => {
      const interrupts = [toInterrupt(request)];
      const end = { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' } as const;
      return createEventWriter('draft')({ ...end, outcome: { type: 'interrupt', interrupts } })[0]?.[
        'interrupt'
      ];
    });
    expect(written).toEqual([
      { ...draft, reason: 'input_required' },
      { ...draft, reason: 'input_required', payload: { ...PAYLOAD, responseSchema } },
    ]);
    expect(draft).toEqual({ id: 'input-456', payload: PAYLOAD });
  });

  it('fits a text to the schema that a draft interrupt carries in its payload', () => {
    const responseSchema = { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] };
    const part = fromInterrupt({ id: 'i', payload: { ...PAYLOAD, responseSchema } });
    if (!isUserInputRequest(part)) throw new Error('not a request for input');
    expect(toResume(inputResponse(part, 'a@b.com')).payload).toEqual({ email: 'a@b.com' });
  });

  it.each([
    0,
    false,
    '',
    null,
    [],
    'text',
    { id: 7, reason: 'x' },
    { payload: 1 },
    { id: 'x', payload: 1, more: 2 },
  ])('writes %j as the payload', (raw) => {
    expect(toInterrupt({ ...BARE, rawRepresentation: raw }).metadata).toEqual({ payload: raw });
  });

  it('writes an interrupt with an id only for an empty request', () => {
    expect(toInterrupt(BARE)).toEqual({ id: 'input-456', reason: 'input_required' });
  });

  it('leaves out a raw representation that is not JSON', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const raw of [new Map(), () => 1, Symbol('x'), Number.NaN, new Date(0), cycle, { deep: [10n] }]) {
      expect(toInterrupt({ ...BARE, rawRepresentation: raw })).not.toHaveProperty('metadata');
    }
  });

  it('writes the reason, message, schema and expiry of the request', () => {
    const fields = {
      reason: 'upload_required',
      message: 'A file, please.',
      responseSchema: { type: 'string' },
      expiresAt: '2099-01-01T00:00:00Z',
    };
    expect(toInterrupt({ ...BARE, ...fields })).toEqual({ id: 'input-456', ...fields });
  });
});

describe('fromInterrupt of an interrupt that is not an approval', () => {
  it.each<unknown>([undefined, PAYLOAD, [{ functionName: 'x' }], 'functionName', 7, null])(
    'reads the payload %j as a user-input request with the interrupt itself',
    (payload) => {
      const interrupt: Interrupt = {
        id: 'i',
        reason: 'input_required',
        ...(payload === undefined ? {} : { metadata: { payload } }),
      };
      const request = fromInterrupt(interrupt);
      expect(request).toMatchObject({ type: 'userInputRequest', id: 'i' });
      expect(request.rawRepresentation).toBe(interrupt);
      expect(toInterrupt(request)).toBe(interrupt);
    },
  );

  it('reads the message, which in the draft is the prompt', () => {
    expect(inputFrom(INTERRUPT).message).toBe('Please provide your email address');
    expect(inputFrom({ ...INTERRUPT, message: 'Your email?' }).message).toBe('Your email?');
  });
});

describe('the answer to a user-input request', () => {
  const interrupt: Interrupt = { ...INTERRUPT, responseSchema: { type: 'string', format: 'email' } };

  it('writes its JSON value, and no payload without a value', () => {
    const payload = { email: 'ada@example.com' };
    expect(toResume(inputResponse(BARE, payload)).payload).toBe(payload);
    expect(toResume(inputResponse(BARE))).toEqual({ interruptId: 'input-456', status: 'resolved' });
    expect(toResume(inputResponse(BARE, null))).toEqual({
      interruptId: 'input-456',
      status: 'resolved',
      payload: null,
    });
    expect(toResume({ type: 'userInputResponse', id: 'x', rawRepresentation: payload }).payload).toBe(
      payload,
    );
    expect(toResume({ type: 'userInputResponse', id: 'x', rawRepresentation: 'as is' }).payload).toBe(
      'as is',
    );
  });

  it('converts a string to the schema of the given interrupt, else of the original one', () => {
    expect(toResume(inputResponse(BARE, 'ada@example.com')).payload).toEqual({ response: 'ada@example.com' });
    expect(toResume(inputResponse(BARE, 'ada@example.com'), interrupt).payload).toBe('ada@example.com');
    expect(toResume(inputResponse(inputFrom(interrupt), 'ada@example.com')).payload).toBe('ada@example.com');
    const other = {
      ...interrupt,
      responseSchema: { type: 'object', properties: { email: { type: 'string' } } },
    };
    expect(toResume(inputResponse(inputFrom(interrupt), 'a@b.c'), other).payload).toEqual({ email: 'a@b.c' });
  });

  it('never writes the payload of the interrupt as the answer', () => {
    expect(toResume(inputResponse({ ...BARE, rawRepresentation: PAYLOAD }))).not.toHaveProperty('payload');
    expect(toResume(inputResponse(inputFrom(INTERRUPT)))).not.toHaveProperty('payload');
  });

  it('writes a cancelled response as a cancelled entry', () => {
    const entry: ResumeEntry = { interruptId: 'input-456', status: 'cancelled' };
    expect(toResume(cancelledResponse(BARE))).toEqual(entry);
    const response = fromResume(entry, BARE);
    expect(response).toEqual({ ...response, type: 'userInputResponse', id: 'input-456', cancelled: true });
    expect(response.rawRepresentation).toBe(entry);
  });

  it('writes no id for an interrupt without an id', () => {
    const request = inputFrom({ id: '', reason: 'input_required' });
    expect(request.id).not.toBe('');
    expect(toResume(inputResponse(request, 7))).toEqual({ interruptId: '', status: 'resolved', payload: 7 });
    expect(toResume(cancelledResponse(request))).toEqual({ interruptId: '', status: 'cancelled' });
  });

  it('restores the same response, strings included', () => {
    fc.assert(
      fc.property(fc.option(arbitraryJson(), { nil: undefined }), fc.boolean(), (payload, known) => {
        const entry: ResumeEntry = {
          interruptId: 'input-456',
          status: 'resolved',
          ...(payload === undefined ? {} : { payload }),
        };
        const response = fromResume(entry, known ? BARE : undefined);
        expect(response.value).toBe(payload);
        expect(response.rawRepresentation).toBe(entry);
        expect(toResume(response)).toEqual(entry);
      }),
    );
  });

  it('collects the responses among other parts for the next run', () => {
    const resume = contentsToResume(
      [{ type: 'text', text: 'Here you are.' }, inputResponse(BARE, 'a@b.c'), BARE],
      [{ ...interrupt, id: 'other' }, interrupt],
    );
    expect(resume).toEqual([{ interruptId: 'input-456', status: 'resolved', payload: 'a@b.c' }]);
  });
});
