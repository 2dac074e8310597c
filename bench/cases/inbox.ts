import { join } from 'node:path';
import type { Case } from '../harness/case.ts';
import { ratio } from '../harness/results.ts';
import type { Worker } from '../harness/start-worker.ts';
import { startWorker } from '../harness/start-worker.ts';

const SMALL = 1_000;

export const inbox: Case = {
  name: 'inbox',
  title: 'claim of an interrupt and first page of the inbox, as the database grows',
  async run(bench) {
    const folder = await bench.folder();
    const sizes = bench.all ? [SMALL, 100_000, 1_000_000] : [SMALL, 100_000];
    const workers = new Map<string, Worker>();
    try {
      for (const count of sizes) {
        const name = `${count.toLocaleString('en')} interrupts`;
        bench.progress(`stores ${name}`);
        const given = { file: join(folder, `${count}.db`), count };
        // The ledger itself is measured, which is no public entry.
        const execArgv = ['--conditions=holdpoint-source'];
        workers.set(
          name,
          await startWorker('workers/stored-interrupts.ts', given, { execArgv, limitMs: 600_000 }),
        );
      }
      for (const [what, task] of [
        ['claim', 'claim'],
        ['first inbox page', 'page'],
      ] as const) {
        const open = (worker: Worker) => async () => ({
          warmUp: () => worker.call(task),
          slice: () => worker.call<number>(task),
          stop: async () => undefined,
        });
        const line = await bench.measure({
          name: what,
          unit: 'µs',
          better: 'less',
          durability: 'SQLite NORMAL',
          contenders: Object.fromEntries([...workers].map(([name, worker]) => [name, open(worker)])),
        });
        const [few, ...more] = workers.keys();
        for (const many of more) {
          const value = ratio(line, few ?? '', many);
          bench.budget({ text: `${what} with ${many}, to ${few}`, value, atMost: 1.5, unit: '×' });
        }
      }
    } finally {
      for (const worker of workers.values()) await worker.stop();
    }
    if (!bench.all) bench.note('1,000,000 interrupts run with `npm run bench -- inbox --all`.');
  },
};
