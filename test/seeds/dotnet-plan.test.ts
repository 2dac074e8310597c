/** The examples of "AG-UI Interrupts Implementation Plan" (.NET), with their names and values, in the draft on the wire. */
import { contentAgent } from 'holdpoint';
import type { ContentAgentOptions } from 'holdpoint';
import { createClient } from 'holdpoint/client';
import {
  approvalResponse,
  fromInterrupt,
  inputResponse,
  isFunctionApprovalRequest,
  isFunctionApprovalResponse,
  isTextContent,
  isUserInputRequest,
  isUserInputResponse,
  toInterrupt,
  toResume,
} from 'holdpoint/content';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import type { Interrupt } from 'holdpoint/protocol';
import { createEventReader, createEventWriter, dialectNamed, EventType } from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import { describe, expect, it } from 'vitest';

const APPROVAL = {
  id: 'call-abc',
  payload: {
    functionName: 'get_weather',
    functionArguments: {
      location: 'Seattle',
    },
  },
};
const INPUT = {
  id: 'input-456',
  payload: {
    prompt: 'Please provide your email address',
    inputType: 'email',
  },
};

/** The `interrupt` of RUN_FINISHED in the draft. */
function written(interrupt: Interrupt): unknown {
  const end = { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' } as const;
  const outcome = { type: 'interrupt', interrupts: [interrupt] } as const;
  return createEventWriter('draft')({ ...end, outcome: { ...outcome, interrupts: [interrupt] } })[0]?.[
    'interrupt'
  ];
}

/** Reads RUN_FINISHED and returns its interrupt in AG-UI 1.0. */
function read(end: object): Interrupt | undefined {
  const [event] = createEventReader().read({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', ...end });
  if (event?.type !== EventType.RUN_FINISHED) throw new Error('no end');
  return event.outcome?.type === 'interrupt' ? event.outcome.interrupts[0] : undefined;
}

async function start(dialect: 'draft' | '1.0', run: ContentAgentOptions['run']) {
  const agents = { agent: contentAgent({ id: 'agent', run }) };
  const host = createHost({ logger: false, sweepMs: 0, dialect, store: memoryStore(), agents });
  const { url, close } = await serve(host, { port: 0 });
  const post = async (body: object) => {
    const response = await fetch(`${url}/agents/agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const frames = [...(await response.text()).matchAll(/^data: (.*)$/gm)];
    return JSON.parse(frames.at(-1)?.[1] ?? '{}') as Record<string, unknown>;
  };
  return { post, close, client: createClient({ url: `${url}/agents/agent`, dialect }) };
}

const say = (content: string) => ({
  threadId: 't',
  runId: 'r1',
  messages: [{ id: 'm', role: 'user', content }],
});

describe('Function Approval Interrupts', () => {
  it('FunctionApprovalRequestContent maps to the interrupt of the example', () => {
    const functionCall = {
      type: 'functionCall',
      callId: 'call-abc',
      name: 'get_weather',
      arguments: { location: 'Seattle' },
    } as const;
    const request = { type: 'functionApprovalRequest', id: 'call-abc', functionCall } as const;
    expect(written(toInterrupt(request))).toEqual({ ...APPROVAL, reason: 'tool_call' });
  });
});

describe('User Input Interrupts', () => {
  it.each([
    ['the AGUIInterrupt', INPUT],
    ['the JSON of the payload', INPUT.payload],
  ])(
    'UserInputRequestContent with %s in RawRepresentation maps to the interrupt of the example',
    (_what, raw) => {
      const request = { type: 'userInputRequest', id: 'input-456', rawRepresentation: raw } as const;
      expect(written(toInterrupt(request))).toEqual({ ...INPUT, reason: 'input_required' });
    },
  );
});

describe('Reverse Mapping (AG-UI → MEAI)', () => {
  it.each([
    ['the interrupt itself', (given: typeof APPROVAL | typeof INPUT) => fromInterrupt(given)],
    [
      'the interrupt of an event',
      (given: typeof APPROVAL | typeof INPUT) =>
        fromInterrupt(read({ outcome: 'interrupt', interrupt: given })!),
    ],
  ])('a payload with functionName is an approval, any other is user input: from %s', (_what, from) => {
    expect(from(APPROVAL)).toMatchObject({
      type: 'functionApprovalRequest',
      id: 'call-abc',
      functionCall: { name: 'get_weather', arguments: { location: 'Seattle' } },
    });
    expect(from(INPUT)).toMatchObject({ type: 'userInputRequest', id: 'input-456' });
    for (const given of [APPROVAL, INPUT]) expect(written(toInterrupt(from(given)))).toMatchObject(given);
  });
});

describe('Update RunAgentInput', () => {
  it('responses map to the resume of the draft', () => {
    const base = { threadId: 't', runId: 'r', messages: [], tools: [], context: [] };
    const resumeOf = (entry: ReturnType<typeof toResume>) =>
      dialectNamed('draft').encodeInput({ ...base, resume: [entry] })['resume'];
    const [approval, input] = [fromInterrupt(APPROVAL), fromInterrupt(INPUT)];
    if (!isFunctionApprovalRequest(approval) || !isUserInputRequest(input)) throw new Error('wrong kind');
    expect(resumeOf(toResume(approvalResponse(approval, { approved: true })))).toEqual({
      interruptId: 'call-abc',
      payload: { approved: true },
    });
    expect(resumeOf(toResume(inputResponse(input, 'ana@example.com')))).toEqual({
      interruptId: 'input-456',
      payload: { response: 'ana@example.com' },
    });
  });
});

describe('Backward Compatibility', () => {
  it.each([
    [{}, undefined],
    [{ result: 1 }, undefined],
    [{ interrupt: { id: 'x' } }, 'x'],
  ])('RUN_FINISHED without an outcome: %j has the interrupt %s', (end, id) => {
    expect(read(end)?.id).toBe(id);
  });
});

describe('Sample 1: Interrupts-Based Function Approval', () => {
  it.each([
    ['yes', 'It is sunny in Seattle.'],
    ['no', 'Then I do not look.'],
  ])('the user says %s', async (typed, text) => {
    const { post, close, client } = await start('draft', async function* (messages) {
      const decided = messages.flatMap(({ contents }) => contents).findLast(isFunctionApprovalResponse);
      if (decided?.approved === true) yield { type: 'text', text: 'It is sunny in Seattle.' };
      else if (decided !== undefined) yield { type: 'text', text: 'Then I do not look.' };
      else {
        const functionCall = {
          type: 'functionCall',
          callId: 'call-abc',
          name: 'get_weather',
          arguments: { location: 'Seattle' },
        } as const;
        yield { type: 'functionApprovalRequest', id: 'call-abc', functionCall };
      }
    });
    const asked = await post(say('What is the weather in Seattle?'));
    expect(asked).toMatchObject({ outcome: 'interrupt', interrupt: APPROVAL });
    // Get user approval, and resume with the response.
    const approved = typed === 'yes';
    const resume = { interruptId: 'call-abc', payload: { approved } };
    expect(await post({ threadId: 't', runId: 'r2', resume })).toMatchObject({ outcome: 'success' });
    expect((await client.connect('t').finished).messages.at(-1)?.content).toBe(text);
    await close();
  });
});

describe('Sample 2: User Input Request via Interrupts', () => {
  const subscribe: ContentAgentOptions['run'] = async function* (messages) {
    const input = messages.at(-1)?.contents.find(isUserInputResponse);
    if (input !== undefined) yield { type: 'text', text: `Welcome, ${String(input.value)}.` };
    else
      yield {
        type: 'userInputRequest',
        id: 'input-456',
        responseSchema: { type: 'string', format: 'email' },
        rawRepresentation: INPUT.payload,
      };
  };

  it.each([
    ['the value', 'ana@example.com'],
    ['the value as a client without the schema sends it', { response: 'ana@example.com' }],
  ])('a client of the draft answers with %s', async (_what, payload) => {
    const { post, close, client } = await start('draft', subscribe);
    expect(await post(say('Subscribe me'))).toMatchObject({ outcome: 'interrupt', interrupt: INPUT });
    const wrong = { interruptId: 'input-456', payload: 'ana' };
    expect(await post({ threadId: 't', runId: 'r2', resume: wrong })).toMatchObject({
      code: 'ANSWER_INVALID',
    });
    const resume = { interruptId: 'input-456', payload };
    expect(await post({ threadId: 't', runId: 'r3', resume })).toMatchObject({ outcome: 'success' });
    const { messages } = await client.connect('t').finished;
    expect(messages.at(-1)?.content).toBe('Welcome, ana@example.com.');
    await close();
  });

  it.each(['draft', '1.0'] as const)(
    'content parts carry the request and the response in the dialect %s',
    async (dialect) => {
      const { close, client } = await start(dialect, subscribe);
      let run = client.run({ threadId: 't', messages: 'Subscribe me' });
      let text = '';
      for (;;) {
        let asked: string | undefined;
        let reply: ReturnType<typeof inputResponse> | undefined;
        for await (const { contents } of run) {
          for (const part of contents) {
            if (isTextContent(part)) text += part.text;
            if (!isUserInputRequest(part)) continue;
            asked = part.message;
            expect(part.responseSchema).toEqual({ type: 'string', format: 'email' });
            reply = inputResponse(part, 'ana@example.com');
          }
        }
        if (reply === undefined) break;
        expect(asked).toBe('Please provide your email address');
        run = client.run({ threadId: 't', messages: { role: 'user', contents: [reply] } });
      }
      expect(text).toBe('Welcome, ana@example.com.');
      await close();
    },
  );
});
