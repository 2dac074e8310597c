import { describe, expect, expectTypeOf, it } from 'vitest';
import { isRecord } from '../core/index.ts';
import type { AgentStreamEvent, Interrupt, ResumeEntry } from '../protocol/index.ts';
import { createEmitter, EventType, payloadOf } from '../protocol/index.ts';
import type { ChatContent, ContentKind, CustomRequest, CustomResponse, RequestContent } from './index.ts';
import { contentsToResume, createContentReader, createContentRegistry, writeContents } from './index.ts';

/** A custom kind: one of several options. */
interface ChoiceRequest extends CustomRequest {
  readonly type: 'choiceRequest';
  readonly options: readonly string[];
}

interface ChoiceResponse extends CustomResponse {
  readonly type: 'choiceResponse';
  readonly choice?: string;
}

function optionsOf(interrupt: Interrupt): readonly string[] {
  const payload = payloadOf(interrupt);
  const options = isRecord(payload) ? payload['options'] : undefined;
  return Array.isArray(options) ? options.map(String) : [];
}

const choice: ContentKind<ChoiceRequest, ChoiceResponse> = {
  kind: 'choice',
  matches: (interrupt) => interrupt.reason === 'shop:choice',
  fromInterrupt: (interrupt, { id }) => ({ type: 'choiceRequest', id, options: optionsOf(interrupt) }),
  toInterrupt: ({ id, options }) => ({
    id,
    reason: 'shop:choice',
    responseSchema: { enum: [...options] },
    metadata: { payload: { options } },
  }),
  toResume: (response) => ({ status: 'resolved', payload: response.choice }),
  fromResume: ({ status, payload }, { id }) =>
    status === 'cancelled'
      ? { type: 'choiceResponse', id, cancelled: true }
      : { type: 'choiceResponse', id, choice: String(payload) },
};

const registry = createContentRegistry({ kinds: [choice] });
const CHOICE: Interrupt = {
  id: 'c-1',
  reason: 'shop:choice',
  responseSchema: { enum: ['red', 'blue'] },
  metadata: { payload: { options: ['red', 'blue'] } },
};

function record(contents: readonly (ChatContent | ChoiceRequest)[], kinds = registry): AgentStreamEvent[] {
  const events: AgentStreamEvent[] = [];
  const emitter = createEmitter({ threadId: 't', runId: 'r', write: (event) => events.push(event) });
  writeContents(emitter, contents, kinds);
  return events;
}

describe('a custom kind', () => {
  it('tries a custom kind before the built-in kinds, and keeps the interrupt as raw representation', () => {
    const request = registry.fromInterrupt(CHOICE);
    expect(request).toEqual({
      type: 'choiceRequest',
      id: 'c-1',
      options: ['red', 'blue'],
      rawRepresentation: CHOICE,
    });
    expect(request.rawRepresentation).toBe(CHOICE);
    expectTypeOf(request).toEqualTypeOf<RequestContent | ChoiceRequest>();
  });

  it('reads interrupts that no custom kind matches with the built-in kinds', () => {
    expect(registry.fromInterrupt({ id: 'i', reason: 'x' }).type).toBe('userInputRequest');
    const approval = { id: 'i', reason: 'x', metadata: { functionName: 'f' } };
    expect(registry.fromInterrupt(approval).type).toBe('functionApprovalRequest');
    expect(createContentRegistry().fromInterrupt(CHOICE).type).toBe('userInputRequest');
  });

  it('prefers a custom kind with a more specific condition to a built-in kind', () => {
    const consent: ContentKind = {
      ...choice,
      kind: 'consent',
      matches: ({ metadata }) => metadata?.['functionName'] === 'oauth',
      fromInterrupt: (_interrupt, { id }) => ({ type: 'consentRequest', id }),
    };
    const both = createContentRegistry({ kinds: [choice, consent] });
    const interrupt = { id: 'i', reason: 'tool_call', metadata: { functionName: 'oauth' } };
    expect(both.fromInterrupt(interrupt).type).toBe('consentRequest');
  });

  it('converts requests and responses of a custom kind in both directions', () => {
    const request: ChoiceRequest = { type: 'choiceRequest', id: 'c-1', options: ['red', 'blue'] };
    expect(registry.toInterrupt(request)).toEqual(CHOICE);
    const entry: ResumeEntry = { interruptId: 'c-1', status: 'resolved', payload: 'red' };
    const response = registry.fromResume(entry, request);
    expect(response).toEqual({ type: 'choiceResponse', id: 'c-1', choice: 'red', rawRepresentation: entry });
    expect(registry.toResume(response)).toEqual(entry);
    expect(contentsToResume([response], [CHOICE], registry)).toEqual([entry]);
    expect(registry.toResume({ type: 'choiceResponse', id: 'c-1' })).not.toHaveProperty('payload');
    const cancelled: ResumeEntry = { interruptId: 'c-1', status: 'cancelled' };
    expect(registry.toResume(registry.fromResume(cancelled, request))).toEqual(cancelled);
  });

  it('passes a new id to a custom kind for an interrupt without an id', () => {
    const request = registry.fromInterrupt({ ...CHOICE, id: '' }, { newId: () => 'made' });
    expect(request.id).toBe('made');
    const { rawRepresentation } = request;
    const response = { type: 'choiceResponse', id: 'made', choice: 'red', rawRepresentation } as const;
    expect(registry.toResume(response)).toEqual({ interruptId: '', status: 'resolved', payload: 'red' });
  });

  it('writes and reads a custom kind in a stream like a built-in kind', () => {
    const events = record([{ type: 'choiceRequest', id: 'c-1', options: ['red', 'blue'] }]);
    expect(events.at(-1)).toMatchObject({ outcome: { type: 'interrupt', interrupts: [CHOICE] } });
    const reader = createContentReader({ registry });
    const contents = events.flatMap((event) => reader.read(event).contents);
    expect(contents).toEqual([
      { type: 'choiceRequest', id: 'c-1', options: ['red', 'blue'], rawRepresentation: CHOICE },
    ]);
  });

  it('rejects two kinds of one name, and parts of an unknown kind', () => {
    expect(() => createContentRegistry({ kinds: [choice, choice] })).toThrow('are named choice');
    expect(() => createContentRegistry({ kinds: [{ ...choice, kind: 'userInput' }] })).toThrow('userInput');
    const unknown = { type: 'formRequest', id: 'f' } as unknown as ChoiceRequest;
    expect(() => registry.toInterrupt(unknown)).toThrow('formRequest');
    expect(() => record([unknown])).toThrow('formRequest');
  });
});

describe('the hooks of a registry', () => {
  it('changes written calls, results and interrupts with hooks', () => {
    const hooked = createContentRegistry({
      kinds: [choice],
      mapCall: (call) => (call.name === 'secret' ? undefined : { ...call, arguments: { hidden: true } }),
      mapResult: (result) => (result.callId === 'c1' ? undefined : { ...result, result: 'done' }),
      mapInterrupt: (interrupt) => ({ ...interrupt, message: 'Please choose.' }),
    });
    const events = record(
      [
        { type: 'functionCall', callId: 'c1', name: 'secret', arguments: {} },
        { type: 'functionResult', callId: 'c1', result: 'hush' },
        { type: 'functionCall', callId: 'c2', name: 'login', arguments: { password: 'x' } },
        { type: 'functionResult', callId: 'c2', result: { token: 'x' } },
        { type: 'choiceRequest', id: 'c-1', options: [] },
      ],
      hooked,
    );
    expect(events.flatMap((event) => (event.type === EventType.TOOL_CALL_ARGS ? event.delta : []))).toEqual([
      '{"hidden":true}',
    ]);
    expect(events.filter(({ type }) => type === EventType.TOOL_CALL_RESULT)).toMatchObject([
      { toolCallId: 'c2', content: 'done' },
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: { interrupts: [{ message: 'Please choose.' }] } });
  });

  it('does not pass the call that a person approves to a hook', () => {
    const hooked = createContentRegistry({ kinds: [choice], mapCall: () => undefined });
    const functionCall = { type: 'functionCall', callId: 'c', name: 'pay', arguments: { cents: 1 } } as const;
    const events = record([{ type: 'functionApprovalRequest', id: 'i', functionCall }], hooked);
    expect(events.at(-1)).toMatchObject({
      outcome: { interrupts: [{ metadata: { functionName: 'pay', functionArguments: { cents: 1 } } }] },
    });
  });

  it('changes or drops the parts that are read with mapContent', () => {
    const hooked = createContentRegistry({
      kinds: [choice],
      mapContent: (content) => {
        if (content.type === 'text') return { ...content, text: content.text.toUpperCase() };
        return content.type === 'choiceRequest' ? content : undefined;
      },
    });
    const reader = createContentReader({ registry: hooked });
    const events = record([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hello' },
      { type: 'choiceRequest', id: 'c-1', options: [] },
    ]);
    const contents = events.flatMap((event) => reader.read(event).contents);
    expect(contents).toMatchObject([{ text: 'HELLO' }, { type: 'choiceRequest' }]);
  });
});
