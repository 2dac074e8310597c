import type { Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { startWorker } from '../harness/start-worker.ts';

const BRIDGES = ['holdpoint', '@ag-ui/a2a'];

export const a2a: Case = {
  name: 'a2a',
  title: 'an A2A agent behind AG-UI: one message, its streamed reply as events',
  async run(bench) {
    await bench.measure({
      name: 'one run',
      unit: 'runs/s',
      better: 'more',
      contenders: Object.fromEntries(BRIDGES.map((name) => [name, openBridge(name)])),
    });
    const rows: Record<string, string[]> = {};
    for (const name of BRIDGES) {
      bench.progress(`${name}: a task that needs input`);
      const bridge = await openBridge(name)();
      rows[name] = [await bridge.needsInput().catch(String)];
      await bridge.stop();
    }
    bench.facts({ columns: ['a task that needs input, then its answer'], rows });
  },
};

/** An A2A server of SDK 0.2, which both bridges speak, in one process, and the bridge in another. */
function openBridge(
  name: string,
): () => Promise<Awaited<ReturnType<Open>> & { needsInput(): Promise<string> }> {
  return async () => {
    const server = await startWorker('peers/a2a-server.mjs', {});
    const url = await server.call<string>('url');
    const bridge = await startWorker('peers/a2a-bridge.mjs', { name, url });
    return {
      warmUp: () => bridge.call('warmUp'),
      slice: () => bridge.call<number>('slice'),
      async needsInput() {
        const said = await bridge.call<string>('needsInput');
        return `${said}; tasks on the server: ${await server.call<number>('tasks')}`;
      },
      async stop() {
        await bridge.stop();
        await server.stop();
      },
    };
  };
}
