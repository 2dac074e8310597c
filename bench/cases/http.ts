import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { ratio } from '../harness/results.ts';
import type { Worker } from '../harness/start-worker.ts';
import { startWorker } from '../harness/start-worker.ts';

/** The servers, by their module in `peers/servers`, and how their commits are kept. */
export const SERVERS = ['holdpoint', 'ai-sdk', 'langgraph', 'mastra'];
export const DURABILITY = 'SQLite FULL; Mastra sets NORMAL; LangGraph keeps threads in memory';
const BY_RESUME = 'holdpoint, answer in a run';

export const http: Case = {
  name: 'http',
  title: 'a whole approval over HTTP: run, interrupt, answer from the inbox, resumed stream',
  async run(bench) {
    const folder = await bench.folder();
    for (const inFlight of [1, 16, 64]) {
      const situation = { inFlight, warmUp: 1_500, slice: 700 };
      const open = (name: string, given: object = {}) => openServer(name, { folder, situation, ...given });
      const before = process.env['HOLDPOINT_BEFORE'];
      const line = await bench.measure({
        name: `${inFlight} in flight`,
        unit: 'approvals/s',
        better: 'more',
        durability: DURABILITY,
        contenders: {
          ...Object.fromEntries(SERVERS.map((name) => [name, open(name)])),
          [BY_RESUME]: open('holdpoint', { by: 'resumeClient' }),
          ...(before === undefined ? {} : { before: open('holdpoint', { root: before }) }),
        },
      });
      if (inFlight !== 64) continue;
      for (const [peer, atLeast] of [
        ['langgraph', 3],
        ['mastra', 3],
        ['ai-sdk', 0.6],
      ] as const) {
        const text = `${inFlight} in flight: holdpoint to ${peer}`;
        bench.budget({ text, value: ratio(line, 'holdpoint', peer), atLeast, unit: '×' });
      }
    }
    bench.note(
      'Each server and each load generator has a process of its own, so on two processors one server has one of them.',
    );
    bench.note(
      'The peers stream the resumed run as the response to the answer; Holdpoint’s inbox answers at once, and the thread’s event stream carries the run. “answer in a run” is one request, as theirs.',
    );
  },
};

let places = 0;

/** Starts a server of `peers/servers` on a new database. */
export async function startServer(
  name: string,
  { folder, ...given }: { readonly folder: string; readonly [option: string]: unknown },
): Promise<{ readonly worker: Worker; readonly url: string; readonly file: string }> {
  places += 1;
  const own = join(folder, `${name}-${places}`);
  await mkdir(own, { recursive: true });
  const file = join(own, 'bench.db');
  const worker = await startWorker('peers/server.mjs', { name, file, synchronous: 'FULL', ...given });
  return { worker, url: await worker.call<string>('url'), file };
}

interface Opening {
  readonly folder: string;
  readonly situation: object;
  readonly by?: string;
  readonly root?: string;
}

/** A server in one process and its load generator in another. */
function openServer(name: string, { folder, situation, by, root }: Opening): Open {
  return async () => {
    const { worker: server, url } = await startServer(name, {
      folder,
      ...(root === undefined ? {} : { root }),
    });
    const load = await startWorker('peers/client.mjs', { name, urls: [url], by, situation }).catch(
      async (error: unknown) => {
        await server.stop();
        throw error;
      },
    );
    return {
      warmUp: () => load.call('warmUp'),
      slice: () => load.call<number>('slice'),
      async result() {
        const { wrong } = await server.call<{ readonly wrong: readonly string[] }>('takeCounts');
        if (wrong.length > 0)
          throw new Error(`The tool did not run exactly once for ${wrong.length} approvals.`);
        return 'each tool ran once';
      },
      async stop() {
        await load.stop();
        await server.stop();
      },
    };
  };
}
