import { describe, expect, it } from 'vitest';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import {
  answer,
  answerEffect,
  approvalResponseSchema,
  approve,
  cancel,
  checkAnswer,
  isApproved,
  offersRemember,
  reject,
  responseSchemaOf,
  withoutRemember,
} from './index.ts';

const resolved = (payload: unknown): ResumeEntry => ({ interruptId: 'q', status: 'resolved', payload });

describe('isApproved', () => {
  it('approves only with the boolean true, with and without a schema', () => {
    for (const value of [true]) expect(isApproved({ approved: value })).toBe(true);
    expect(isApproved({ accepted: true })).toBe(true);
    for (const value of ['true', 'yes', 1, {}, [true], null, undefined, false]) {
      expect([value, isApproved({ approved: value })]).toEqual([value, false]);
      expect([value, isApproved({ approved: true, accepted: value })]).toEqual([value, false]);
    }
    for (const payload of [true, 'approved', null, undefined, [], {}])
      expect(isApproved(payload)).toBe(false);
    expect(isApproved(Object.create({ approved: true }))).toBe(false);
  });
});

describe('responseSchemaOf', () => {
  const own = { type: 'string', format: 'email' };
  const text = { type: 'string' };
  const file = {
    type: 'object',
    format: 'file',
    properties: { fileId: { type: 'string' }, name: { type: 'string' } },
    required: ['fileId'],
  };
  const prompt = (inputType: string) => ({ payload: { prompt: 'Please', inputType } });

  it.each<[string, Omit<Interrupt, 'id'>, object]>([
    ['its own schema', { reason: 'upload_required', responseSchema: own }, own],
    ['an approval for a decision', { reason: 'human_approval' }, { required: ['approved'] }],
    ['a text for an input', { reason: 'input_required' }, text],
    ['a text for a message', { reason: 'acme:note', message: 'Which one?' }, text],
    ['a text for a prompt', { reason: 'acme:note', metadata: prompt('') }, text],
    ['the input type of a prompt', { reason: 'x', metadata: prompt('email') }, { ...text, ...own }],
    ['a number', { reason: 'x', metadata: prompt('number') }, { ...text, type: 'number' }],
    ['a file for an upload', { reason: 'upload_required' }, file],
    [
      'a file with its limits',
      { reason: 'x', metadata: { payload: { inputType: 'file', accept: '.pdf', maxBytes: 9 } } },
      { ...file, accept: '.pdf', maxBytes: 9 },
    ],
    [
      'modifications for a change of a database',
      { reason: 'database_modification', metadata: { payload: { action: 'DELETE' } } },
      { properties: { approved: {}, modifications: { type: 'object' } } },
    ],
    [
      'the modifications that a payload proposes, with their values',
      {
        reason: 'human_approval',
        metadata: { payload: { modifications: { batchSize: 10, dryRun: true, where: { type: 'soft' } } } },
      },
      {
        properties: {
          modifications: {
            type: 'object',
            properties: {
              batchSize: { type: 'number', default: 10 },
              dryRun: { type: 'boolean', default: true },
              where: { properties: { type: { type: 'string', default: 'soft' } } },
            },
          },
        },
      },
    ],
    [
      'the modifications that a payload describes by a schema',
      {
        reason: 'database_modification',
        metadata: { payload: { modifications: { batchSize: { type: 'integer', minimum: 1 } } } },
      },
      { properties: { modifications: { properties: { batchSize: { type: 'integer', minimum: 1 } } } } },
    ],
    ['any JSON for an unknown reason', { reason: 'acme:sign_off' }, {}],
    ['any JSON for a tool', { reason: 'confirmation', message: 'Go?', metadata: { toolName: 't' } }, {}],
  ])('is %s', (_what, interrupt, schema) => {
    const found = responseSchemaOf({ id: 'i', ...interrupt });
    expect(found).toMatchObject(schema);
    if (Object.keys(schema).length === 0) expect(found).toEqual({});
  });
});

describe('answerEffect', () => {
  it.each([
    ['approval', { approved: true }, { type: 'run', resumed: { approved: true } }],
    ['approval', { approved: 'true' }, { type: 'rejected', reason: undefined }],
    ['approval', { approved: false, reason: 'no' }, { type: 'rejected', reason: 'no' }],
    ['approval', null, { type: 'rejected', reason: undefined }],
    ['respond', 0, { type: 'output', value: 0 }],
    ['restart', false, { type: 'run', resumed: false }],
    ['ask', undefined, { type: 'replay', value: null }],
    [
      'recovery',
      { action: 'retry', editedArgs: { a: 1 } },
      { type: 'run', resumed: undefined, editedArgs: { a: 1 } },
    ],
    ['recovery', { action: 'skip' }, { type: 'output', value: null }],
    ['recovery', { action: 'abort' }, { type: 'abort' }],
    ['recovery', { action: 'restart' }, { type: 'replay-answers' }],
    ['recovery', 'retry', { type: 'cancelled' }],
  ] as const)('maps, for the kind %s, the answer %j to its effect', (kind, payload, effect) => {
    expect(answerEffect(kind, resolved(payload))).toEqual(effect);
  });

  it('returns cancelled for every cancelled entry, whatever its payload', () => {
    for (const kind of ['approval', 'respond', 'restart', 'ask', 'recovery'] as const) {
      const entry: ResumeEntry = { interruptId: 'q', status: 'cancelled', payload: { approved: true } };
      expect(answerEffect(kind, entry)).toEqual({ type: 'cancelled' });
    }
  });
});

describe('replies', () => {
  const approval: Interrupt = {
    id: 'q',
    reason: 'tool_call',
    responseSchema: { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] },
  };
  const input: Interrupt = { id: 'q', reason: 'input_required', responseSchema: { type: 'string' } };

  it('throws ANSWER_INVALID from approve and reject for an interrupt that is not an approval', () => {
    expect(approve({ interrupt: approval }, { reason: 'fine' })).toEqual(
      resolved({ approved: true, reason: 'fine' }),
    );
    // Options cannot override the decision.
    expect(approve(approval, { approved: false })).toEqual(resolved({ approved: true }));
    expect(reject(approval, 'no')).toEqual(resolved({ approved: false, reason: 'no' }));
    for (const write of [approve, reject]) expect(() => write(input)).toThrow('is not an approval');
    expect(cancel(input)).toEqual({ interruptId: 'q', status: 'cancelled' });
  });

  it('checks an answer against its interrupt', () => {
    expect(checkAnswer(input, answer(input, ''))).toEqual([]);
    expect(checkAnswer(input, answer(input, 7))).toMatchObject([{ pointer: '' }]);
    expect(checkAnswer(input, cancel(input))).toEqual([]);
  });
});

describe('the offer to remember', () => {
  const ours = {
    id: 'q',
    reason: 'tool_call',
    responseSchema: { ...approvalResponseSchema({ remember: true }) },
  };

  it('is removed from an interrupt of a foreign agent, and other members stay', () => {
    const { responseSchema } = withoutRemember(ours);
    expect(offersRemember(ours)).toBe(true);
    expect(offersRemember({ responseSchema })).toBe(false);
    expect(responseSchema).toEqual(approvalResponseSchema());
  });

  it('leaves a member remember of another form as it is', () => {
    const schema = { type: 'object', properties: { approved: {}, remember: { type: 'boolean' } } };
    const foreign = { ...ours, responseSchema: schema };
    expect(offersRemember(foreign)).toBe(false);
    expect(withoutRemember(foreign)).toBe(foreign);
  });
});
