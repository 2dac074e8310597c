import { pathToFileURL } from 'node:url';
import { createAgent, createModel, load, ROOT } from '../contenders/holdpoint.mjs';
import { createWork, FINAL_TEXT } from '../scenario.mjs';
import { framesOf, request } from './request.mjs';

/** A host on SQLite, or on PostgreSQL with a URL. */
export async function serve({ file, synchronous, url, effects, root }) {
  const files = [
    'index.js',
    'host/index.js',
    'host/node/index.js',
    'store/sqlite/index.js',
    'store/postgres/index.js',
  ];
  const at = root === undefined ? ROOT : pathToFileURL(`${root}/`);
  const [holdpoint, { createHost }, { serve: listen }, { sqliteStore }, { postgresStore }] = await load(
    at,
    files,
  );
  const work = createWork(effects);
  // One principal sends all requests.
  const many = { openStreams: 20_000, concurrentRuns: 5000, openInterrupts: 1e9 };
  const store = url === undefined ? sqliteStore(file, { synchronous }) : postgresStore(url);
  const host = createHost({
    agents: [createAgent(holdpoint, { work, model: createModel(work), approval: true })],
    store,
    logger: false,
    limits: { requestsPerMinute: 1e9, concurrentRuns: 5000, perPrincipal: many, perScope: many },
  });
  const served = await listen(host, { port: 0 });
  return { url: served.url, work };
}

/** The answer goes through the inbox; the thread's events carry the resumed run. */
export function client(urls) {
  const next = inTurn(urls);
  return {
    ask: (thread, prompt) => ask(next(), thread, prompt),
    async answer(thread, { interruptId, last }, payload = { approved: true }) {
      const listed = await request(`${next()}/interrupts?thread=${thread}&status=pending`);
      // A page that is late shows an interrupt that is no longer listed.
      const id = JSON.parse(listed.text).interrupts[0]?.interrupt.id ?? interruptId;
      const answered = await request(`${next()}/threads/${thread}/interrupts/${id}/answer`, {
        method: 'POST',
        body: { status: 'resolved', payload },
      });
      const { text } = await request(`${next()}/threads/${thread}/events`, {
        headers: { 'last-event-id': last },
        until: (sofar) => sofar.includes('"RUN_FINISHED"') || sofar.includes('"RUN_ERROR"'),
      });
      return textOf(text) ?? answered.text;
    },
    watch: (thread) => request(`${next()}/threads/${thread}/events`, { keep: true }),
  };
}

/** The chat page answers: one request that carries the answer and streams the resumed run. */
export function resumeClient(urls) {
  const next = inTurn(urls);
  return {
    ask: (thread, prompt) => ask(next(), thread, prompt),
    async answer(thread, { interruptId }, payload = { approved: true }) {
      const resume = [{ interruptId, status: 'resolved', payload }];
      const { text } = await run(next(), { threadId: thread, runId: `${thread}-2`, resume, messages: [] });
      return textOf(text) ?? text;
    },
  };
}

async function ask(url, thread, prompt) {
  const messages = [{ id: `${thread}-m`, role: 'user', content: prompt }];
  const { text } = await run(url, { threadId: thread, runId: `${thread}-1`, messages });
  const finished = framesOf(text).at(-1);
  const interruptId = finished?.outcome?.interrupts?.[0]?.id;
  if (interruptId === undefined) throw new Error(`Holdpoint did not ask: ${text.slice(-300)}`);
  return { interruptId, last: /id: (\d+)\n[^]*$/.exec(text.slice(text.lastIndexOf('\nid: ')))?.[1] };
}

function run(url, input) {
  return request(`${url}/agents/bench`, {
    method: 'POST',
    body: { tools: [], context: [], state: {}, forwardedProps: {}, protocolVersion: '1.0', ...input },
  });
}

function textOf(text) {
  const deltas = framesOf(text).filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT');
  return deltas.some(({ delta }) => delta === FINAL_TEXT) ? FINAL_TEXT : deltas.at(-1)?.delta;
}

/** Each request goes to the next host, as a load balancer sends it. */
function inTurn(urls) {
  let index = 0;
  return () => {
    index = (index + 1) % urls.length;
    return urls[index];
  };
}
