import type { Client, ClientOptions } from '../client/index.ts';
import { createClient } from '../client/index.ts';
import { nextTurn } from '../core/index.ts';
import type { Host, HostOptions, Principal } from '../host/index.ts';
import { createHost } from '../host/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { FakeClock } from './fake-clock.ts';
import { fakeClock } from './fake-clock.ts';

/** The options of {@link createTestHost}: those of a host, most with a default for tests. */
export interface TestHostOptions extends Omit<HostOptions, 'store' | 'authenticate' | 'sweepMs'> {
  /** Keeps threads and interrupts. Default: a new memory store with the clock of the test. */
  readonly store?: Store;
  /** The clock of the default store and of the clients. Default: a new {@link fakeClock}. */
  readonly clock?: FakeClock;
}

/** The options of a client of a {@link TestHost}. */
export interface TestClientOptions extends Pick<ClientOptions, 'tools' | 'storage' | 'dialect'> {
  /** The person who sends the requests. Default `{ id: 'tester', scope: 'test', roles: [] }`. */
  readonly as?: Principal;
}

/** A host in the memory of a test, without a server and without timers. */
export interface TestHost {
  readonly host: Host;
  readonly store: Store;
  readonly clock: FakeClock;
  /** Creates a client of one agent that calls the host directly, as one person. */
  client(agent: string, options?: TestClientOptions): Client;
  /** Moves the clock, and lets the host expire interrupts and continue runs as its timer would. */
  advance(milliseconds: number): Promise<void>;
  /** Continues threads whose answers are complete, and resolves when no run is at work. */
  finishRuns(): Promise<void>;
  /** Ends all runs. Does not close a store that the test passed in. */
  close(): Promise<void>;
}

const TESTER: Principal = { id: 'tester', scope: 'test', roles: [] };
const PERSON_HEADER = 'x-holdpoint-tester';

/**
 * Creates a host for a test: agents, an inbox and clients as any person, in memory, with a clock that the test moves.
 *
 * @example
 * ```ts
 * import { approve, defineAgent } from 'holdpoint';
 * import { createTestHost, runToEnd, scriptedModel } from 'holdpoint/testing';
 *
 * const clerk = defineAgent({ id: 'clerk', model: scriptedModel(['Hello.']) });
 * const test = createTestHost({ agents: [clerk] });
 * const { messages } = await runToEnd(test.client('clerk'), { messages: 'Hi.' }, (interrupt) => approve(interrupt));
 * await test.close();
 * ```
 */
export function createTestHost(options: TestHostOptions): TestHost {
  const { clock = fakeClock(), ...hostOptions } = options;
  const store = options.store ?? memoryStore({ clock });
  const host = createHost({
    ...hostOptions,
    store,
    sweepMs: 0,
    // The header comes from a client of this test.
    authenticate: (request) => JSON.parse(request.headers.get(PERSON_HEADER) ?? 'null') as Principal | null,
  });
  const base = 'http://127.0.0.1';
  return {
    host,
    store,
    clock,
    client(agent, { as = TESTER, ...rest } = {}) {
      return createClient({
        ...rest,
        url: `${base}/agents/${encodeURIComponent(agent)}`,
        clock,
        headers: { [PERSON_HEADER]: JSON.stringify(as) },
        fetch: (input, init) => host.fetch(new Request(input, init)),
      });
    },
    async advance(milliseconds) {
      clock.advance(milliseconds);
      await host.sweep();
    },
    async finishRuns() {
      await host.sweep();
      while ((await store.list({ table: 'threads', status: ['active'] })).rows.length > 0) await nextTurn();
    },
    async close() {
      await host.close({ withinMs: 1000 });
      if (options.store === undefined) await store.close();
    },
  };
}
