import * as api from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryStore } from '../../store/memory/index.ts';
import { createHost } from '../create-host.ts';
import { demoAgent } from '../testing-support/demo-agent.ts';

const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
afterAll(async () => {
  await reader.shutdown();
  api.metrics.disable();
});

/** The newest value of each metric, by name. */
async function metrics(): Promise<Record<string, number>> {
  await reader.forceFlush();
  const newest =
    exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap(({ metrics: found }) => found) ?? [];
  return Object.fromEntries(
    newest.flatMap(({ descriptor, dataPoints }) => {
      const values = dataPoints.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
      return values.length === 0 ? [] : [[descriptor.name, values.reduce((sum, value) => sum + value)]];
    }),
  );
}

describe('a host that is measured', () => {
  it('counts runs, what waits, and answers that came second', async () => {
    const host = createHost({
      agents: [demoAgent({ done: [] })],
      store: memoryStore(),
      telemetry: { api },
      sweepMs: 0,
    });
    const post = async (body: object) => {
      const response = await host.fetch(
        new Request('http://localhost/agents/assistant', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            threadId: 't',
            runId: crypto.randomUUID(),
            tools: [],
            context: [],
            state: {},
            ...body,
          }),
        }),
      );
      return response.text();
    };
    const text = await post({ messages: [{ id: 'm', role: 'user', content: 'email' }] });
    const id = /"interrupts":\[\{"id":"([^"]+)"/.exec(text)?.[1];
    expect(await metrics()).toMatchObject({ 'holdpoint.runs': 1, 'holdpoint.interrupts.pending': 1 });
    const answer = (approved: boolean) => ({
      messages: [],
      resume: [{ interruptId: id, status: 'resolved', payload: { approved } }],
    });
    await post(answer(true));
    expect(await post(answer(false))).toContain('INTERRUPT_CONFLICT');
    expect(await metrics()).toMatchObject({ 'holdpoint.claims.lost': 1, 'holdpoint.interrupts.pending': 0 });
    await host.close();
  });
});
