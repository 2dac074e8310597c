import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { middle } from '../harness/results.ts';
import { startWorker } from '../harness/start-worker.ts';
import { SERVERS, startServer } from './http.ts';

const KIB = 1024;
const RUNS = 500;
const WATCHERS = 2_000;
const ROUNDS = 5;

export const memory: Case = {
  name: 'memory',
  title: 'memory of the server for each waiting run and for each open watcher',
  async run(bench) {
    const folder = await bench.folder();
    const waiting = await bench.measure({
      name: 'a waiting run',
      unit: 'KiB',
      better: 'less',
      durability: 'heap and buffers after a collection',
      contenders: Object.fromEntries(SERVERS.map((name) => [name, openWaiting(name, folder)])),
      rounds: 3,
      limitMs: 60_000,
    });
    const value = middle(waiting, 'holdpoint');
    bench.budget({ text: 'a waiting run', value, atMost: 1, unit: 'KiB' });
    let resident = 0;
    await bench.measure({
      name: 'a watcher',
      unit: 'KiB',
      better: 'less',
      durability: `resident memory, ${(WATCHERS * ROUNDS).toLocaleString('en')} watchers in all`,
      contenders: { holdpoint: openWatchers(folder, (bytes) => (resident = bytes)) },
      rounds: ROUNDS,
      limitMs: 60_000,
    });
    bench.budget({
      text: `the whole process with ${(WATCHERS * ROUNDS).toLocaleString('en')} watchers`,
      value: resident === 0 || bench.trial ? undefined : resident / KIB ** 2,
      atMost: 1024,
      unit: 'MiB',
    });
  },
};

interface Used {
  readonly used: number;
  readonly rss: number;
}

/** Raises interrupts that nobody answers. */
function openWaiting(name: string, folder: string): Open {
  return async () => {
    const { worker: server, url } = await startServer(name, { folder });
    const load = await startWorker('peers/client.mjs', { name, urls: [url] });
    const raise = (count: number) => load.call<number>('raise', { count, limitMs: 4_000 });
    return {
      warmUp: () => raise(RUNS),
      async slice() {
        const before = await server.call<Used>('memory');
        const raised = await raise(RUNS);
        const after = await server.call<Used>('memory');
        return Math.max(0.01, (after.used - before.used) / raised / KIB);
      },
      async stop() {
        await load.stop();
        await server.stop();
      },
    };
  };
}

function openWatchers(folder: string, tell: (resident: number) => void): Open {
  return async () => {
    const { worker: server, url } = await startServer('holdpoint', { folder });
    const load = await startWorker('peers/client.mjs', { name: 'holdpoint', urls: [url] });
    return {
      warmUp: () => load.call('watch', 100),
      async slice() {
        const before = await server.call<Used>('memory');
        await load.call('watch', WATCHERS);
        const after = await server.call<Used>('memory');
        tell(after.rss);
        return Math.max(0.01, (after.rss - before.rss) / WATCHERS / KIB);
      },
      async stop() {
        await load.stop();
        await server.stop();
      },
    };
  };
}
