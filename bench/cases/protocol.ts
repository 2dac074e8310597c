import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { ratio } from '../harness/results.ts';
import { startWorker } from '../harness/start-worker.ts';
import type { ContestSideOptions } from '../workers/contest-side.ts';

/** The contests of `protocol/`, the peer of each, and how many times as fast ours has to be. */
const CONTESTS: readonly { readonly name: string; readonly peer?: string; readonly budget?: number }[] = [
  { name: 'encode text deltas', peer: '@ag-ui/encoder', budget: 1 },
  { name: 'encode tool args', peer: '@ag-ui/encoder', budget: 1 },
  { name: 'encode mix', peer: '@ag-ui/encoder', budget: 1 },
  { name: 'binary encode', peer: '@ag-ui/proto', budget: 1 },
  { name: 'binary decode', peer: '@ag-ui/proto', budget: 1 },
  { name: 'text deltas', peer: '@ag-ui/client', budget: 10 },
  { name: 'state deltas array', peer: '@ag-ui/client', budget: 50 },
  { name: 'state deltas keyed', peer: '@ag-ui/client' },
  { name: 'state deltas append', peer: '@ag-ui/client' },
  { name: 'large frame', peer: '@ag-ui/client', budget: 5 },
  { name: 'emitter' },
  { name: 'decode' },
];

export const protocol: Case = {
  name: 'protocol',
  title: 'events to bytes and back, and applied to a thread, beside the official packages',
  async run(bench) {
    for (const { name, peer, budget } of CONTESTS) {
      const line = await bench.measure({
        name,
        unit: 'µs for an event',
        better: 'less',
        contenders: {
          holdpoint: openSide({ contest: name, side: 'ours' }),
          ...(peer === undefined ? {} : { [peer]: openSide({ contest: name, side: 'theirs' }) }),
        },
        rounds: 5,
        limitMs: 4_000,
      });
      if (peer === undefined || budget === undefined) continue;
      bench.budget({
        text: `${name}: holdpoint to ${peer}`,
        value: ratio(line, 'holdpoint', peer),
        atLeast: budget,
        unit: '×',
      });
    }
  },
};

function openSide(given: ContestSideOptions): Open {
  return async () => {
    const worker = await startWorker('workers/contest-side.ts', given);
    return {
      warmUp: () => worker.call('warmUp'),
      slice: () => worker.call<number>('slice'),
      result: () => worker.call<string>('result'),
      stop: () => worker.stop(),
    };
  };
}
