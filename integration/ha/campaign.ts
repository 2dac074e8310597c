/**
 * People ask for payments and approve them over HTTP, at two hosts for each tenant, while the primary of a PostgreSQL cluster is taken away
 * again and again. Counts what must not happen. `npm run test:ha` starts it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { openEffects } from '../../test/processes/effects.ts';
import type { Effects } from '../../test/processes/effects.ts';
import { bundleProgram } from '../../test/processes/processes.ts';
import type { Cluster } from './cluster.ts';
import { FAULTS, startCluster } from './cluster.ts';
import type { HostSetting } from './host.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '3' },
    people: { type: 'string', default: '24' },
    way: { type: 'string', default: 'direct,pooled' },
  },
});
const faults = Number(values.faults);
const people = Number(values.people);

interface Counts {
  approvals: number;
  lostAnswers: number;
  ranTwice: number;
  neverAsked: number;
  inDoubt: number;
  clientErrors: number;
  unfinished: number;
}

interface Tenant {
  readonly schema: string;
  readonly hosts: readonly string[];
}

interface Work {
  readonly tenants: readonly Tenant[];
  readonly effects: Effects;
  readonly counts: Counts;
  readonly durations: number[];
  readonly stop: AbortSignal;
}

interface Thread {
  readonly status?: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly interrupts: readonly { readonly id: string; readonly reason: string }[];
}

/** One person: asks, approves, waits for the end of the thread, and asks again. */
async function work(number: number, { tenants, effects, counts, durations, stop }: Work): Promise<void> {
  const tenant = tenants[number % tenants.length];
  if (tenant === undefined) return;
  const headers = { authorization: `person ${number}`, 'content-type': 'application/json' };
  let requests = 0;
  /** Asks the hosts in turn. Undefined after a failure, which a person sees and tries again. */
  const request = async <T>(path: string, body?: object): Promise<T | undefined> => {
    requests += 1;
    const url = `${tenant.hosts[requests % tenant.hosts.length]}${path}`;
    const method = body === undefined ? 'GET' : 'POST';
    const init = { method, headers, signal: AbortSignal.timeout(60_000) };
    try {
      const response = await fetch(url, body === undefined ? init : { ...init, body: JSON.stringify(body) });
      const text = await response.text();
      if (path.startsWith('/agents/')) {
        if (response.status === 200 && !text.includes('RUN_ERROR') && text.includes('RUN_FINISHED'))
          return {} as T;
      } else if (response.status === 200) return JSON.parse(text) as T;
      // A run that begins is not there yet.
      if (response.status === 404 || response.status === 409) return undefined;
      note(`${response.status} ${text.slice(-300)}`);
    } catch (error) {
      note(String(error));
    }
    counts.clientErrors += 1;
    await delay(300);
    return undefined;
  };
  for (let nth = 0; !stop.aborted; nth += 1) {
    const threadId = `${number}-${nth}`;
    const began = performance.now();
    const lines = () => effects.lines.filter((line) => line.startsWith(`${tenant.schema} ${threadId} `));
    const run = async (more: object) =>
      request(`/agents/clerk`, {
        threadId,
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
        protocolVersion: '1.0',
        ...more,
      });
    const ask = () =>
      run({
        runId: `${threadId}-ask-${requests}`,
        messages: [{ id: `${threadId}-message`, role: 'user', content: 'Pay.' }],
      });
    let wasAsked = false;
    let wasAcknowledged = false;
    let isDoubtful = false;
    await ask();
    for (let looks = 0; ; looks += 1) {
      const thread = await request<Thread>(`/threads/${threadId}`);
      if (thread === undefined) {
        await delay(200);
        // The first message did not arrive.
        if (looks > 2) await ask();
        continue;
      }
      const [open] = thread.interrupts;
      const isDone = thread.messages.at(-1)?.role === 'assistant' && open === undefined;
      if (isDone && thread.messages.some(({ role }) => role === 'tool')) break;
      // The run failed with the store: its message is sent again.
      if (open === undefined && thread.status === 'idle' && thread.messages.at(-1)?.role === 'user')
        await ask();
      if (open !== undefined) {
        wasAsked = true;
        isDoubtful ||= open.reason === 'error_recovery';
        const payload = isDoubtful
          ? lines().length > 0
            ? { action: 'finished', result: 'paid' }
            : { action: 'retry' }
          : { approved: true };
        const answer = { status: 'resolved', payload };
        const acknowledged =
          nth % 2 === 0
            ? await request(`/threads/${threadId}/interrupts/${open.id}/answer`, answer)
            : await run({
                runId: `${threadId}-answer-${looks}`,
                messages: [],
                resume: [{ interruptId: open.id, ...answer }],
              });
        wasAcknowledged ||= acknowledged !== undefined;
      }
      await delay(100 + Math.random() * 200);
      if (performance.now() - began > 180_000) {
        counts.unfinished += 1;
        note(`${tenant.schema} ${threadId} is not finished: ${JSON.stringify(thread)}`);
        break;
      }
    }
    const ran = lines();
    counts.approvals += 1;
    if (isDoubtful) counts.inDoubt += 1;
    if (new Set(ran).size < ran.length) counts.ranTwice += 1;
    if (ran.length === 0 && wasAcknowledged) counts.lostAnswers += 1;
    if (!wasAsked) counts.neverAsked += 1;
    durations.push(performance.now() - began);
  }
}

const notes = new Map<string, number>();
/** Keeps what went wrong, for the report: each sentence once. */
function note(text: string): void {
  const name = text.replaceAll(/[\da-f-]{30,}|\d+-\d+|\d+/g, '…');
  notes.set(name, (notes.get(name) ?? 0) + 1);
}

/** Writes through HAProxy all the time, and measures the longest time without a write. */
async function measureOutage(url: string, stop: AbortSignal): Promise<() => number> {
  let last = performance.now();
  let longest = 0;
  const writes = async () => {
    while (!stop.aborted) {
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: 1000,
        query_timeout: 2000,
      });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.query('CREATE TABLE IF NOT EXISTS outage (at timestamptz)');
        while (!stop.aborted) {
          await client.query('INSERT INTO outage VALUES (now())');
          longest = Math.max(longest, performance.now() - last);
          last = performance.now();
          await delay(50);
        }
      } catch {
        await delay(50);
      }
      await Promise.race([client.end().catch(() => undefined), delay(200)]);
    }
  };
  void writes();
  return () => {
    const found = longest;
    longest = 0;
    last = Math.max(last, performance.now() - 100);
    return found;
  };
}

async function campaign(cluster: Cluster, way: 'direct' | 'pooled'): Promise<boolean> {
  const program = await bundleProgram(join(import.meta.dirname, 'host.ts'));
  const path = join(program.folder, 'effects');
  const schemas = way === 'direct' ? ['one tenant'] : ['tenant a', 'tenant b'];
  const stop = new AbortController();
  try {
    const tenants: Tenant[] = [];
    for (const schema of schemas) {
      const setting: HostSetting = { url: cluster[way], schema, effects: path };
      const hosts = [program.start(setting), program.start(setting)];
      const urls = await Promise.all(hosts.map(async (host) => String((await once(host, 'message'))[0])));
      for (const host of hosts)
        host.on('exit', (code) => stop.signal.aborted || note(`A host ended: ${code}`));
      tenants.push({ schema, hosts: urls });
    }
    const counts: Counts = {
      approvals: 0,
      lostAnswers: 0,
      ranTwice: 0,
      neverAsked: 0,
      inDoubt: 0,
      clientErrors: 0,
      unfinished: 0,
    };
    const durations: number[] = [];
    const given = { tenants, effects: openEffects(path), counts, durations, stop: stop.signal };
    const loops = Array.from({ length: people }, (_, number) => work(number, given));
    const outage = await measureOutage(cluster.direct, stop.signal);
    const outages: number[] = [];
    for (let nth = 0; nth < faults; nth += 1) {
      const fault = FAULTS[nth % FAULTS.length] ?? 'switchover';
      const enough = counts.approvals + people;
      while (counts.approvals < enough) await delay(100);
      outage();
      await cluster.inflict(fault);
      await delay(3000);
      // A killed node comes back when another one is the primary and works.
      const before = counts.approvals;
      while (counts.approvals < before + people) await delay(100);
      cluster.repair();
      await cluster.whole();
      outages.push(outage());
      console.log(
        `${way}: ${fault}, ${seconds(outages.at(-1))} without a write, ${counts.approvals} approvals`,
      );
    }
    stop.abort();
    await Promise.all(loops);
    const all = openEffects(path).lines;
    const twice = all.length - new Set(all).size;
    const strayed = await countStrayed(cluster.direct, schemas);
    const isVerified = schemas.every((schema) => verify(cluster.direct, schema));
    const report = {
      way,
      faults,
      ...counts,
      ranTwice: twice,
      inOtherSchema: strayed,
      histories: isVerified ? 'verified' : 'broken',
      outage: `median ${seconds(quantile(outages, 0.5))}, max ${seconds(quantile(outages, 1))}`,
      approval: `p95 ${seconds(quantile(durations, 0.95))}, max ${seconds(quantile(durations, 1))}`,
    };
    console.log(JSON.stringify(report, undefined, 2));
    for (const [text, times] of notes) console.log(`${times} × ${text}`);
    const { lostAnswers, neverAsked, unfinished } = counts;
    return isVerified && twice + strayed + lostAnswers + neverAsked + unfinished === 0;
  } finally {
    stop.abort();
    program.dispose();
    notes.clear();
  }
}

/** Counts the threads in the schema of another tenant; the scope of a thread is the schema of its tenant. */
async function countStrayed(url: string, schemas: readonly string[]): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  let count = 0;
  for (const schema of schemas) {
    const text = `SELECT scope FROM "${schema}".threads WHERE scope <> $1`;
    count += (await client.query(text, [schema])).rows.length;
  }
  await client.end();
  return count;
}

/** `holdpoint audit verify` on a schema. */
function verify(url: string, schema: string): boolean {
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const args = ['--import', 'tsx', '--conditions=holdpoint-source', main, 'audit', 'verify'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--db', url, '--schema', schema], {
    encoding: 'utf8',
  });
  console.log(`${schema}: ${stdout.trim().split('\n').at(-1)}${stderr}`);
  return status === 0;
}

function quantile(list: readonly number[], part: number): number | undefined {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function seconds(milliseconds = 0): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

const cluster = await startCluster();
let isStopping = false;
const end = async (code: number) => {
  if (isStopping) return;
  isStopping = true;
  await cluster.stop();
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(1));
let failed = 0;
const ways = values.way.split(',');
try {
  await cluster.whole();
  for (const way of ways) {
    if (way !== 'direct' && way !== 'pooled') throw new Error(`--way is direct or pooled, unlike ${way}.`);
    if (!(await campaign(cluster, way))) failed += 1;
  }
} catch (error) {
  console.error(error);
  failed += 1;
}
console.log(`\n${Math.max(0, ways.length - failed)} passed, ${failed} failed`);
await end(failed === 0 ? 0 : 1);
