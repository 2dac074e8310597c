import { fork } from 'node:child_process';
import { once } from 'node:events';
import { CLASSES } from './classes.mjs';
import { postgresPlace, sqlitePlace } from './places.mjs';

/** Each contender in a process of its own, for as long as `use` takes. */
export async function withContenders(given, use) {
  const started = [];
  try {
    for (const one of given) started.push(await startContender(one));
    await Promise.all(started.map(({ open }) => open()));
    return await use(started);
  } finally {
    for (const { stop } of started) await stop();
  }
}

/**
 * A process for one contender, with a place of its own. What is thrown there is thrown here. `stop` ends the process and
 * takes away what it wrote.
 */
async function startContender({ store, name, label = name, situation, written, url }) {
  const { place, remove } = await (url === undefined
    ? sqlitePlace(CLASSES[store].synchronous)
    : postgresPlace(url));
  // As JSON, an error would arrive without its words.
  const child = fork(new URL('contender-process.mjs', import.meta.url), { serialization: 'advanced' });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${label}: its process ended (${signal ?? code}).`);
  });
  ended.catch(() => undefined);
  const ask = async (task, given) => {
    const answered = once(child, 'message');
    child.send({ task, given });
    const [{ value, error }] = await Promise.race([answered, ended]);
    if (error !== undefined) throw error;
    return value;
  };
  return {
    name: label,
    open: () => ask('open', { store, name, written, place }),
    footprint: (turns) => ask('footprint', turns),
    warmUp: () => ask('warmUp', situation),
    slice: () => ask('slice'),
    async stop() {
      child.kill('SIGKILL');
      await ended.catch(() => undefined);
      await remove();
    },
  };
}
