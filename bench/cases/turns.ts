import type { Case } from '../harness/case.ts';
import type { Line } from '../harness/results.ts';
import { exponent, middle } from '../harness/results.ts';
import { createPlaces, openContender, withBefore } from './durable.ts';

const NAMES = ['holdpoint', 'ai-sdk', 'genkit', 'langgraph', 'mastra'];
const MESSAGES_PER_TURN = 4;

export const turns: Case = {
  name: 'turns',
  title: 'the durable cycle after earlier turns, and how it grows with them',
  async run(bench) {
    const names = withBefore(NAMES);
    const place = createPlaces(undefined, await bench.folder(), 'NORMAL');
    const sizes = bench.all ? [1, 50, 500, 5_000] : [1, 50, 500];
    const lines = new Map<number, Line>();
    for (const count of sizes) {
      const line = await bench.measure({
        name: `${count.toLocaleString('en')} ${count === 1 ? 'turn' : 'turns'}`,
        unit: 'cycles/s',
        better: 'more',
        durability: 'SQLite NORMAL',
        rounds: 3,
        contenders: Object.fromEntries(
          names.map((name) => [
            name,
            openContender(name, { place, situation: { turns: count, warmUp: 500 } }),
          ]),
        ),
      });
      lines.set(count, line);
    }
    const timesOf = (name: string) =>
      [...lines].flatMap(([count, line]): [number, number][] => {
        const rate = middle(line, name);
        return rate === undefined ? [] : [[count, 1_000_000 / rate]];
      });
    const growth = names.flatMap((name): [string, string[]][] => {
      const points = timesOf(name);
      const [first, last] = [points[0], points.at(-1)];
      if (first === undefined || last === undefined || points.length < 2) return [];
      const perMessage = (last[1] - first[1]) / ((last[0] - first[0]) * MESSAGES_PER_TURN);
      if (name === 'holdpoint') {
        bench.budget({
          text: 'an earlier message adds to a cycle',
          value: perMessage,
          atMost: 3,
          unit: 'µs',
        });
      }
      return [[name, [exponent(points).toFixed(2), perMessage.toFixed(2)]]];
    });
    bench.facts({
      columns: ['fitted exponent of the time (0: no growth, 1: linear)', 'µs for an earlier message'],
      rows: Object.fromEntries(growth),
    });
  },
};
