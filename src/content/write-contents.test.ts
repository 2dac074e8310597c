import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentStreamEvent, Emitter, ResumeEntry } from '../protocol/index.ts';
import {
  createApplier,
  createEmitter,
  createEventReader,
  createEventWriter,
  createVerifier,
  decodeInput,
  dialectNamed,
  EventType,
} from '../protocol/index.ts';
import { arbitraryJsonObject } from '../protocol/testing-support/arbitrary-events.ts';
import type { ChatContent, FunctionApprovalRequestContent, UserInputRequestContent } from './index.ts';
import {
  approvalResponse,
  contentsToMessages,
  contentsToResume,
  createContentReader,
  createContentRegistry,
  createContentWriter,
  fromResume,
  inputResponse,
  isFunctionApprovalRequest,
  isUserInputRequest,
  writeContents,
} from './index.ts';

const APPROVAL: FunctionApprovalRequestContent = {
  type: 'functionApprovalRequest',
  id: 'call-abc',
  functionCall: {
    type: 'functionCall',
    callId: 'call-abc',
    name: 'get_weather',
    arguments: { location: 'Seattle' },
  },
};
const INPUT: UserInputRequestContent = {
  type: 'userInputRequest',
  id: 'input-456',
  rawRepresentation: { prompt: 'Please provide your email address', inputType: 'email' },
};

/** Records a run and verifies the order of its events. */
function record(run: (emitter: Emitter) => void): AgentStreamEvent[] {
  const events: AgentStreamEvent[] = [];
  const verifier = createVerifier();
  let next = 0;
  const emitter = createEmitter({
    threadId: 't',
    runId: 'r',
    newId: () => `id-${(next += 1)}`,
    write: (event) => {
      verifier.check(event);
      events.push(event);
    },
  });
  run(emitter);
  return events;
}

const types = (events: readonly AgentStreamEvent[]) => events.map(({ type }) => type);

describe('writeContents', () => {
  it('joins pieces of text to one message, and writes calls and results as tool events', () => {
    const events = record((emitter) => {
      writeContents(emitter, [
        { type: 'text', text: 'Let me ' },
        { type: 'text', text: 'look.' },
        { type: 'functionCall', callId: 'call-abc', name: 'get_weather', arguments: { location: 'Seattle' } },
        { type: 'functionResult', callId: 'call-abc', result: { celsius: 7 } },
        { type: 'text', text: 'Cold.' },
      ]);
      emitter.finish();
    });
    expect(events).toMatchInlineSnapshot(`
      [
        {
          "protocolVersion": "1.0",
          "runId": "r",
          "threadId": "t",
          "type": "RUN_STARTED",
        },
        {
          "messageId": "id-1",
          "role": "assistant",
          "type": "TEXT_MESSAGE_START",
        },
        {
          "delta": "Let me ",
          "messageId": "id-1",
          "type": "TEXT_MESSAGE_CONTENT",
        },
        {
          "delta": "look.",
          "messageId": "id-1",
          "type": "TEXT_MESSAGE_CONTENT",
        },
        {
          "messageId": "id-1",
          "type": "TEXT_MESSAGE_END",
        },
        {
          "parentMessageId": "id-1",
          "toolCallId": "call-abc",
          "toolCallName": "get_weather",
          "type": "TOOL_CALL_START",
        },
        {
          "delta": "{"location":"Seattle"}",
          "toolCallId": "call-abc",
          "type": "TOOL_CALL_ARGS",
        },
        {
          "toolCallId": "call-abc",
          "type": "TOOL_CALL_END",
        },
        {
          "content": "{"celsius":7}",
          "messageId": "id-2",
          "role": "tool",
          "toolCallId": "call-abc",
          "type": "TOOL_CALL_RESULT",
        },
        {
          "messageId": "id-3",
          "role": "assistant",
          "type": "TEXT_MESSAGE_START",
        },
        {
          "delta": "Cold.",
          "messageId": "id-3",
          "type": "TEXT_MESSAGE_CONTENT",
        },
        {
          "messageId": "id-3",
          "type": "TEXT_MESSAGE_END",
        },
        {
          "outcome": {
            "type": "success",
          },
          "runId": "r",
          "threadId": "t",
          "type": "RUN_FINISHED",
        },
      ]
    `);
  });

  it('closes open messages and ends the run with an interrupt, once', () => {
    const events = record((emitter) => {
      emitter.step('plan');
      emitter.text({ messageId: 'open' }).delta('One moment');
      writeContents(emitter, [{ type: 'reasoning', text: 'hm' }, APPROVAL]);
      expect(emitter.ended).toBe(true);
      expect(() => emitter.finish()).toThrow('has ended');
    });
    expect(types(events)).toEqual([
      'RUN_STARTED',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect(events.at(-1)).toMatchObject({
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: 'call-abc',
            metadata: { functionName: 'get_weather', functionArguments: { location: 'Seattle' } },
          },
        ],
      },
    });
  });

  it('raises several interrupts together, after all other parts', () => {
    const events = record((emitter) =>
      writeContents(emitter, [APPROVAL, { type: 'text', text: 'And one more.' }, INPUT]),
    );
    expect(types(events).filter((type) => type === EventType.RUN_FINISHED)).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: {
        interrupts: [
          { id: 'call-abc' },
          { id: 'input-456', reason: 'input_required', metadata: { payload: INPUT.rawRepresentation } },
        ],
      },
    });
  });

  it('writes the same events piece by piece and at once, and allows end() twice', () => {
    const contents: ChatContent[] = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'reasoning', text: 'c', protectedData: 'sealed' },
      INPUT,
    ];
    const streamed = record((emitter) => {
      const writer = createContentWriter(emitter);
      for (const content of contents) writer.write(content);
      writer.end();
      writer.end();
    });
    expect(streamed).toEqual(record((emitter) => writeContents(emitter, contents)));
  });

  it('does not end the run without a request', () => {
    record((emitter) => {
      writeContents(emitter, [{ type: 'text', text: 'a' }]);
      expect(emitter.ended).toBe(false);
    });
  });

  it('fails the run with an error part and raises no interrupt', () => {
    const events = record((emitter) => {
      writeContents(emitter, [
        INPUT,
        { type: 'text', text: 'x' },
        { type: 'error', message: 'No.', code: 'TOOL_FAILED' },
      ]);
      expect(emitter.ended).toBe(true);
    });
    expect(types(events).slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_ERROR']);
    expect(events.at(-1)).toMatchObject({ message: 'No.', code: 'TOOL_FAILED' });
  });

  it('leaves out responses', () => {
    const response = approvalResponse(APPROVAL, { approved: true });
    expect(types(record((emitter) => writeContents(emitter, [response])))).toEqual([]);
  });

  it('rejects media parts with INPUT_INVALID', () => {
    const image: ChatContent = { type: 'image', source: { type: 'url', value: 'x' } };
    record((emitter) => {
      expect(() => writeContents(emitter, [image])).toThrow('cannot carry a part of type image');
    });
  });

  it('throws when the run has ended, so that no interrupt is lost', () => {
    record((emitter) => {
      emitter.finish();
      expect(() => writeContents(emitter, [INPUT])).toThrow('has ended');
    });
  });

  it('writes events that read back as the same parts', () => {
    const args = arbitraryJsonObject();
    const text = fc.string({ minLength: 1 });
    const part: fc.Arbitrary<ChatContent> = fc.oneof(
      fc.record({ type: fc.constant('text' as const), text }),
      fc.record({ type: fc.constant('reasoning' as const), text }),
      fc.record({ type: fc.constant('functionResult' as const), callId: text, result: args }),
    );
    const call = fc.record({ name: text, arguments: args });
    fc.assert(
      fc.property(fc.array(fc.oneof(part, call), { maxLength: 8 }), (drawn) => {
        const contents = drawn.map((one, index): ChatContent =>
          'type' in one ? one : { type: 'functionCall', callId: `call ${index}`, ...one },
        );
        const events = record((emitter) => writeContents(emitter, contents));
        const reader = createContentReader();
        const read = events.flatMap((event) => reader.read(event).contents);
        expect(read.map(({ rawRepresentation: _raw, ...rest }) => rest)).toEqual(contents);
      }),
    );
  });

  it('writes events that build the same messages as contentsToMessages', () => {
    const contents: ChatContent[] = [
      { type: 'reasoning', text: 'hm', protectedData: 'sealed' },
      { type: 'text', text: 'Two at once.' },
      { type: 'functionCall', callId: 'c1', name: 'f', arguments: { n: 1 } },
      { type: 'functionCall', callId: 'c2', name: 'g' },
      { type: 'functionResult', callId: 'c1', result: [1] },
      { type: 'functionResult', callId: 'c2', result: 'done' },
      { type: 'functionCall', callId: 'c3', name: 'f' },
      { type: 'functionCall', callId: 'c4', name: 'g' },
      { type: 'text', text: 'And two more.' },
    ];
    const applier = createApplier();
    for (const event of record((emitter) => writeContents(emitter, contents))) applier.apply(event);
    const nameless = (messages: readonly { id: string }[]) => messages.map(({ id: _id, ...rest }) => rest);
    expect(nameless(applier.messages)).toEqual(nameless(contentsToMessages('assistant', contents)));
  });
});

describe('an interrupt and its answer over the wire', () => {
  it.each(['1.0', 'draft', 'snake'] as const)(
    'writes and reads back an interrupt and its answer in the dialect %s',
    (name) => {
      for (const request of [APPROVAL, INPUT]) {
        // The server's agent raises an interrupt.
        const write = createEventWriter(name);
        const wire = record((emitter) => writeContents(emitter, [request])).flatMap((event) => write(event));

        // The client reads the interrupt and answers it.
        const reader = createEventReader();
        const contents = createContentReader();
        const parts = (JSON.parse(JSON.stringify(wire)) as object[])
          .flatMap((event) => reader.read(event))
          .flatMap((event) => contents.read(event).contents);
        const answers = parts.flatMap((part): ChatContent[] => {
          if (isFunctionApprovalRequest(part)) return [approvalResponse(part, { approved: true })];
          return isUserInputRequest(part) ? [inputResponse(part, 'ada@example.com')] : [];
        });
        expect(answers).toHaveLength(1);

        // The server reads the answer to its recorded request.
        const input = { threadId: 't', runId: 'r2', messages: [], tools: [], context: [] };
        const body = dialectNamed(name).encodeInput({ ...input, resume: contentsToResume(answers) });
        const { resume = [] } = decodeInput(JSON.parse(JSON.stringify(body)), name).input;
        const [entry] = resume as [ResumeEntry];
        const response = fromResume(entry, request);
        expect(response).toMatchObject(
          request === APPROVAL
            ? { type: 'functionApprovalResponse', id: 'call-abc', approved: true }
            : { type: 'userInputResponse', id: 'input-456', value: { response: 'ada@example.com' } },
        );
      }
    },
  );
});

describe('results as state', () => {
  it('replaces or patches the shared state with the hooks of the registry', () => {
    const registry = createContentRegistry({
      mapResultAsStateSnapshot: ({ callId, result }) => (callId === 'all' ? result : undefined),
      mapResultAsStateDelta: ({ callId, result }) =>
        callId === 'some' ? [{ op: 'add', path: '/some', value: result }] : undefined,
    });
    const contents: ChatContent[] = ['all', 'some', 'none'].map((callId) => ({
      type: 'functionResult',
      callId,
      result: { n: 1 },
    }));
    const events = record((emitter) => writeContents(emitter, contents, registry));
    expect(events.filter(({ type }) => type.startsWith('STATE'))).toEqual([
      { type: 'STATE_SNAPSHOT', snapshot: { n: 1 } },
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/some', value: { n: 1 } }] },
    ]);
  });
});
