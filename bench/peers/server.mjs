/** The process of a server: it serves, and counts the runs of its tool. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export async function open({ name, ...given }) {
  const { serve } = await import(`./servers/${name}.mjs`);
  const { url, work, close } = await serve(given);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  return {
    url: () => url,
    timesFor: (account) => work.timesFor(account),
    takeCounts: () => work.takeCounts(),
    /** The bytes that are in use after a collection. */
    async memory() {
      for (let turn = 0; turn < 5; turn += 1) {
        collect();
        await new Promise((resolve) => {
          setTimeout(resolve, 20);
        });
      }
      const { heapUsed, external, rss } = process.memoryUsage();
      return { used: heapUsed + external, rss };
    },
    ...(close === undefined ? {} : { close }),
  };
}
