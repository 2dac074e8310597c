import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { HoldpointError } from '../../core/index.ts';
import { defineTool } from '../../engine/index.ts';
import { defineAgent } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { sqliteStore } from '../../store/sqlite/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { createHost } from '../create-host.ts';
import type { HostOptions } from '../host-options.ts';
import { serve } from '../node/index.ts';
import { demoAgent } from '../testing-support/demo-agent.ts';
import { createHostClient, eventually } from '../testing-support/host-client.ts';

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const PATH = '/srv/private/holdpoint.db';
const storeFailure = () =>
  new HoldpointError('STORE_FAILED', `The SQLite file ${PATH} is locked.`, { details: { path: PATH } });

function hostWith(options: Partial<HostOptions> = {}) {
  const logged: string[] = [];
  const write = (details: object, message: string) => {
    const error = 'err' in details && details.err instanceof Error ? details.err.message : '';
    logged.push(`${message} ${error}`);
  };
  const host = createHost({
    agents: [demoAgent({ done: [] })],
    store: memoryStore(),
    sweepMs: 0,
    logger: { error: write, warn: write, info: () => undefined },
    ...options,
  });
  cleanUps.push(() => host.close({ withinMs: 100 }));
  return { host, logged, client: createHostClient(host.fetch) };
}

describe('errors on the wire', () => {
  it('shows no path of a SQLite file that cannot be opened, and logs it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-errors-'));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'none', 'holdpoint.db');
    writeFileSync(join(folder, 'none'), '');
    const { client, logged } = hostWith({ store: sqliteStore(path) });
    const answers = [await client.get('/healthz'), await client.get('/threads')];
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([503, 'STORE_FAILED']);
      expect(JSON.stringify(body)).not.toContain(folder);
    }
    expect(logged.filter((line) => line.includes(path))).toHaveLength(2);
  });

  it('shows no path in RUN_ERROR, in the thread or in an interrupt when a run meets a store that fails', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      run: () => Promise.reject(storeFailure()),
    });
    const model = scriptedModel([{ calls: [{ id: 'c', name: 'pay', input: {} }] }, 'Done.']);
    const agents = {
      payer: defineAgent({ id: 'payer', model, tools: [pay] }),
      code: defineAgent({ id: 'code', run: () => Promise.reject(storeFailure()) }),
      foreign: async function* () {
        yield { type: 'RUN_STARTED' };
        throw storeFailure();
      },
    };
    const { client, logged } = hostWith({ agents });
    for (const agent of Object.keys(agents)) {
      const told = await client.run({ agent, thread: agent, say: 'go' });
      const thread = await client.get(`/threads/${agent}`);
      expect(JSON.stringify([told, thread])).not.toContain(PATH);
    }
    expect(logged.some((line) => line.includes(PATH))).toBe(true);
  });

  it('ends a stream whose source fails, and writes the failure to the logger only', async () => {
    const store = memoryStore();
    let isBroken = false;
    const breaking: Store = {
      ...store,
      // A stream waits for a store that fails; any other error ends it.
      read: (query) => (isBroken ? Promise.reject(new Error(`no item in ${PATH}`)) : store.read(query)),
    };
    const { host, logged } = hostWith({ store: breaking });
    const { client } = hostWith({ store });
    const served = await serve(host, { port: 0 });
    cleanUps.push(() => served.close({ withinMs: 100 }));
    await client.run({ say: 'hello' });
    const response = await fetch(`${served.url}/threads/t/events`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    isBroken = true;
    const stderr: string[] = [];
    const original = console.error;
    console.error = (...words: unknown[]) => void stderr.push(words.map(String).join(' '));
    let text = '';
    try {
      await client.run({ say: 'hello again' });
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) break;
        text += value ?? '';
      }
    } finally {
      console.error = original;
    }
    expect(text).not.toContain(PATH);
    expect(stderr).toEqual([]);
    await eventually(() => logged.some((line) => line.startsWith('A stream broke off.')));
    expect(logged.some((line) => line.includes(PATH))).toBe(true);
  });

  it('answers an unknown route with NOT_FOUND 404', async () => {
    const { client } = hostWith();
    const { status, body } = await client.get('/nowhere');
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect((await client.send('PUT', '/threads', {})).body.error.code).toBe('NOT_FOUND');
  });

  it('answers with UNAVAILABLE 503 while the host closes', async () => {
    const { host, client } = hostWith();
    await host.close();
    const { status, body } = await client.get('/agents');
    expect([status, body.error.code]).toEqual([503, 'UNAVAILABLE']);
  });
});

describe('the logger of a host', () => {
  const run = promisify(execFile);
  const script = (logger: string) => `
    import { createHost } from 'holdpoint/host';
    import { memoryStore } from 'holdpoint/store/memory';
    const store = memoryStore();
    await store.close();
    const host = createHost({ agents: {}, store, sweepMs: 0, allowUnauthenticated: true${logger} });
    await host.fetch(new Request('http://localhost/threads'));
    await host.close();
  `;
  const stderrOf = async (logger: string) => {
    const options = ['--conditions=holdpoint-source', '--import', 'tsx'];
    const given = [...options, '--input-type=module', '--eval', script(logger)];
    return (await run(process.execPath, given, { cwd: join(import.meta.dirname, '../../..') })).stderr;
  };

  it('the logger of a host is the console for warnings and errors if no logger is given', async () => {
    const stderr = await stderrOf('');
    expect(stderr).toContain('allowUnauthenticated is set');
    expect(stderr).toContain('A request failed.');
    expect(stderr).toContain('STORE_FAILED');
  });

  it('a host with logger: false logs nothing', async () => {
    expect(await stderrOf(', logger: false')).toBe('');
  });
});
