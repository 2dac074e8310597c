/**
 * Two servers over one PostgreSQL: asked at the first, answered at both at once, by two people who say the same. The tool
 * runs once, in one of them, and everybody sees it. Without DATABASE_URL the PostgreSQL of the tests is started.
 * Run: npx tsx --conditions=holdpoint-source examples/15-postgres-two-servers/client.ts
 */
import { approve, createClient, HoldpointError, reject } from 'holdpoint/client';
import type { Interrupt } from 'holdpoint/client';
import { startPostgres } from '../../test/postgres/start-postgres.ts';
import { ask, check, said, willAnswer } from '../console.ts';
import { launched, start } from './server.ts';

const given = process.env['DATABASE_URL'];
const postgres = given === undefined ? await startPostgres() : undefined;
const database = given ?? postgres?.url ?? '';
const servers = [await start('first', database, 0), await start('second', database, 0)] as const;
const [first, second] = servers.map(({ url }) => createClient({ url: `${url}/agents/control` }));
if (first === undefined || second === undefined) throw new Error('There are two servers.');

willAnswer('launch Ariane then Vega', 'both', 'both', 'launch Soyuz', 'they', 'launch Titan', 'no');
const told: unknown[] = [];

/** Two answers to what is asked, each at its own server; how each of them ended. */
async function answerBoth(asked: readonly Interrupt[], threadId: string, choice: string): Promise<string[]> {
  await second?.connect(threadId).finished; // as a second window would
  const yes = asked.map((question) => approve(question));
  const no = asked.map((question) => reject(question, 'It rains.'));
  const ends = await Promise.allSettled([
    first?.resume({ threadId }, choice === 'no' ? no : yes).finished,
    second?.resume({ threadId }, choice === 'both say yes' ? yes : no).finished,
  ]);
  return ends.map((end) => {
    if (end.status === 'fulfilled') return 'done';
    if (HoldpointError.is(end.reason)) return end.reason.code;
    throw end.reason;
  });
}

for await (const message of said('launch Ariane then Vega', 'launch Soyuz')) {
  const run = first.run({ messages: message });
  const { threadId } = run;
  let { interrupts } = await run.finished;
  while (interrupts.length > 0) {
    const what = interrupts.map(({ message }) => message).join(' ');
    const choice = await ask(what, ['both say yes', 'they differ', 'no']);
    const ends = await answerBoth(interrupts, threadId, choice);
    console.log(`At the first: ${ends[0]}. At the second: ${ends[1]}.`);
    check(ends.filter((end) => end === 'done').length, choice === 'they differ' ? 1 : 2);
    check(new Set(ends).has('INTERRUPT_CONFLICT'), choice === 'they differ');
    ({ interrupts } = await first.connect(threadId).finished);
  }
  // The winner's word holds, wherever one looks.
  const seen = await Promise.all([first, second].map((client) => client.connect(threadId).finished));
  const texts = seen.map(({ messages }) => messages.at(-1)?.content);
  check(texts[0], texts[1]);
  console.log(texts[0]);
  told.push(texts[0]);
}

check(launched.slice(0, 2), ['Ariane', 'Vega']);
check(launched.length, launched.includes('Soyuz') ? 3 : 2);
check(launched.includes('Soyuz'), told[1] === 'Soyuz is in the sky.');
check(launched.includes('Titan'), false);
check(told[2], 'Tool call invocation rejected. It rains.');
for (const server of servers) await server.close();
await postgres?.stop();
