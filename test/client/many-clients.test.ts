/** Several clients that watch and change one thread, over a proxy that delays, splits and breaks connections. */
import type { Client } from 'holdpoint/client';
import { answer, approve, cancel, createClient, reject } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { expect, it } from 'vitest';
import { demoAgent } from '../../src/host/testing-support/demo-agent.ts';
import { createRandom, runs, showProgress } from '../size.ts';
import { startWire } from './start-wire.ts';

const ROUNDS = runs(3);
const CLIENTS = 3;
const ACTS = 6;
const SAYINGS = ['weather', 'email', 'choose', 'hello', 'onboard', 'both'];

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Keeps the order on each connection, but not between connections. */
const startSlowWire = (port: number, round: number) => {
  let connections = 0;
  return startWire(port, ({ client, end }) => {
    connections += 1;
    const random = createRandom(`connection ${connections} of round ${round}`);
    let carried = Promise.resolve();
    const later = (act: () => void) => {
      const delay = random() < 0.5 ? 0 : random() * 25;
      carried = carried.then(() => pause(delay)).then(act);
    };
    return {
      carry(bytes) {
        const cut = random() < 0.3 ? Math.floor(random() * bytes.length) : 0;
        for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)])
          later(() => void client.write(part));
        if (random() < 0.02) later(end);
      },
      ended: () => later(() => void client.end()),
    };
  });
};

/** A random action: reconnect, answer, send a message, or regenerate. */
async function act(client: Client, random: () => number): Promise<void> {
  const isLikely = (chance: number) => random() < chance;
  const { interrupts, messages } = client.thread('t').getSnapshot();
  if (isLikely(0.25)) {
    await client.connect('t').finished;
  } else if (interrupts.length > 0) {
    const entries = interrupts.map((interrupt) => {
      if (interrupt.reason === 'tool_call')
        return isLikely(0.7) ? approve(interrupt) : reject(interrupt, 'No.');
      const { enum: choices = ['x'] } = interrupt.responseSchema as { enum?: string[] };
      return isLikely(0.8) ? answer(interrupt, choices[0]) : cancel(interrupt);
    });
    await client.resume({ threadId: 't' }, entries).finished;
  } else {
    const last = messages.findLast(({ role }) => role === 'user');
    const request =
      last !== undefined && isLikely(0.2)
        ? { forwardedProps: { holdpoint: { truncateAfter: last.id } } }
        : { messages: SAYINGS[Math.floor(random() * SAYINGS.length)] ?? '' };
    await client.run({ threadId: 't', ...request }).finished;
  }
}

it(
  'clients of one thread end with the same messages, each once, in any order of delivery',
  { timeout: 600_000 },
  async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const store = memoryStore();
      const host = createHost({ logger: false, agents: [demoAgent({ done: [] })], store, sweepMs: 0 });
      const { port, close } = await serve(host, { port: 0 });
      const wire = await startSlowWire(port, round);
      const leaving = new AbortController();
      const retry = { attempts: 50, baseDelayMs: 1, maxDelayMs: 5 };
      const clients = Array.from({ length: CLIENTS }, () =>
        createClient({ url: `${wire.url}/agents/assistant`, retry }),
      );
      const watched = clients.map(async (client) => {
        for await (const _update of client.watch('t', { signal: leaving.signal }));
      });
      try {
        const acting = clients.map(async (client, index) => {
          const random = createRandom(`client ${index} of round ${round}`);
          for (let done = 0; done < ACTS; done += 1) {
            await pause(random() * 30);
            // Another client answered first, an interrupt is open, or the connection broke before the first byte.
            await act(client, random).catch(() => undefined);
          }
        });
        await Promise.all(acting);
        await expect
          .poll(async () => {
            const found = await fetch(`http://127.0.0.1:${port}/threads/t`);
            const thread = found.ok
              ? ((await found.json()) as Shown & { readonly status: string })
              : undefined;
            const said = thread === undefined ? EMPTY : thread;
            const views = clients.map((client) => viewOf(client.thread('t').getSnapshot(), said));
            return { isAtWork: thread?.status === 'active', views, expected: viewOf(said, said) };
          })
          .toSatisfy(
            ({ isAtWork, views, expected }: Seen) => !isAtWork && views.every((view) => view === expected),
          );
      } finally {
        leaving.abort();
        await Promise.allSettled(watched);
        await close({ withinMs: 100 });
        wire.close();
        await store.close();
      }
      showProgress('Rounds of many clients', round + 1, ROUNDS);
    }
  },
);

type Snapshot = ReturnType<ReturnType<Client['thread']>['getSnapshot']>;
type Shown = Pick<Snapshot, 'messages' | 'interrupts'>;
interface Seen {
  readonly isAtWork: boolean;
  readonly views: readonly string[];
  readonly expected: string;
}
const EMPTY: Shown = { messages: [], interrupts: [] };

/** The visible messages. A message that the host rejected stays on the page of its author. */
function viewOf({ messages, interrupts }: Shown, known: Shown): string {
  const ids = new Set(known.messages.map(({ id }) => id));
  const shown = messages
    .filter(({ id, role }) => role !== 'user' || ids.has(id))
    .map(({ id, role, content }) => JSON.stringify([id, role, content]))
    .toSorted();
  return JSON.stringify([shown, interrupts.map(({ id }) => id).toSorted()]);
}
