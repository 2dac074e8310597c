/**
 * Two servers over one PostgreSQL: raised at the first, answered at both at once. The tool runs once, in one of
 * them, and every client sees it. Without DATABASE_URL the PostgreSQL of the tests is started.
 * Run: npx tsx --conditions=holdpoint-source examples/15-postgres-two-servers/client.ts
 */
import { approve, createClient, HoldpointError, reject } from 'holdpoint/client';
import type { Interrupt } from 'holdpoint/client';
import { startPostgres } from '../../test/postgres/start-postgres.ts';
import { ask, check, said, willAnswer } from '../console.ts';
import { launched, start } from './server.ts';

const configured = process.env['DATABASE_URL'];
const postgres = configured === undefined ? await startPostgres() : undefined;
const database = configured ?? postgres?.url ?? '';
const servers = [await start('first', database, 0), await start('second', database, 0)] as const;
const [first, second] = servers.map(({ url }) => createClient({ url: `${url}/agents/control` }));
if (first === undefined || second === undefined) throw new Error('This example needs two servers.');

willAnswer('launch Ariane then Vega', 'both', 'both', 'launch Soyuz', 'they', 'launch Titan', 'no');
const replies: unknown[] = [];

/** Sends two answers, one to each server; returns how each of them ended. */
async function answerBoth(
  interrupts: readonly Interrupt[],
  threadId: string,
  choice: string,
): Promise<string[]> {
  await second?.connect(threadId).finished; // as a second window would
  const yes = interrupts.map((interrupt) => approve(interrupt));
  const no = interrupts.map((interrupt) => reject(interrupt, 'It rains.'));
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
  // The first answer counts on both servers.
  const seen = await Promise.all([first, second].map((client) => client.connect(threadId).finished));
  const texts = seen.map(({ messages }) => messages.at(-1)?.content);
  check(texts[0], texts[1]);
  console.log(texts[0]);
  replies.push(texts[0]);
}

check(launched.slice(0, 2), ['Ariane', 'Vega']);
check(launched.length, launched.includes('Soyuz') ? 3 : 2);
check(launched.includes('Soyuz'), replies[1] === 'Soyuz is in the sky.');
check(launched.includes('Titan'), false);
check(replies[2], 'Tool call invocation rejected. It rains.');
for (const server of servers) await server.close();
await postgres?.stop();
