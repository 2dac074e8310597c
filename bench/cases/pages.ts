import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { middle, ratio } from '../harness/results.ts';
import { startWorker } from '../harness/start-worker.ts';

const REQUESTS = 10_000;
const LENGTHS = [20, 2_000, 5_000];

export const pages: Case = {
  name: 'pages',
  title: 'the web app in a real browser',
  async run(bench) {
    const given = { folder: await bench.folder(), requests: bench.trial ? 200 : REQUESTS };
    bench.progress(`raises ${given.requests} requests`);
    // The browser tests start Chromium, and they import the sources.
    const browser = await startWorker('workers/browser-pages.ts', given, {
      execArgv: ['--conditions=holdpoint-source'],
    });
    try {
      const open = (task: string, value?: number): Open => {
        const call = () => browser.call<number>(task, value);
        return async () => ({ warmUp: call, slice: call, stop: async () => undefined });
      };
      const first = await bench.measure({
        name: `first row of an inbox with ${given.requests.toLocaleString('en')} requests`,
        unit: 'ms',
        better: 'less',
        contenders: { holdpoint: open('firstRow') },
      });
      bench.budget({
        text: first.name,
        value: middle(first, 'holdpoint'),
        atMost: 1000,
        unit: 'ms',
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
      bench.budget({
        text: '99 of 100 frames while the inbox scrolls to its end',
        value: frames.toSorted((one, other) => one - other)[Math.floor(frames.length * 0.99)],
        atMost: 34,
        unit: 'ms',
      });
      const deltas = await bench.measure({
        name: 'a text delta in a chat, with its layout',
        unit: 'ms',
        better: 'less',
        contenders: Object.fromEntries(
          LENGTHS.map((length) => [`${length.toLocaleString('en')} messages`, open('delta', length)]),
        ),
        rounds: 3,
      });
      bench.budget({
        text: 'a text delta with 2,000 messages, to 20 messages',
        value: ratio(deltas, '20 messages', '2,000 messages'),
        atMost: 1.5,
        unit: '×',
      });
    } finally {
      await browser.stop();
    }
  },
};
