import { describe, expect, it } from 'vitest';
import { dataPart, textPart } from '../parts.ts';
import { ASKS, DONE, executor, WORKING } from '../testing-support/executors.ts';
import { useBridge } from '../testing-support/use-bridge.ts';

const { start } = useBridge();

/** Asks with these parts and keeps the parts of the answer. */
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

describe('an input request', () => {
  it('an input request in text gets an answer in text', async () => {
    const answered: unknown[] = [];
    const { thread } = await start(asks([textPart('Which colour?')], answered));
    const paused = await thread.say('go');
    expect(paused.interrupts).toMatchObject([
      { message: 'Which colour?', responseSchema: { type: 'string' } },
    ]);
    expect((await thread.answer(paused, 'red')).outcome).toBe('success');
    expect(answered).toEqual([{ $case: 'text', value: 'red' }]);
  });

  it('an input request without parts gets an answer in text', async () => {
    const answered: unknown[] = [];
    const { thread } = await start(asks(undefined, answered));
    const paused = await thread.say('go');
    expect(paused.interrupts[0]?.message).toBe('The agent a2a asks for input.');
    expect((await thread.answer(paused, 'red')).outcome).toBe('success');
    expect(answered).toEqual([{ $case: 'text', value: 'red' }]);
  });

  it('an input request of several ADK calls gets a function response for each call', async () => {
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

  it('an input request of Mastra gets the payload as its first data part', async () => {
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

  it.each([
    [
      'ADK',
      [
        dataPart(
          {
            id: 'c1',
            name: 'adk_request_confirmation',
            args: { originalFunctionCall: { id: 'o', name: 'pay', args: { amount: 5 } } },
          },
          longRunning,
        ),
      ],
      { confirmed: false },
    ],
    [
      'Mastra',
      [
        textPart('Additional input is required to continue this task.'),
        dataPart({
          suspendPayload: { toolCallId: 'c', toolName: 'pay', args: { amount: 5 } },
          resumeSchema: '{}',
        }),
      ],
      { approved: false },
    ],
  ] as const)(
    'the approval of a call of %s names the call and its arguments, and only approved: true approves',
    async (_name, parts, refusal) => {
      const answered: { value?: { response?: unknown } }[] = [];
      const { thread } = await start(asks([...parts] as ReturnType<typeof dataPart>[], answered));
      const paused = await thread.say('go');
      expect(paused.interrupts).toMatchObject([
        {
          reason: 'confirmation',
          message: 'May pay go ahead?',
          metadata: { toolName: 'pay', toolInput: { amount: 5 } },
        },
      ]);
      await thread.answer(paused, { approved: false, reason: 'no' });
      expect(answered.map(({ value }) => value?.response ?? value)).toEqual([refusal]);
    },
  );

  it('an input request of another form is read and answered by a given dialect', async () => {
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
