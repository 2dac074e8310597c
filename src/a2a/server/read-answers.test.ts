import type { Part } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import type { Interrupt } from '../../protocol/index.ts';
import { a2aMessage, dataPart, responsePart, textPart } from '../parts.ts';
import { readAnswers, requestIdOf } from './read-answers.ts';

const OBJECT = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const APPROVAL = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
};
const interrupt = (id: string, responseSchema?: object): Interrupt => ({
  id,
  reason: 'input_required',
  ...(responseSchema === undefined ? {} : { responseSchema }),
});

/** A function response of an ADK client. */
const functionResponse = (id: string, response: object): Part =>
  dataPart({ id, name: 'adk_request_input', response }, { adk_type: 'function_response' });

async function read(parts: readonly Part[], open: readonly Interrupt[]) {
  const result = await readAnswers(a2aMessage({ messageId: 'm', role: 'user' }, parts), open);
  return result.type === 'rejected' ? 'rejected' : result.entries.map(({ payload }) => payload);
}

describe('readAnswers', () => {
  it.each<[string, object | undefined, Part, unknown]>([
    ['a data part as the object', OBJECT, dataPart({ name: 'x' }), { name: 'x' }],
    ['a data part as the approval', APPROVAL, dataPart({ approved: true }), { approved: true }],
    ['a data part that is not an object', { type: 'integer' }, dataPart(5), 5],
    ['the value in a data part', { type: 'integer' }, dataPart({ value: 5 }), 5],
    ['a data part of the wrong shape', OBJECT, dataPart({ nom: 'x' }), 'rejected'],
    ['the JSON of an object', OBJECT, textPart('{"name":"x"}'), { name: 'x' }],
    ['a text for the only member', OBJECT, textPart('x'), { name: 'x' }],
    ['a text that looks like JSON for the only member', OBJECT, textPart('{x'), { name: '{x' }],
    ['the JSON of an approval', APPROVAL, textPart('{"approved":true}'), { approved: true }],
    ['a text that is no approval', APPROVAL, textPart('yes'), 'rejected'],
    ['JSON with a member twice', OBJECT, textPart('{"name":"x","name":"y"}'), 'rejected'],
    ['a number in a text', { type: 'integer' }, textPart('5'), 5],
    ['a text that is JSON where a string is asked for', { type: 'string' }, textPart('{"a":1}'), '{"a":1}'],
    ['a text without a schema', undefined, textPart('5'), '5'],
  ])('readAnswers reads %s', async (_name, schema, part, expected) => {
    const result = await read([part], [interrupt('one', schema)]);
    expect(result).toEqual(expected === 'rejected' ? expected : [expected]);
  });

  it.each<[string, object, object, unknown]>([
    ['a confirmation', APPROVAL, { confirmed: true }, { approved: true }],
    ['a refusal', APPROVAL, { confirmed: false }, { approved: false }],
    ['a confirmation that is not boolean', APPROVAL, { confirmed: 'true' }, { approved: false }],
    ['an object', OBJECT, { name: 'x' }, { name: 'x' }],
    ['an object as JSON', OBJECT, { response: '{"name":"x"}' }, { name: 'x' }],
    ['a value', { type: 'string' }, { result: 'x' }, 'x'],
  ])('readAnswers reads %s of an ADK client', async (_name, schema, response, expected) => {
    const part = functionResponse(await requestIdOf('one'), response);
    expect(await read([part], [interrupt('one', schema)])).toEqual([expected]);
    expect(await read([functionResponse('another', response)], [interrupt('one', schema)])).toBe('rejected');
  });

  it('readAnswers needs the id of the request where several interrupts are open', async () => {
    const open = [interrupt('one', OBJECT), interrupt('two', OBJECT)];
    const named = await Promise.all(
      open.map(async ({ id }) => responsePart({ requestId: await requestIdOf(id), values: { name: id } })),
    );
    expect(await read(named.toReversed(), open)).toEqual([{ name: 'one' }, { name: 'two' }]);
    const [first = textPart('')] = named;
    for (const part of [dataPart({ name: 'x' }), textPart('x'), responsePart({ values: { name: 'x' } })]) {
      expect(await read([part], open)).toBe('rejected');
      expect(await read([first, part], open)).toBe('rejected');
    }
  });

  it('readAnswers prefers a data part to a text', async () => {
    const parts = [textPart('{"name":"text"}'), dataPart({ name: 'data' })];
    expect(await read(parts, [interrupt('one', OBJECT)])).toEqual([{ name: 'data' }]);
  });
});
