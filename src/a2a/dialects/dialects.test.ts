import { describe, expect, it } from 'vitest';
import { fieldsToSchema, fromValues, schemaToFields, toValues } from '../fields.ts';
import { dataPart, textPart } from '../parts.ts';
import { ASKS, DONE, executor, WORKING } from '../testing-support/executors.ts';
import { useBridge } from '../testing-support/use-bridge.ts';

const { start } = useBridge();

/** Asks with these parts, and keeps the parts of what it is answered. */
function asks(
  parts: Parameters<typeof textPart>[0][] | ReturnType<typeof dataPart>[] | undefined,
  answered: unknown[],
) {
  return executor((speaker) => {
    speaker.task(WORKING);
    if (speaker.request.task === undefined) {
      speaker.status(ASKS, parts as ReturnType<typeof dataPart>[] | undefined);
      return;
    }
    answered.push(
      ...speaker.request.userMessage.parts.map(({ content, metadata }) => ({
        ...content,
        ...(metadata === undefined ? {} : { metadata }),
      })),
    );
    speaker.status(DONE);
  });
}

const longRunning = { adk_type: 'function_call', adk_is_long_running: true };

describe('an agent that asks', () => {
  it('in words is answered in words', async () => {
    const answered: unknown[] = [];
    const { thread } = await start(asks([textPart('Which colour?')], answered));
    const paused = await thread.say('go');
    expect(paused.interrupts).toMatchObject([
      { message: 'Which colour?', responseSchema: { type: 'string' } },
    ]);
    expect((await thread.answer(paused, 'red')).outcome).toBe('success');
    expect(answered).toEqual([{ $case: 'text', value: 'red' }]);
  });

  it('nothing at all is answered in words', async () => {
    const answered: unknown[] = [];
    const { thread } = await start(asks(undefined, answered));
    const paused = await thread.say('go');
    expect(paused.interrupts[0]?.message).toBe('The agent a2a asks for input.');
    expect((await thread.answer(paused, 'red')).outcome).toBe('success');
    expect(answered).toEqual([{ $case: 'text', value: 'red' }]);
  });

  it('as the ADK does, several at once, is answered for all of them', async () => {
    const answered: unknown[] = [];
    const calls = [
      dataPart({ id: 'c1', name: 'refund', args: { amount: 5 } }, longRunning),
      dataPart(
        { id: 'c2', name: 'adk_request_confirmation', args: { toolConfirmation: { hint: 'Sure?' } } },
        longRunning,
      ),
    ];
    const { thread } = await start(asks(calls, answered));
    const paused = await thread.say('go');
    expect(paused.interrupts).toMatchObject([
      {
        message: 'refund asks for input.',
        metadata: { request: { id: 'c1', name: 'refund', args: { amount: 5 } } },
      },
      { message: 'Sure?', reason: 'confirmation' },
    ]);
    const [first, second] = paused.interrupts;
    const one = { interruptId: first!.id, status: 'resolved' as const, payload: { status: 'approved' } };
    expect((await thread.resume([one])).error?.code).toBe('INTERRUPTS_UNANSWERED');
    const end = await thread.resume([
      one,
      { interruptId: second!.id, status: 'resolved', payload: { approved: true } },
    ]);
    expect(end.outcome).toBe('success');
    const metadata = { adk_type: 'function_response' };
    expect(answered).toEqual([
      { $case: 'data', value: { id: 'c1', name: 'refund', response: { status: 'approved' } }, metadata },
      {
        $case: 'data',
        value: { id: 'c2', name: 'adk_request_confirmation', response: { confirmed: true } },
        metadata,
      },
    ]);
  });

  it('as Mastra does is answered with the whole of the first data part', async () => {
    const answered: unknown[] = [];
    const resumeSchema = JSON.stringify({
      type: 'object',
      properties: { ok: { type: 'boolean' } },
      required: ['ok'],
    });
    const { thread } = await start(
      asks([dataPart({ suspendPayload: { why: 'x' }, resumeSchema })], answered),
    );
    const paused = await thread.say('go');
    expect((await thread.answer(paused, { ok: 'yes' })).error?.code).toBe('ANSWER_INVALID');
    expect((await thread.answer(paused, { ok: true })).outcome).toBe('success');
    expect(answered).toEqual([{ $case: 'data', value: { ok: true } }]);
  });

  it('in a way of its own is read and answered by its own dialect', async () => {
    const answered: unknown[] = [];
    const { thread } = await start(asks([dataPart({ please: 'number' })], answered), {
      dialects: [
        {
          name: 'please',
          read: (message) =>
            message.parts.some(({ content }) => content?.$case === 'data')
              ? [{ request: { please: 'number' }, responseSchema: { type: 'number' } }]
              : undefined,
          write: ([answer]) => [dataPart({ number: answer?.payload })],
        },
      ],
    });
    expect((await thread.answer(await thread.say('go'), 5)).outcome).toBe('success');
    expect(answered).toEqual([{ $case: 'data', value: { number: 5 } }]);
  });
});

describe('fields', () => {
  it('become a schema, however they are listed', () => {
    const schema = {
      type: 'object',
      properties: { size: { type: 'integer', title: 'Size', enum: [1, 2] }, note: { type: 'string' } },
      required: ['size'],
      additionalProperties: false,
    };
    const size = { type: 'integer', label: 'Size', required: true, options: [{ value: 1, label: 'one' }, 2] };
    expect(fieldsToSchema([{ name: 'size', ...size }, { name: 'note' }])).toEqual(schema);
    expect(fieldsToSchema({ size, note: {} })).toEqual(schema);
    expect(fieldsToSchema(schema)).toBe(schema);
    expect([fieldsToSchema([]), fieldsToSchema(undefined), fieldsToSchema('x')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are read off a schema, and a value that is no object travels under a name', () => {
    expect(
      schemaToFields({
        type: 'object',
        properties: { pin: { type: 'string', format: 'password' } },
        required: ['pin'],
      }),
    ).toEqual([{ name: 'pin', type: 'string', format: 'password', required: true, secret: true }]);
    expect(schemaToFields({ type: 'string' })).toEqual([{ name: 'value', type: 'string', required: true }]);
    for (const [schema, payload] of [
      [{ type: 'string' }, 'x'],
      [{}, { value: 1 }],
      [{ type: 'object' }, { value: 1 }],
    ] as const) {
      expect(fromValues(schema, toValues(schema, payload))).toEqual(payload);
    }
  });
});
