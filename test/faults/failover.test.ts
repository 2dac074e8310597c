import { HoldpointError } from 'holdpoint';
import type { Host } from 'holdpoint/host';
import { createHost } from 'holdpoint/host';
import { postgresStore } from 'holdpoint/store/postgres';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Change, Store } from '../../src/store/index.ts';
import { createDatabase } from '../postgres/create-database.ts';
import { openEffects } from '../processes/effects.ts';
import { bundleProgram, call, until } from '../processes/processes.ts';
import type { Program } from '../processes/processes.ts';
import { clerk } from '../paused-process/scenario.ts';
import type { TenantSetting } from './child.ts';
import type { CuttingProxy } from './cutting-proxy.ts';
import { cuttingProxy } from './cutting-proxy.ts';
import { transactionPooler } from './transaction-pooler.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-failover-'));
let database: string;
let program: Program;
beforeAll(async () => {
  [database, program] = await Promise.all([
    createDatabase(),
    bundleProgram(join(import.meta.dirname, 'child.ts')),
  ]);
});
afterAll(() => {
  program.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** What a test opened, closed after it. */
const opened: { close(): Promise<unknown> }[] = [];
const keep = <Opened extends { close(): Promise<unknown> }>(one: Opened): Opened => {
  opened.push(one);
  return one;
};
afterEach(async () => {
  vi.useRealTimers();
  for (const one of opened.splice(0).toReversed()) await one.close();
});

const threadKey = (thread: string) => ({ scope: 's', thread, id: '' });
const write = (store: Store, thread: string) =>
  store.commit({ puts: [{ table: 'threads', key: threadKey(thread), doc: {} }] });
const isStored = async (store: Store, thread: string) =>
  (await store.get('threads', [threadKey(thread)]))[0] !== undefined;

/** Opens a stream of a host. `shows` reads until a text comes, and fails if the stream ends before. */
async function openStream(host: Pick<Host, 'fetch'>, path: string) {
  const headers = { accept: 'text/event-stream' };
  const response = await host.fetch(new Request(`http://localhost${path}`, { headers }));
  if (response.body === null) throw new Error('The response has no body.');
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
  return {
    async shows(text: string) {
      let shown = '';
      while (!shown.includes(text)) {
        const { value, done } = await pieces.read();
        if (done) throw new Error(`The stream broke off after ${shown}`);
        shown += value;
      }
    },
    leave: () => pieces.cancel(),
  };
}

/** Resolves when the store reports the thread. */
function toldOf(store: Store, thread: string): Promise<Change> {
  return new Promise((resolve) => {
    const stop = store.watch((change) => {
      if (change.thread !== thread) return;
      stop();
      resolve(change);
    });
  });
}

describe('a pooler in transaction mode', () => {
  it('two processes with a schema each write only into their own, whichever connections they share', async () => {
    const pooler = keep(await transactionPooler(database));
    const tenants = ['tenant a', 'tenant b'];
    const [a, b] = tenants.map((schema) => {
      const setting: TenantSetting = { url: pooler.url, schema };
      return program.start(setting);
    });
    if (a === undefined || b === undefined) throw new Error('Both processes must start.');
    pooler.use(0);
    const answers = [await call(a, 'a1')];
    pooler.use(1);
    answers.push(await call(b, 'b1'));
    // The connection knows the statement of the other process.
    pooler.use(0);
    answers.push(await call(b, 'b2'));
    pooler.use(1);
    answers.push(await call(a, 'a2'));
    expect(answers).toEqual(['true', 'true', 'true', 'true']);
    const client = new Client({ connectionString: database });
    await client.connect();
    const threads = await Promise.all(
      tenants.map(async (schema) => {
        const { rows } = await client.query<{ thread: string }>(
          `SELECT thread FROM "${schema}".history ORDER BY 1`,
        );
        return rows.map(({ thread }) => thread);
      }),
    );
    await client.end();
    expect(threads).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
  });

  it('a watching store hears of changes although LISTEN hears nothing behind the pooler', async () => {
    const pooler = keep(await transactionPooler(database));
    const direct = keep(postgresStore(database, { schema: 'deaf' }));
    await direct.now();
    const store = keep(postgresStore(pooler.url, { schema: 'deaf' }));
    await store.now();
    const told = toldOf(store, 'first');
    await write(direct, 'first');
    expect(await told).toEqual({ scope: 's', thread: 'first' });
    const again = toldOf(store, 'second');
    await write(direct, 'second');
    await again;
  });

  it('a store listens at another address, or only polls, as its option says', async () => {
    const pooler = keep(await transactionPooler(database));
    const direct = keep(postgresStore(database, { schema: 'elsewhere' }));
    await direct.now();
    for (const listen of [database, false] as const) {
      const store = keep(postgresStore(pooler.url, { schema: 'elsewhere', listen }));
      for (const nth of ['first', 'second']) {
        const told = toldOf(store, `${nth} by ${listen}`);
        await write(direct, `${nth} by ${listen}`);
        await told;
      }
    }
  });
});

describe('a database that fails over', () => {
  const schema = 'failed over';
  let direct: Store;
  let proxy: CuttingProxy;
  /** A store behind the proxy, already connected. */
  const behind = async (options: { patienceMs?: number } = {}, limits: object = {}): Promise<Store> => {
    direct = keep(postgresStore(database, { schema }));
    await direct.now();
    const cutting = await cuttingProxy(database);
    const pool = new Pool({ connectionString: cutting.url, ...limits });
    pool.on('error', () => undefined);
    // Ends after the proxy, because it waits for connections that are frozen.
    opened.push({ close: () => pool.end() });
    proxy = keep(cutting);
    const store = keep(postgresStore(pool, { schema, ...options }));
    expect(await isStored(store, 'nothing')).toBe(false);
    return store;
  };
  const ana = { id: 'ana', scope: 's', roles: [] };
  const quick = { query_timeout: 300, connectionTimeoutMillis: 300 };

  it('a commit and a read that cannot connect are repeated until they can', async () => {
    await behind();
    proxy.refuse(3);
    const store = keep(postgresStore(proxy.url, { schema }));
    expect(await write(store, 'patient')).toMatchObject({ ok: true });
    expect(await isStored(direct, 'patient')).toBe(true);
  });

  it('a commit without a connection fails after the patience of the store', async () => {
    await behind();
    proxy.refuse(Infinity);
    const store = keep(postgresStore(proxy.url, { schema, patienceMs: 100 }));
    await expect(write(store, 'given up')).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('there is no connection'),
    });
  });

  it('a commit on a connection to a demoted node is repeated on another connection', async () => {
    await behind();
    const admin = new Client({ connectionString: database });
    await admin.connect();
    const name = new URL(database).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const store = keep(postgresStore(database, { schema }));
    expect(await isStored(store, 'demoted')).toBe(false);
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await admin.end();
    expect(await write(store, 'demoted')).toMatchObject({ ok: true });
  });

  it('a commit whose answer is that of another query has an unknown outcome, and a read is repeated', async () => {
    const store = await behind();
    proxy.cut(1, 'answered wrongly');
    await expect(write(store, 'unclear')).rejects.toMatchObject({
      code: 'STORE_FAILED',
      details: { outcome: 'unknown' },
    });
    expect(await isStored(direct, 'unclear')).toBe(true);
    proxy.answerReadWrongly();
    expect(await isStored(store, 'unclear')).toBe(true);
  });

  it('a read on a frozen connection is repeated on another, and a commit has an unknown outcome', async () => {
    const store = await behind({ patienceMs: 1000 }, quick);
    proxy.freeze('open');
    expect(await isStored(store, 'nothing')).toBe(false);
    proxy.freeze('open');
    await expect(write(store, 'frozen')).rejects.toMatchObject({ details: { outcome: 'unknown' } });
    await write(store, 'thawed');
    proxy.freeze('all');
    await expect(isStored(store, 'thawed')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  it('a frozen database fails a read within seconds although the pool sets no limits', async () => {
    const store = await behind({ patienceMs: 0 });
    proxy.freeze('all');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    // The first read waits for its answer on an open connection, the second one for a connection.
    for (const nth of ['first', 'second']) {
      const end = { isReached: false };
      const code = isStored(store, nth)
        .catch((error: unknown) => (HoldpointError.is(error) ? error.code : error))
        .finally(() => (end.isReached = true));
      for (let second = 0; second < 20 && !end.isReached; second += 1) {
        await new Promise(setImmediate);
        await vi.advanceTimersByTimeAsync(1000);
      }
      expect([nth, end.isReached]).toEqual([nth, true]);
      expect(await code).toBe('STORE_FAILED');
    }
  });

  it('GET /healthz says 503 while the store waits for its database', async () => {
    const store = await behind({ patienceMs: Infinity });
    const host = keep(createHost({ agents: [], store, logger: false, sweepMs: 0 }));
    proxy.refuse(Infinity);
    const response = await host.fetch(new Request('http://localhost/healthz'));
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: expect.objectContaining({ code: 'STORE_FAILED' }) },
    ]);
  });

  it('a live inbox waits for the database and then shows what came meanwhile', async () => {
    const store = await behind({ patienceMs: 0 });
    const effects = openEffects(join(folder, 'live'));
    const agent = clerk(effects);
    const host = keep(
      createHost({ agents: [agent], store, logger: false, authenticate: () => ana, accessCheckMs: 20 }),
    );
    const inbox = await openStream(host, '/interrupts/events');
    await inbox.shows('interrupts');
    // Each check of the reader also reads the page again.
    proxy.refuse(10);
    await until(() => proxy.refused === 0);
    await agent.generate({ store: direct, threadId: 'meanwhile', prompt: 'go', principal: ana });
    await inbox.shows('meanwhile');
    await inbox.leave();
  });

  it('a stream of a thread reads again after a read that failed', async () => {
    const store = await behind({ patienceMs: 0 });
    const agents = [clerk(openEffects(join(folder, 'followed')))];
    const options = { agents, logger: false, authenticate: () => ana, accessCheckMs: 0, sweepMs: 0 } as const;
    const [host, other] = [
      keep(createHost({ ...options, store })),
      keep(createHost({ ...options, store: direct })),
    ];
    const run = async (runId: string, input: object) => {
      const body = JSON.stringify({
        threadId: 'followed',
        runId,
        messages: [],
        tools: [],
        context: [],
        ...input,
      });
      const headers = { 'content-type': 'application/json' };
      const request = new Request('http://localhost/agents/clerk', { method: 'POST', headers, body });
      return (await other.fetch(request)).text();
    };
    const asked = await run('first', { messages: [{ id: 'm', role: 'user', content: 'go' }] });
    const [, interruptId] = /"interrupts":\[\{"id":"([^"]+)"/.exec(asked) ?? [];
    const thread = await openStream(host, '/threads/followed/events');
    await thread.shows('RUN_FINISHED');
    proxy.answerReadWrongly();
    await run('second', { resume: [{ interruptId, status: 'resolved', payload: { approved: true } }] });
    await thread.shows('"delta":"done."');
    await thread.leave();
  });
});
