import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as api from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../../test/postgres/create-database.ts';
import type { RunAgentInput } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { postgresStore } from '../store/postgres/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import type { Host } from './create-host.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host-options.ts';
import { demoAgent } from './testing-support/demo-agent.ts';
import { approve, createHostClient, eventually } from './testing-support/host-client.ts';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
afterAll(async () => {
  await reader.shutdown();
  api.metrics.disable();
});

/** The counters by name and distinguishing attribute. */
async function counted(): Promise<Record<string, number>> {
  await reader.forceFlush();
  const newest =
    exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap(({ metrics: found }) => found) ?? [];
  const counts: Record<string, number> = {};
  for (const { descriptor, dataPoints } of newest) {
    for (const { value, attributes } of dataPoints) {
      if (typeof value !== 'number') continue;
      const what = attributes['outcome'] ?? attributes['error.type'] ?? attributes['what'] ?? '';
      if (descriptor.name !== 'holdpoint.interrupts.oldest')
        counts[`${descriptor.name} ${String(what)}`.trim()] = value;
    }
  }
  return counts;
}

/** The difference of the counters; the value of gauges. */
async function since(before: Record<string, number>): Promise<Record<string, number>> {
  const now = Object.entries(await counted()).map(([name, value]): [string, number] => [
    name,
    name === 'holdpoint.interrupts.pending' ? value : value - (before[name] ?? 0),
  ]);
  return Object.fromEntries(now.filter(([name, value]) => name.startsWith('holdpoint.') && value > 0));
}

const hosts: Host[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ withinMs: 100 });
  for (const store of stores.splice(0)) await store.close();
});

function setUp(options: Partial<HostOptions> = {}) {
  const host = createHost({
    logger: false,
    agents: [demoAgent({ done: [] })],
    store: memoryStore(),
    telemetry: { api },
    sweepMs: 0,
    ...options,
  });
  hosts.push(host);
  return { host, client: createHostClient(host.fetch) };
}

const yes = { status: 'resolved', payload: { approved: true } };
const no = { status: 'resolved', payload: { approved: false } };

/** The data points of a metric now. */
async function pointsOf(name: string) {
  await reader.forceFlush();
  const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
  const found = scopes.flatMap(({ metrics }) => metrics).find(({ descriptor }) => descriptor.name === name);
  return found?.dataPoints ?? [];
}

describe('the metrics of a host', () => {
  it('the metrics of a host count the outcomes of runs, background included, and rejected runs', async () => {
    const before = await counted();
    const foreign = async function* ({ threadId, runId }: RunAgentInput) {
      yield { type: 'RUN_STARTED', threadId, runId };
      yield { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'cancelled' } };
    };
    const { client } = setUp({ agents: { assistant: demoAgent({ done: [] }), foreign } });
    await client.run({ thread: 'a', say: 'hello' });
    await client.run({ thread: 'a', path: '/connect' });
    await client.run({ thread: 'b', say: 'fail' });
    await client.run({ thread: 'c', say: 'hello', agent: 'foreign' });
    const { interrupts } = await client.run({ thread: 'd', say: 'email' });
    await client.run({ thread: 'd', say: 'hello' });
    const runs = { 'holdpoint.runs error': 1, 'holdpoint.runs cancelled': 1, 'holdpoint.runs interrupt': 1 };
    await eventually(async () => (await since(before))['holdpoint.runs interrupt'] === 1);
    expect(await since(before)).toEqual({
      ...runs,
      'holdpoint.runs success': 1,
      'holdpoint.runs.refused INTERRUPTS_PENDING': 1,
      'holdpoint.interrupts.pending': 1,
    });
    await client.post(`/threads/d/interrupts/${interrupts[0]?.id}/answer`, yes);
    await eventually(async () => (await since(before))['holdpoint.runs success'] === 2);
    expect(await since(before)).toMatchObject(runs);
  });

  it('the metrics of a host count answers that conflict with an earlier answer, in runs and in the inbox', async () => {
    const before = await counted();
    const { client } = setUp();
    const { interrupts } = await client.run({ say: 'both' });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}/answer`;
    await client.post(place, yes);
    expect(
      (await client.run({ resume: [approve(interrupts[0]), approve(interrupts[1])] })).error,
    ).toBeDefined();
    expect((await since(before))['holdpoint.claims.lost']).toBeUndefined();
    await client.run({
      resume: [approve(interrupts[0]), { interruptId: interrupts[1]?.id, status: 'cancelled' }],
    });
    expect((await client.run({ resume: [{ interruptId: interrupts[0]?.id, ...no }] })).error?.code).toBe(
      'INTERRUPT_CONFLICT',
    );
    expect((await since(before))['holdpoint.claims.lost']).toBe(1);
    expect((await client.post(place, no)).status).toBe(409);
    expect((await since(before))['holdpoint.claims.lost']).toBe(2);
  });

  it('the metrics of a host count open interrupts beyond one page', async () => {
    const store = memoryStore();
    setUp({ store });
    const puts = Array.from({ length: 2100 }, (_, n) => ({
      table: 'interrupts' as const,
      key: { scope: 's', thread: 't', id: `q${n}` },
      doc: {},
      index: { status: n < 2050 ? 'pending' : 'resolved' },
    }));
    await store.commit({ puts });
    const points = await pointsOf('holdpoint.interrupts.pending');
    expect(points.find(({ attributes }) => attributes['gen_ai.agent.id'] === '')?.value).toBe(2050);
  });

  it('the metrics of a host count the work of sweeps only', async () => {
    const before = await counted();
    let now = Date.now();
    const store = memoryStore({ clock: { now: () => now } });
    const { host, client } = setUp({ store, interrupts: { ttlMs: 1000, onExpire: 'deny' } });
    await client.run({ say: 'email' });
    const stranger = setUp({ store, agents: [] });
    now += 5000;
    await stranger.host.sweep();
    now += 1;
    await stranger.host.sweep();
    expect(await since(before)).toMatchObject({ 'holdpoint.sweeper expired': 1 });
    expect((await since(before))['holdpoint.sweeper continued']).toBeUndefined();
    now += 1;
    await host.sweep();
    await eventually(async () => (await client.get('/threads/t')).body.status === 'idle');
    now += 700_000;
    await host.sweep();
    await host.sweep();
    expect(await since(before)).toMatchObject({
      'holdpoint.sweeper expired': 1,
      'holdpoint.sweeper continued': 1,
      'holdpoint.sweeper trimmed': 1,
    });
  });
});

describe.each(['memory', 'SQLite', 'PostgreSQL'])('the metrics about people on %s', (kind) => {
  let now = 1_000_000;
  const clock = { now: () => now };
  const openStore = async () => {
    const store =
      kind === 'PostgreSQL'
        ? postgresStore(await createDatabase())
        : kind === 'memory'
          ? memoryStore({ clock })
          : sqliteStore(':memory:', { clock });
    stores.push(store);
    return store;
  };
  /** PostgreSQL has a clock of its own, which a test cannot move. */
  const expectSeconds = (seconds: number, expected: number) =>
    kind === 'PostgreSQL'
      ? expect(seconds).toBeGreaterThanOrEqual(0)
      : expect(Math.round(seconds)).toBe(expected);

  it('count waiting interrupts by reason and agent, and give the age of the oldest', async () => {
    const { client } = setUp({ store: await openStore() });
    await client.run({ thread: 'a', say: 'email' });
    now += 60_000;
    const { interrupts } = await client.run({ thread: 'b', say: 'choose' });
    const waiting = async (reason: string | undefined) => {
      const attributes = { 'holdpoint.interrupt.reason': reason, 'gen_ai.agent.id': 'assistant' };
      const points = await pointsOf('holdpoint.interrupts.pending');
      return points.find((point) => isDeepStrictEqual(point.attributes, attributes))?.value;
    };
    expect([await waiting('tool_call'), await waiting(interrupts[0]?.reason)]).toEqual([1, 1]);
    const [oldest] = await pointsOf('holdpoint.interrupts.oldest');
    expectSeconds(Number(oldest?.value), 60);
    await client.post(`/threads/b/interrupts/${interrupts[0]?.id}/answer`, { status: 'cancelled' });
    expect([await waiting('tool_call'), await waiting(interrupts[0]?.reason)]).toEqual([1, 0]);
  });

  it('record the time to each decision, also when a batch waits for others', async () => {
    const { client } = setUp({ store: await openStore() });
    /** The seconds to all decisions of each kind. */
    const secondsTo = async (): Promise<Record<string, number>> => {
      const points = await pointsOf('holdpoint.decision.time');
      const sums: Record<string, number> = {};
      for (const { value, attributes } of points) {
        const decision = String(attributes['holdpoint.decision']);
        sums[decision] = (sums[decision] ?? 0) + (value as { sum: number }).sum;
      }
      return sums;
    };
    const before = await secondsTo();
    const { interrupts } = await client.run({ say: 'both' });
    now += 30_000;
    await client.post(`/threads/t/interrupts/${interrupts[0]?.id}/answer`, no);
    now += 30_000;
    await client.run({ resume: [{ interruptId: interrupts[1]?.id, status: 'cancelled' }] });
    const after = await secondsTo();
    expectSeconds((after['rejected'] ?? NaN) - (before['rejected'] ?? 0), 30);
    expectSeconds((after['cancelled'] ?? NaN) - (before['cancelled'] ?? 0), 60);
  });
});

describe('the metrics on a dashboard', () => {
  it('the Grafana dashboard shows metrics of the host only', async () => {
    const { client } = setUp();
    const { interrupts } = await client.run({ say: 'email' });
    await client.run({ say: 'hello' });
    await client.run({ resume: [approve(interrupts[0])] });
    await reader.forceFlush();
    const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
    // As the Prometheus exporter names them: dots become underscores, with the unit, and `_total` for counters.
    const known = new Set(
      scopes
        .flatMap(({ metrics }) => metrics)
        .map(
          ({ descriptor: { name, unit } }) => `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}`,
        ),
    );
    const text = readFileSync(new URL('../../docs/grafana-dashboard.json', import.meta.url), 'utf8');
    const used = new Set(
      [...text.matchAll(/holdpoint_[a-z_]+/g)].map(([name]) =>
        name.replace(/_(?:total|bucket|sum|count)$/, ''),
      ),
    );
    used.delete('holdpoint_interrupt_reason');
    used.delete('holdpoint_decision');
    expect(used.size).toBeGreaterThan(3);
    expect([...used].filter((name) => !known.has(name))).toEqual([]);
  });
});
