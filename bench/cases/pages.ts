import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { startWorker } from '../harness/start-worker.ts';

const REQUESTS = 5_000;
const LENGTHS = [20, 2_000, 5_000];

export const pages: Case = {
  name: 'pages',
  title: 'the web app in a real browser',
  async run(bench) {
    bench.progress(`raises ${REQUESTS} requests`);
    const given = { folder: await bench.folder(), requests: bench.trial ? 200 : REQUESTS };
    // The browser tests start Chromium, and they import the sources.
    const browser = await startWorker('workers/browser-pages.ts', given, {
      execArgv: ['--conditions=holdpoint-source'],
    });
    try {
      const open = (task: string, value?: number): Open => {
        const call = () => browser.call<number>(task, value);
        return async () => ({ warmUp: call, slice: call, stop: async () => undefined });
      };
      await bench.measure({
        name: `first row of an inbox with ${given.requests.toLocaleString('en')} requests`,
        unit: 'ms',
        better: 'less',
        contenders: { holdpoint: open('firstRow') },
      });
      bench.progress('scrolls the inbox to its end');
      const frames = await browser.call<number[]>('scroll');
      bench.record({
        name: 'a frame while the inbox scrolls to its end',
        unit: 'ms',
        better: 'less',
        ours: 'holdpoint',
        figures: { holdpoint: { values: frames } },
      });
      await bench.measure({
        name: 'a text delta in a chat, with its layout',
        unit: 'ms',
        better: 'less',
        contenders: Object.fromEntries(
          LENGTHS.map((length) => [`${length.toLocaleString('en')} messages`, open('delta', length)]),
        ),
        rounds: 3,
      });
    } finally {
      await browser.stop();
    }
  },
};
