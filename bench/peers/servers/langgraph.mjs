import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWork, FINAL_TEXT } from '../scenario.mjs';
import { request } from './request.mjs';

/** Runs that the server works on at once. Its default is 10; with 64 in flight more workers favour it. */
const WORKERS = 64;

/** LangGraph's own server, which keeps threads in memory and writes them to a folder now and then. */
export async function serve({ file, effects }) {
  const { startServer } = await import('@langchain/langgraph-api/server');
  const work = createWork(effects);
  // The graph is loaded by its path, in this process.
  globalThis.benchWork = work;
  const server = await startServer({
    port: 0,
    nWorkers: WORKERS,
    host: '127.0.0.1',
    cwd: dirname(file),
    graphs: { bench: `${fileURLToPath(new URL('langgraph-graph.mjs', import.meta.url))}:graph` },
  });
  return { url: `http://${server.host}`, work, close: () => server.cleanup() };
}

export function client([url]) {
  const stream = (thread, body) =>
    request(`${url}/threads/${thread}/runs/stream`, {
      method: 'POST',
      body: { assistant_id: 'bench', stream_mode: ['updates'], if_not_exists: 'create', ...body },
    }).then(({ text }) => text);
  return {
    async ask(thread, prompt) {
      const text = await stream(thread, { input: { messages: [{ role: 'user', content: prompt }] } });
      if (!text.includes('__interrupt__')) throw new Error(`LangGraph did not ask: ${text.slice(-300)}`);
      return {};
    },
    async answer(thread, _interrupt, payload = { approved: true }) {
      await request(`${url}/threads/${thread}/state`);
      const text = await stream(thread, { command: { resume: payload } });
      return text.includes(FINAL_TEXT) ? FINAL_TEXT : text.slice(-300);
    },
  };
}
