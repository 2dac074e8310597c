/** The process of a load generator: it drives the server of one contender over HTTP. */
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { footprint } from './footprint.mjs';
import { createLoad } from './load.mjs';
import { promptFor } from './scenario.mjs';

export async function open({ name, urls, by = 'client', situation = {} }) {
  const module = await import(`./servers/${name}.mjs`);
  const contender = { name, ...module[by](urls) };
  const attempt = async (work) => {
    try {
      return { text: await work() };
    } catch (error) {
      return { error: error.message };
    }
  };
  return {
    ...createLoad(contender, situation),
    /** Raises so many interrupts that nobody answers, or as many as the time allows. */
    async raise({ count, limitMs, inFlight = 16 }) {
      const end = performance.now() + limitMs;
      let raised = 0;
      const lane = async () => {
        while (raised < count && performance.now() < end) {
          raised += 1;
          await contender.ask(randomUUID(), promptFor(`W${raised}`));
        }
      };
      await Promise.all(Array.from({ length: inFlight }, lane));
      return raised;
    },
    /** What one approval writes to a PostgreSQL. */
    footprint: (url) =>
      footprint(contender, { place: { pool: new Pool({ connectionString: url, max: 1 }) }, turns: 0 }),
    ask: ({ thread, account }) => contender.ask(thread, promptFor(account)),
    /** What came of an answer, or of several at the same moment: a text or an error each. */
    answer: ({ thread, interrupt, payloads }) =>
      Promise.all(payloads.map((payload) => attempt(() => contender.answer(thread, interrupt, payload)))),
    /** Opens watchers of threads of their own, and keeps them. */
    async watch(count) {
      for (let at = 0; at < count; at += 200) {
        const some = Array.from({ length: Math.min(200, count - at) }, () => contender.watch(randomUUID()));
        await Promise.all(some);
      }
    },
  };
}
