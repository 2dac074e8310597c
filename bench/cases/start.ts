import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { NODE } from '../harness/start-worker.ts';
import { SERVERS, startServer } from './http.ts';

const CLI = resolve(import.meta.dirname, '../../dist/cli/main.js');

export const start: Case = {
  name: 'start',
  title: 'from the start of the process to the first response',
  async run(bench) {
    const folder = await bench.folder();
    await bench.measure({
      name: 'start',
      unit: 'ms',
      better: 'less',
      contenders: {
        'holdpoint demo': openStart(() => startDemo(folder)),
        ...Object.fromEntries(
          SERVERS.map((name) => [
            name === 'holdpoint' ? 'holdpoint host' : name,
            openStart(async () => {
              const { worker, url } = await startServer(name, { folder });
              return { url, stop: () => worker.stop() };
            }),
          ]),
        ),
      },
      rounds: 5,
      limitMs: 30_000,
    });
  },
};

interface Started {
  readonly url: string;
  stop(): Promise<unknown>;
}

/** Every slice starts the server anew. */
function openStart(startOnce: () => Promise<Started>): Open {
  const measure = async () => {
    const began = performance.now();
    const { url, stop } = await startOnce();
    const response = await fetch(url);
    await response.text();
    const milliseconds = performance.now() - began;
    await stop();
    return milliseconds;
  };
  return async () => ({ warmUp: measure, slice: measure, stop: async () => undefined });
}

let databases = 0;

async function startDemo(folder: string): Promise<Started> {
  databases += 1;
  const child = spawn(NODE, [CLI, 'demo', '--port', '0', '--db', join(folder, `demo-${databases}.db`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Also when the bench is stopped.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let said = '';
  const url = await new Promise<string>((found, fail) => {
    const look = (data: Buffer) => {
      said += data.toString();
      const address = /Holdpoint demo on (http:\S+)/.exec(said)?.[1];
      if (address !== undefined) found(address);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('exit', () => fail(new Error(`The demo ended: ${said.slice(-300)}`)));
  });
  return {
    url,
    async stop() {
      process.off('exit', kill);
      const ended = once(child, 'exit');
      kill();
      await ended;
    },
  };
}
