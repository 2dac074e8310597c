import type { TelemetryApi, TelemetryOptions } from '../engine/index.ts';
import type { ErrorCode } from '../core/index.ts';
import type { RunStatus } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';

interface Counter {
  add(value: number, attributes?: Record<string, string>): void;
}

/** The part of a meter that the host uses in addition to runs. */
interface HostMeter {
  createCounter(name: string, options?: { readonly description: string }): Counter;
  createObservableGauge(
    name: string,
    options?: { readonly description: string },
  ): {
    addCallback(read: (result: { observe(value: number): void }) => Promise<void> | void): void;
    removeCallback(read: (result: { observe(value: number): void }) => Promise<void> | void): void;
  };
}

type RunMeter = ReturnType<TelemetryApi['metrics']['getMeter']>;

/** The part of `@opentelemetry/api` that the host uses. */
export interface HostTelemetryOptions extends TelemetryOptions {
  /** `@opentelemetry/api`, imported by the application as `* as api`. */
  readonly api: Omit<TelemetryApi, 'metrics'> & {
    readonly metrics: { getMeter(name: string): RunMeter & HostMeter };
  };
}

/** The metrics of a host. */
export interface HostMetrics {
  /** A run ended. */
  run(outcome: RunStatus, agent: string): void;
  /** The ledger rejected a run. */
  refused(code: ErrorCode, agent: string): void;
  /** An answer lost a race. */
  claimLost(): void;
  /** A sweep did some work. */
  swept(what: 'expired' | 'continued' | 'trimmed' | 'withdrawn', count: number): void;
  stop(): void;
}

/** Rows that one count reads. */
const PAGE = 1000;

export function createHostMetrics(options: HostTelemetryOptions, store: Store): HostMetrics {
  const meter = options.api.metrics.getMeter(options.tracerName ?? 'holdpoint');
  const runs = meter.createCounter('holdpoint.runs', { description: 'Runs, by how they ended' });
  const refused = meter.createCounter('holdpoint.runs.refused', {
    description: 'Runs that were not begun, by why',
  });
  const lost = meter.createCounter('holdpoint.claims.lost', { description: 'Answers that came second' });
  const sweeper = meter.createCounter('holdpoint.sweeper', { description: 'What the sweeper took up' });
  const pending = meter.createObservableGauge('holdpoint.interrupts.pending', {
    description: 'Open interrupts',
  });
  const read = async (result: { observe(value: number): void }) => {
    const query = { table: 'interrupts', status: ['pending'], limit: PAGE } as const;
    let page = await store.list(query);
    let count = page.rows.length;
    while (page.next !== undefined) {
      page = await store.list({ ...query, cursor: page.next });
      count += page.rows.length;
    }
    result.observe(count);
  };
  pending.addCallback(read);
  return {
    run: (outcome, agent) => runs.add(1, { outcome, 'gen_ai.agent.id': agent }),
    refused: (code, agent) => refused.add(1, { 'error.type': code, 'gen_ai.agent.id': agent }),
    claimLost: () => lost.add(1),
    swept: (what, count) => {
      if (count > 0) sweeper.add(count, { what });
    },
    stop: () => pending.removeCallback(read),
  };
}
