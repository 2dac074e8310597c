/**
 * The page without a browser: the same component over the same client, rendered as text after each step. The page
 * itself is in page/; open the server's URL to use it.
 * Run: npx tsx --conditions=holdpoint-source examples/16-react-app/client.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approve, createClient, reject } from 'holdpoint/client';
import type { Client } from 'holdpoint/client';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

type Render = (props: { readonly client: Client; readonly threadId: string }) => string;

/** Loads React's server renderer. */
async function loadRender(): Promise<Render> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-react-'));
  const file = join(folder, 'render.cjs');
  writeFileSync(file, await server.bundle('render.tsx', { platform: 'node', format: 'cjs' }));
  const { render } = (await import(file)) as { render: Render };
  rmSync(folder, { recursive: true });
  return render;
}

willAnswer('water the roses and the lilies', 'yes', 'no');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/garden` });
const threadId = crypto.randomUUID();
const render = await loadRender();
const drawn: string[] = [];
const draw = () => {
  const html = render({ client, threadId }).replace(/<form.*/, '');
  if (drawn.at(-1) !== html) console.log(html);
  drawn.push(html);
};

const unsubscribe = client.thread(threadId).subscribe(draw); // as `useSyncExternalStore` does
for await (const message of said('water the roses and the lilies')) {
  let { interrupts } = await client.run({ threadId, messages: message }).finished;
  while (interrupts.length > 0) {
    for (const interrupt of interrupts) {
      const yes = (await ask(interrupt.message ?? 'May it?', ['yes', 'no'])) === 'yes';
      await client.stage({ threadId }, [yes ? approve(interrupt) : reject(interrupt, 'It rains.')]);
    }
    ({ interrupts } = await client.resume({ threadId }).finished);
  }
}
unsubscribe();

const card = (plant: string, disabled = '') =>
  `<fieldset${disabled}><legend>Water the ${plant}?</legend><button>Approve</button><button>Reject</button></fieldset>`;
const user = '<main><p class="user">water the roses and the lilies</p>';
check(server.watered, ['roses']);
check(drawn.includes(`${user}${card('roses')}${card('lilies')}`), true);
check(drawn.includes(`${user}${card('roses', ' disabled=""')}${card('lilies')}`), true); // 1 of 2
const answer = 'roses: watered. Tool call invocation rejected. It rains.';
check(drawn.at(-1), `${user}<p class="assistant">${answer}</p>`);
check((await (await fetch(url)).text()).includes('<div id="app">'), true);
check((await fetch(`${url}/app.js`)).status, 200);
await close();
