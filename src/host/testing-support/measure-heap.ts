/** Opens and leaves the streams of a host repeatedly, and prints the heap that each cycle leaves behind, in bytes. */
import { memoryStore } from '../../store/memory/index.ts';
import { createHost } from '../create-host.ts';
import { demoAgent } from './demo-agent.ts';
import { createHostClient } from './host-client.ts';

const WINDOWS = 20;
const CYCLES = 1000;

const collect = globalThis.gc;
if (collect === undefined) throw new Error('Run this with --expose-gc.');
const limits = { requestsPerMinute: 1e9 };
const host = createHost({
  agents: [demoAgent({ done: [] })],
  store: memoryStore(),
  sweepMs: 0,
  logger: false,
  limits,
});
const client = createHostClient(host.fetch);
await client.run({ thread: 't', say: 'email' });

/** Reads the start of an endless stream and leaves. */
const look = async (path: string) => {
  const response = await host.fetch(new Request(`http://localhost${path}`));
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
};
const cycle = async () => {
  await look('/threads/t/events');
  await look('/interrupts/events');
  await client.run({ thread: 't', path: '/connect', runId: 'r' });
};
/** Weak references are cleared one turn later. */
const heap = async () => {
  for (let n = 0; n < 5; n += 1) {
    collect();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return process.memoryUsage().heapUsed;
};
// The first windows include data that is created once, such as compiled code.
const perCycle: number[] = [];
let before = await heap();
for (let window = 0; window < WINDOWS; window += 1) {
  for (let n = 0; n < CYCLES; n += 1) await cycle();
  const after = await heap();
  perCycle.push((after - before) / CYCLES);
  before = after;
}
process.stdout.write(JSON.stringify({ perCycle }));
await host.close();
