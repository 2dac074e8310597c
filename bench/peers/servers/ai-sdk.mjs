import { serve as listen } from '@hono/node-server';
import { streamText } from 'ai';
import { Hono } from 'hono';
import { aiSdkTools } from '../contenders/ai-sdk.mjs';
import { openMessages } from '../contenders/message-table.mjs';
import { aiSdkModel, createWork, FINAL_TEXT } from '../scenario.mjs';
import { framesOf, request } from './request.mjs';

/**
 * AI SDK on Hono, as its guide has it: one route streams a turn, and the caller writes the messages to SQLite when the turn ends. A
 * second route lists the open approval of a thread.
 */
export async function serve({ file, synchronous, effects }) {
  const work = createWork(effects);
  const model = aiSdkModel(work);
  const tools = aiSdkTools(work);
  const messages = openMessages(file, synchronous);
  const app = new Hono();
  app.post('/chat/:thread', async (context) => {
    const thread = context.req.param('thread');
    const { message } = await context.req.json();
    const history = messages.read(thread);
    const result = streamText({
      model,
      tools,
      messages: [...history, message],
      onFinish: ({ responseMessages, response }) =>
        messages.append(thread, history.length, [message, ...(responseMessages ?? response.messages)]),
    });
    return result.toUIMessageStreamResponse();
  });
  app.get('/chat/:thread/approvals', (context) => {
    const last = messages.read(context.req.param('thread')).at(-1);
    const parts = Array.isArray(last?.content) ? last.content : [];
    return context.json(parts.filter(({ type }) => type === 'tool-approval-request'));
  });
  const url = await new Promise((resolve) => {
    listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
  });
  return { url, work };
}

export function client([url]) {
  const say = (thread, message) =>
    request(`${url}/chat/${thread}`, { method: 'POST', body: { message } }).then(({ text }) => text);
  return {
    async ask(thread, prompt) {
      const text = await say(thread, { role: 'user', content: [{ type: 'text', text: prompt }] });
      const asked = framesOf(text).find(({ type }) => type === 'tool-approval-request');
      if (asked === undefined) throw new Error(`AI SDK did not ask: ${text.slice(-300)}`);
      return { approvalId: asked.approvalId };
    },
    async answer(thread, { approvalId: shown }, { approved } = { approved: true }) {
      const listed = await request(`${url}/chat/${thread}/approvals`);
      const approvalId = JSON.parse(listed.text)[0]?.approvalId ?? shown;
      const content = [{ type: 'tool-approval-response', approvalId, approved }];
      const text = await say(thread, { role: 'tool', content });
      const frames = framesOf(text);
      const delta = frames.find(({ type }) => type === 'text-delta')?.delta;
      return delta === FINAL_TEXT ? FINAL_TEXT : text.slice(-300);
    },
  };
}
