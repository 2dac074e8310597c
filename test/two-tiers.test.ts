import { HttpAgent } from '@ag-ui/client';
import type { AgentStreamEvent } from 'holdpoint/protocol';
import {
  createEmitter,
  createEventWriter,
  createSseEncoder,
  readEvents,
  SSE_HEADERS,
} from 'holdpoint/protocol';
import { toAguiResponse } from 'holdpoint/stream';
import { describe, expect, it } from 'vitest';

/** A page that handles only the six core events. */
async function plainPage(response: Response): Promise<{ text: string; ended: string }> {
  let text = '';
  let ended = 'never';
  for await (const { event } of readEvents(response.body!, { threadId: 't', runId: 'r' })) {
    if (event.type === 'TEXT_MESSAGE_CONTENT') text += event.delta;
    if (event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR') ended = event.type;
  }
  return { text, ended };
}

/** The same text from an agent that also emits reasoning, tool calls and state. */
function fullAgent(dialect: '1.0' | 'snake'): Response {
  const events: AgentStreamEvent[] = [];
  const emitter = createEmitter({ threadId: 't', runId: 'r', write: (event) => events.push(event) });
  emitter.state({ page: 1 });
  const step = emitter.step('search');
  emitter.reasoning().delta('Let me see.');
  const call = emitter.toolCall('search');
  call.delta('{"q":"hello"}');
  call.end();
  emitter.toolResult(call.id, 'found');
  step.end();
  const message = emitter.text();
  message.delta('Hello ');
  message.delta('world');
  emitter.finish();
  const write = createEventWriter(dialect);
  const encoder = createSseEncoder();
  const body = events.flatMap((event) => write(event).map((wire) => encoder.encode(wire))).join('');
  return new Response(body, { headers: SSE_HEADERS });
}

const TIER_ONE = {
  '1.0': () => toAguiResponse(['Hello ', '', 'world']),
  snake: () => toAguiResponse(['Hello ', '', 'world'], { naming: 'snake' }),
};

describe.each(['1.0', 'snake'] as const)('the dialect %s', (form) => {
  it('lets a tier-1 page read the text of a full agent', async () => {
    const expected = { text: 'Hello world', ended: 'RUN_FINISHED' };
    expect(await plainPage(TIER_ONE[form]())).toEqual(expected);
    expect(await plainPage(fullAgent(form))).toEqual(expected);
  });
});

describe('the official client', () => {
  it.each([
    ['tier 1', TIER_ONE['1.0']],
    ['a full agent', () => fullAgent('1.0')],
  ])('reads %s', async (_what, respond) => {
    const agent = new HttpAgent({ url: 'http://x', threadId: 't', fetch: async () => respond() });
    await agent.runAgent();
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Hello world' });
  });
});
