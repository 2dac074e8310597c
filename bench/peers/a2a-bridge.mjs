/** The process of a bridge from AG-UI to an A2A server, and of its load. */
import { randomUUID } from 'node:crypto';
import { load, ROOT } from './contenders/holdpoint.mjs';

const SLICE = 400;
const WARM_UP = 1_000;
/** The server streams so many words. */
const LAST_WORD = 'word 19';

/** A bridge runs an input and returns the AG-UI events. */
const BRIDGES = {
  async holdpoint(url) {
    const [{ a2aAgent }] = await load(ROOT, ['a2a/index.js']);
    const agent = a2aAgent({ url });
    return (input) => Array.fromAsync(agent.run(input));
  },
  async '@ag-ui/a2a'(url) {
    const { A2AAgent } = await import('@ag-ui/a2a');
    const { A2AClient } = await import('@a2a-js/sdk/client');
    const agent = new A2AAgent({ a2aClient: new A2AClient(url), debug: false });
    return (input) =>
      new Promise((resolve, reject) => {
        const events = [];
        agent.run(input).subscribe({
          next: (event) => events.push(event),
          error: reject,
          complete: () => resolve(events),
        });
      });
  },
};

export async function open({ name, url }) {
  const run = await BRIDGES[name](url);
  const inputFor = (content) => ({
    threadId: randomUUID(),
    runId: randomUUID(),
    messages: [{ id: randomUUID(), role: 'user', content }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  });
  const runFor = async (milliseconds) => {
    const start = performance.now();
    let runs = 0;
    while (performance.now() - start < milliseconds) {
      const events = await run(inputFor('hello'));
      if (!JSON.stringify(events).includes(LAST_WORD))
        throw new Error(`The reply is not whole: ${JSON.stringify(events).slice(0, 300)}`);
      runs += 1;
    }
    return (runs * 1_000) / (performance.now() - start);
  };
  return {
    warmUp: () => runFor(WARM_UP),
    slice: () => runFor(SLICE),
    /** What a task that needs input becomes, and what an answer does. */
    async needsInput() {
      const input = inputFor('please ask me');
      const asked = await run(input);
      const finished = asked.find(({ type }) => type === 'RUN_FINISHED');
      const [interrupt] = finished?.outcome?.interrupts ?? [];
      const resume = [{ interruptId: interrupt?.id ?? 'unknown', status: 'resolved', payload: 'a@b.com' }];
      const answered = await run({ ...input, runId: randomUUID(), resume });
      const replied = JSON.stringify(answered).includes(LAST_WORD);
      return `${interrupt === undefined ? 'shows no interrupt' : 'shows an interrupt'}; the answer ${replied ? 'continues the task' : 'does not continue the task'}`;
    },
  };
}
