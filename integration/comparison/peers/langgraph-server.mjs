import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { shownOf } from './langgraph.mjs';

/** The same graph behind the development server of LangGraph. Acts are requests; `run.mjs` starts, kills and restarts the server. */
export async function open(folder) {
  const url = readFileSync(`${folder}/server-url`, 'utf8');
  const post = async (path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  };
  /** The server takes UUIDs only. */
  const idOf = (thread) => {
    const hex = createHash('sha256').update(`${folder} ${thread}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
  const run = (thread, body) =>
    post(`/threads/${idOf(thread)}/runs/wait`, { assistant_id: 'agent', ...body });
  return {
    async ask(thread, prompt) {
      await post('/threads', { thread_id: idOf(thread) });
      return shownOf(await run(thread, { input: { messages: [{ role: 'user', content: prompt }] } }));
    },
    answer: async (thread, _waiting, value) => shownOf(await run(thread, { command: { resume: value } })),
  };
}
