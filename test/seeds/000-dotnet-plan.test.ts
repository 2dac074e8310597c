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
import type { DraftInterrupt, Interrupt } from 'holdpoint/protocol';
import {
  createEventReader,
  createEventWriter,
  dialectNamed,
  EventType,
  protocolJsonSchema,
  RunFinishedOutcome,
} from 'holdpoint/protocol';
import { memoryStore } from 'holdpoint/store/memory';
import { describe, expect, it } from 'vitest';
import { walkSeed } from './walk.ts';

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

const HERE = 'test/seeds/000-dotnet-plan.test.ts';

walkSeed('000', '.NET plan: AG-UI Interrupts Implementation Plan', ({ line, held }) => {
  line('1', '`RUN_FINISHED` with `outcome: "interrupt"` and one `interrupt`', async () => {
    const { post, close } = await start('draft', async function* () {
      yield { type: 'userInputRequest', id: 'input-456', rawRepresentation: INPUT.payload };
    });
    expect(await post(say('Hi'))).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: 'interrupt',
      interrupt: INPUT,
    });
    await close();
  });
  line('2', '`RunFinished`: `outcome`, `result` and `interrupt` are optional', () => {
    for (const end of [{}, { result: 1 }, { outcome: 'success' }]) expect(read(end)).toBeUndefined();
    expect(read({ outcome: 'interrupt' })?.id).toBe('');
  });
  line('3', '`resume {interruptId, payload}` in a body with nothing else', async () => {
    const { post, close } = await start('1.0', async function* (messages) {
      const given = messages.at(-1)?.contents.find(isUserInputResponse);
      if (given === undefined)
        yield { type: 'userInputRequest', id: 'input-456', rawRepresentation: INPUT.payload };
      else yield { type: 'text', text: String(given.value) };
    });
    await post(say('Hi'));
    const resume = { interruptId: 'input-456', payload: 'ana@example.com' };
    expect(await post({ threadId: 't', runId: 'r2', resume })).toMatchObject({ type: 'RUN_FINISHED' });
    await close();
  });
  held(
    '4',
    'JSON of a function approval: `call-abc`, `functionName`, `functionArguments`',
    HERE,
    'maps to the interrupt of the example',
    'an agent with a model adds `prompt` and `responseSchema` to the payload',
  );
  held(
    '5',
    'JSON of a user input: `input-456`, `prompt`, `inputType`',
    HERE,
    'in RawRepresentation maps to the interrupt of the example',
  );
  held(
    '6',
    'Reverse mapping: `functionName` is an approval, any other payload is user input',
    HERE,
    'a payload with functionName is an approval, any other is user input',
  );
  held(
    '7',
    '`RawRepresentation` is the original, in both forms',
    'src/content/user-input.test.ts',
    'returns the interrupt that the request was made from',
  );
  held(
    '8',
    'The interrupt id is the approval id',
    'src/content/function-approval.test.ts',
    'writes the id of the request, the call id, and the function in the metadata',
    'an id that is used again on a thread is published under a new one',
  );
  held(
    '9',
    'Two kinds of interrupt, no further content class',
    'src/content/chat-content.ts',
    'export interface UserInputRequestContent',
  );
  held('10', 'Step04: tools that ask, beside interrupts', 'examples/README.md', '](04-', 'example 04');
  line('11', '`Outcome`, `Interrupt` and the outcome constants', () => {
    expect(RunFinishedOutcome).toMatchObject({ Success: 'success', Interrupt: 'interrupt' });
  });
  line(
    '12',
    '`AGUIInterrupt { Id?, Payload? }`',
    () => {
      const interrupt: DraftInterrupt = { payload: INPUT.payload };
      expect(fromInterrupt(interrupt)).toMatchObject({ type: 'userInputRequest' });
    },
    '`DraftInterrupt`',
  );
  held(
    '13',
    '`AGUIResume { InterruptId?, Payload? }`',
    'test/forms-of-servers.test.ts',
    'takes the answer of the draft as the draft writes it',
    '`DraftAnswer`; an answer must name its interrupt',
  );
  line(
    '14',
    'Serialization context',
    () => {
      expect(protocolJsonSchema()).toHaveProperty('$defs');
    },
    '`protocolJsonSchema`',
  );
  held(
    '15',
    'Events to contents',
    HERE,
    'content parts carry the request and the response in the dialect %s',
  );
  held('16', 'Contents to events', HERE, 'maps to the interrupt of the example');
  held('17', 'Responses to `resume`', HERE, 'responses map to the resume of the draft');
  held(
    '18',
    'An interrupted run is no error',
    'src/client/run.test.ts',
    'ends with interrupts and resumes with answers',
  );
  held(
    '19',
    'Resume from an option, `agui_resume`',
    'test/forms-of-servers.test.ts',
    "client.run({ threadId: 't', resume: { interruptId, payload } })",
    '`client.run({ threadId, resume: { interruptId, payload } })`',
  );
  held(
    '20',
    'The thread id is kept over interrupt and resume',
    'src/client/run.test.ts',
    'with the same thread, a new run id and all messages',
  );
  held(
    '21',
    'Five helpers: `ToAGUIInterrupt`, `FromAGUIInterrupt`, `ToAGUIResume`',
    HERE,
    'responses map to the resume of the draft',
    '`toInterrupt`, `fromInterrupt`, `toResume`',
  );
  held(
    '22',
    'Server: the resume becomes response content in the messages',
    'src/engine/agent/content-agent.test.ts',
    'gets the answer as a response part before it runs again',
  );
  held(
    '23',
    'Server: interrupt content becomes `RUN_FINISHED`',
    'src/engine/agent/content-agent.test.ts',
    'pauses at a request part',
  );
  held(
    '24',
    '`MapAGUIAgent("/api/agent", agent)`',
    'src/host/mounting.test.ts',
    'serves runs, answers and connect of one agent at the path that it is mounted at',
    '`agentRoute`',
  );
  held(
    '25',
    'The named serialization tests (8)',
    'src/protocol/dialects/round-trip.test.ts',
    'reads the end of an interrupted run as it was written',
  );
  held(
    '26',
    'The named mapping tests (8)',
    'src/content/function-approval.test.ts',
    'restores the same request for any arguments',
  );
  held(
    '27',
    'The named integration tests (7)',
    'src/host/dialects.test.ts',
    'approves, rejects and edits',
    'several interrupts of one turn come one after the other on the draft wire',
  );
  held(
    '28',
    'Step09 server: the policy `RequireApproval`',
    'src/engine/calls/approval.test.ts',
    'asks for one for every call whose tool is not exempt',
    "`approval: 'require'`",
  );
  held(
    '29',
    'Step09: a wrapper agent that asks for approval',
    'src/engine/agent/content-agent.test.ts',
    'stops the agent before the call and raises an interrupt',
    '`withApproval` wraps agents that show their calls before they run them; it rejects others, with the reason',
  );
  line(
    '30',
    'Step09 client: `update.RawRepresentation is RunFinishedEvent { Outcome: "interrupt" }`',
    async () => {
      const { client, close } = await start('draft', async function* () {
        yield { type: 'userInputRequest', id: 'input-456', rawRepresentation: INPUT.payload };
      });
      const seen: unknown[] = [];
      for await (const { rawRepresentation } of client.run({ threadId: 't', messages: 'Hi' }))
        if (rawRepresentation['outcome'] === 'interrupt') seen.push(rawRepresentation['interrupt']);
      expect(seen).toMatchObject([INPUT]);
      await close();
    },
  );
  held(
    '31',
    'Step10 server: `UserInputRequestAgent(innerAgent)`',
    HERE,
    'a client of the draft answers with %s',
    'a content agent around an inner one',
  );
  held(
    '32',
    'Step10 client: reads the prompt, answers with a text',
    HERE,
    'content parts carry the request and the response in the dialect %s',
    'without a schema the agent gets `{response: text}`',
  );
  held('33', 'The two samples', 'examples/README.md', '](09-interrupts-approval)', 'examples 09 and 10');
  held(
    '34',
    'Four rules of backward compatibility',
    HERE,
    'RUN_FINISHED without an outcome: %j has the interrupt %s',
  );
  held(
    '35',
    'An invalid resume',
    'src/host/dialects.test.ts',
    'a client of each dialect gets the error of an invalid answer and keeps its interrupt',
  );
  held(
    '36',
    'The state is the same across the boundary',
    'src/host/foreign-agents.test.ts',
    'are the same before and after each pause, in process and after a restart',
  );
  line('37', 'Rapid cycles of interrupt and resume', async () => {
    let asked = 0;
    const { post, close } = await start('draft', async function* () {
      if (asked < 30) yield { type: 'userInputRequest', id: `q${asked}`, rawRepresentation: INPUT.payload };
      else yield { type: 'text', text: 'Done.' };
    });
    let last = await post(say('Go'));
    for (let cycle = 0; cycle < 30; cycle += 1) {
      expect(last).toMatchObject({ outcome: 'interrupt', interrupt: { id: `q${cycle}` } });
      asked += 1;
      last = await post({
        threadId: 't',
        runId: `r${cycle}`,
        resume: { interruptId: `q${cycle}`, payload: 'x' },
      });
    }
    expect(last).toMatchObject({ outcome: 'success' });
    await close();
  });
  held(
    '38',
    'Open question: a timeout',
    'src/runs/interrupt-rules.test.ts',
    'expire after the default time unless they set their own',
    'keep, deny, cancel or a fixed answer; a late answer is `INTERRUPT_EXPIRED`',
  );
  held(
    '39',
    'Open question: a history',
    'src/ledger/ledger.test.ts',
    'is recorded with payload, author, way and latency',
  );
  held('40', 'Open question: cancellation', 'src/host/dialects.test.ts', 'cancels an interrupt');
  held(
    '41',
    'Open question: further content types',
    'src/content/content-registry.test.ts',
    'createContentRegistry',
  );
  held(
    '42',
    'Documents; no further dependency and no custom content types',
    'docs/content.md',
    'rawRepresentation',
  );
});
