import { createWork, FINAL_TEXT } from '../scenario.mjs';
import { framesOf, request } from './request.mjs';

const RESOURCE = 'person-1';

/** Mastra's routes on Hono, with LibSQL (WAL and NORMAL, which it sets by itself). */
export async function serve({ file, effects }) {
  const { serve: listen } = await import('@hono/node-server');
  const { MastraServer } = await import('@mastra/hono');
  const { LibSQLStore } = await import('@mastra/libsql');
  const { Memory } = await import('@mastra/memory');
  const { Hono } = await import('hono');
  const { createMastra } = await import('../contenders/mastra.mjs');
  const work = createWork(effects);
  const storage = new LibSQLStore({ id: 'bench', url: `file:${file}` });
  await storage.init();
  const memory = new Memory({ storage, options: { lastMessages: 1_000_000 } });
  const app = new Hono();
  await new MastraServer({ app, mastra: createMastra(work, { storage, memory }) }).init();
  const url = await new Promise((resolve) => {
    listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
  });
  return { url, work };
}

export function client([url]) {
  const agent = `${url}/api/agents/bench`;
  return {
    async ask(thread, prompt) {
      const { text } = await request(`${agent}/stream`, {
        method: 'POST',
        body: { messages: [{ role: 'user', content: prompt }], memory: { thread, resource: RESOURCE } },
      });
      const asked = framesOf(text).find(({ type }) => type === 'tool-call-approval');
      if (asked === undefined) throw new Error(`Mastra did not ask: ${text.slice(-300)}`);
      return { runId: asked.runId, toolCallId: asked.payload.toolCallId };
    },
    async answer(thread, shown, payload) {
      const listed = await request(`${agent}/suspended-runs?threadId=${thread}&resourceId=${RESOURCE}`);
      const [found] = JSON.parse(listed.text).runs;
      const runId = found?.runId ?? shown.runId;
      // The route takes no payload: a wrong answer can only name a wrong call.
      const toolCallId =
        payload === undefined || payload.approved === true ? shown.toolCallId : 'no-such-call';
      const { text } = await request(`${agent}/approve-tool-call`, {
        method: 'POST',
        body: { runId, toolCallId },
      });
      return text.includes(FINAL_TEXT) ? FINAL_TEXT : text.slice(-300);
    },
  };
}
