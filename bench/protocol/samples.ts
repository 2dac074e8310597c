import type { AgentStreamEvent, Message } from 'holdpoint/protocol';
import { EventType, PROTOCOL_VERSION } from 'holdpoint/protocol';

const THREAD = { threadId: 'thread-5f0c7a1e', runId: 'run-93b1d2f4' };
const MESSAGE_ID = 'message-0b6e4c52-8d1f-4a7e-9c33-5a1b2c3d4e5f';
const WORDS =
  'The refund of “€ 49.90” was approved, so the agent goes on:\nit books the money and tells the customer.'.split(
    /(?<= )/,
  );

/** The pieces of text a model would send, one word each. */
export function words(count: number): string[] {
  return Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length] ?? '');
}

/** Wraps events into a run that starts and ends. */
export function aRun(events: readonly AgentStreamEvent[]): AgentStreamEvent[] {
  return [
    { type: EventType.RUN_STARTED, ...THREAD, protocolVersion: PROTOCOL_VERSION },
    ...events,
    { type: EventType.RUN_FINISHED, ...THREAD, outcome: { type: 'success' } },
  ];
}

export function textDeltas(count: number): AgentStreamEvent[] {
  return words(count).map((delta) => ({
    type: EventType.TEXT_MESSAGE_CONTENT,
    messageId: MESSAGE_ID,
    delta,
  }));
}

export function aText(deltas: number): AgentStreamEvent[] {
  return [
    { type: EventType.TEXT_MESSAGE_START, messageId: MESSAGE_ID, role: 'assistant' },
    ...textDeltas(deltas),
    { type: EventType.TEXT_MESSAGE_END, messageId: MESSAGE_ID },
  ];
}

export function toolArgs(count: number, toolCallId = 'call_Xk29vQwe71'): AgentStreamEvent[] {
  const pieces = ['{"order":', '"A-1', '7"', ',"amo', 'unt":', '49.9', ',"note":"', 'so\\n', 'rry"', '}'];
  return Array.from({ length: count }, (_, index) => ({
    type: EventType.TOOL_CALL_ARGS,
    toolCallId,
    delta: pieces[index % pieces.length] ?? '',
  }));
}

/** A thread of user messages, tool calls, results and replies. */
export function history(count: number): Message[] {
  return Array.from({ length: count }, (_, index): Message => {
    const id = `message-${index}`;
    const content = words(40).join('');
    if (index % 4 === 0) return { id, role: 'user', content };
    if (index % 4 === 2) return { id, role: 'tool', toolCallId: `call-${index - 1}`, content };
    if (index % 4 === 3) return { id, role: 'assistant', content };
    const call = { name: 'lookUpOrder', arguments: `{"order":"A-${index}"}` };
    return { id, role: 'assistant', toolCalls: [{ id: `call-${index}`, type: 'function', function: call }] };
  });
}

export interface Item {
  readonly id: string;
  readonly title: string;
  readonly score: number;
  readonly done: boolean;
}

export function items(count: number): Item[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `item-${index}`,
    title: `Order A-${index}`,
    score: index % 100,
    done: index % 3 === 0,
  }));
}

/** The events of a run with tools: mostly deltas, some structure, a snapshot of each kind. */
export function realisticMix(): AgentStreamEvent[] {
  const calls = [1, 2, 3].flatMap((number): AgentStreamEvent[] => {
    const toolCallId = `call_${number}`;
    return [
      { type: EventType.STEP_STARTED, stepName: `step ${number}` },
      { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: 'refund', parentMessageId: MESSAGE_ID },
      ...toolArgs(20, toolCallId),
      { type: EventType.TOOL_CALL_END, toolCallId },
      {
        type: EventType.TOOL_CALL_RESULT,
        messageId: `result-${number}`,
        toolCallId,
        content: words(30).join(''),
        role: 'tool',
      },
      {
        type: EventType.STATE_DELTA,
        delta: [
          { op: 'replace', path: `/items/${number}/done`, value: true },
          { op: 'add', path: '/log/-', value: { at: 1_763_000_000, what: 'refunded' } },
        ],
      },
      { type: EventType.CUSTOM, name: 'progress', value: { done: number, of: 3, label: 'Refunds' } },
      { type: EventType.STEP_FINISHED, stepName: `step ${number}` },
    ];
  });
  return aRun([
    { type: EventType.STATE_SNAPSHOT, snapshot: { items: items(50), log: [] } },
    ...aText(150),
    ...calls,
    { type: EventType.MESSAGES_SNAPSHOT, messages: history(40) },
  ]);
}
