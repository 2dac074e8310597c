import type * as Page from '../index.ts';

/** The stages of the page. */
type Stage = 'a run and an answer' | 'an answer to a schema' | 'updates as content parts';

type Event = Readonly<Record<string, unknown>>;

const SCHEMA = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string', maxLength: 500 } },
  required: ['approved'],
};

/**
 * A typical page: shows text, a tool call and state, answers an interrupt, then one with a schema, and reads the
 * updates of the last run. Calls `reached` after each stage.
 */
export async function plainRun(page: typeof Page, reached: (stage: Stage) => void): Promise<void> {
  const turns: Event[][] = [
    [
      { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'One moment.' },
      { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
      { type: 'STATE_SNAPSHOT', snapshot: { step: 1 } },
      asking({ id: 'q1', reason: 'input_required', message: 'Which account?' }),
    ],
    [
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'transfer', parentMessageId: 'm1' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"amount":1000}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
      asking({ id: 'q2', reason: 'tool_call', toolCallId: 'c1', responseSchema: SCHEMA }),
    ],
    [
      { type: 'TOOL_CALL_RESULT', messageId: 'r1', toolCallId: 'c1', content: 'done' },
      { type: 'RUN_FINISHED', outcome: { type: 'success' } },
    ],
  ];
  let number = 0;
  const client = page.createClient({
    url: 'https://host.test/agents/assistant',
    fetch: (_, request) => Promise.resolve(streamOf(turns.shift() ?? [], request?.body, () => (number += 1))),
  });
  const first = client.run({ messages: 'Transfer $1000.' });
  const [which] = (await first.finished).interrupts;
  if (which === undefined) throw new Error('expected an interrupt');
  const second = client.resume(first, [page.answer(which, 'ABC123')]);
  const [approval] = (await second.finished).interrupts;
  if (approval === undefined) throw new Error('expected an interrupt with a schema');
  reached('a run and an answer');
  const third = client.resume(second, [page.approve(approval)]);
  const { outcome, messages } = await third.finished;
  if (outcome !== 'success' || messages.length !== 3) throw new Error(`ended with ${outcome}`);
  reached('an answer to a schema');
  const types: string[] = [];
  for await (const { contents } of third) types.push(...contents.map(({ type }) => type));
  if (!types.includes('functionResult')) throw new Error(`read ${types.join(', ')}`);
  reached('updates as content parts');
}

function asking(interrupt: Event): Event {
  return { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [interrupt] } };
}

/** A stream as a Holdpoint host sends it: numbered, with a snapshot of the messages before an interrupt. */
function streamOf(events: readonly Event[], body: unknown, number: () => number): Response {
  const { threadId, runId, messages } = JSON.parse(typeof body === 'string' ? body : '{}') as Event;
  const input = { threadId, runId, messages, tools: [], context: [], state: {}, forwardedProps: {} };
  const all = [{ type: 'RUN_STARTED', input }, ...events].map((event) =>
    event.type === 'RUN_STARTED' || event.type === 'RUN_FINISHED' ? { ...event, threadId, runId } : event,
  );
  if (events.some(({ type }) => type === 'STATE_SNAPSHOT')) {
    const spoken = { id: 'm1', role: 'assistant', content: 'One moment.' };
    all.splice(-1, 0, { type: 'MESSAGES_SNAPSHOT', messages: [...(messages as Event[]), spoken] });
  }
  const text = all.map((event) => `id: ${number()}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}
