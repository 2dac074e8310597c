import { join } from 'node:path';
import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { median } from '../harness/results.ts';
import { startWorker } from '../harness/start-worker.ts';
import type { EventReadersOptions } from '../workers/event-readers.ts';
import type { EventServerOptions } from '../workers/event-server.ts';

/** The events of one stream in `event-server.ts`. */
const EVENTS = 500;
const CONTENDERS = {
  'holdpoint, SQLite': 'sqlite',
  'holdpoint, memory': 'memory',
  'node:http': 'bare',
} as const;

export const events: Case = {
  name: 'events',
  title: 'an event of a stream over HTTP, beside a bare server that writes the same bytes',
  async run(bench) {
    const folder = await bench.folder();
    let files = 0;
    const lines = [
      { runs: 1, repeat: 20 },
      { runs: 100, repeat: 1 },
      ...(bench.all ? [{ runs: 1_000, repeat: 1 }] : []),
    ];
    for (const { runs, repeat } of lines) {
      const open = (kind: EventServerOptions['kind']) => {
        files += 1;
        return openStreams({ kind, file: join(folder, `${files}.db`) }, { runs, repeat });
      };
      const line = await bench.measure({
        name: `${runs.toLocaleString('en')} at a time`,
        unit: 'µs for an event',
        better: 'less',
        durability: 'SQLite FULL',
        contenders: Object.fromEntries(Object.entries(CONTENDERS).map(([name, kind]) => [name, open(kind)])),
        rounds: 7,
      });
      for (const name of ['holdpoint, SQLite', 'holdpoint, memory']) {
        const [ours, bare] = [line.figures[name], line.figures['node:http']];
        if (ours === undefined || bare === undefined || 'failed' in ours || 'failed' in bare) continue;
        const overheads = ours.values.map((value, round) => value - (bare.values[round] ?? value));
        const text = `${line.name}, ${name}: more than node:http`;
        bench.budget({ text, value: median(overheads), atMost: 20, unit: 'µs' });
      }
    }
    bench.note(
      `A run on SQLite has four commits, which wait for the disk; their time is shared by its ${EVENTS} events.`,
    );
  },
};

function openStreams(given: EventServerOptions, { runs, repeat }: Omit<EventReadersOptions, 'port'>): Open {
  return async () => {
    const server = await startWorker('workers/event-server.ts', given);
    const port = await server.call<number>('port');
    const readers = await startWorker('workers/event-readers.ts', { port, runs, repeat });
    const read = () => readers.call<number>('read');
    return {
      async warmUp() {
        for (let turn = 0; turn < 3; turn += 1) await read();
      },
      slice: async () => ((await read()) * 1_000) / (runs * repeat * EVENTS),
      async stop() {
        await readers.stop();
        await server.stop();
      },
    };
  };
}
