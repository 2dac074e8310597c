import { start } from './run-command.ts';

/** Starts the demo; `port` 0 chooses a free one. `stop` returns the exit code. */
export async function startDemo(db: string, port = 0): Promise<{ url: string; stop(): Promise<number> }> {
  const running = start(['demo', '--db', db, '--port', String(port)]);
  let url: string | undefined;
  let failed: string | undefined;
  void running.ended.then(({ err }) => (failed = err));
  while (url === undefined) {
    if (failed !== undefined) throw new Error(failed);
    await new Promise((resolve) => setImmediate(resolve));
    url = /demo on (http:\S+)/.exec(running.out())?.[1];
  }
  return { url, stop: async () => (await running.stop()).code };
}
