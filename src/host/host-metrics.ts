import type { TelemetryApi, TelemetryOptions } from '../engine/index.ts';
import type { ErrorCode } from '../core/index.ts';
import type { RunStatus } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';

interface Counter {
  add(value: number, attributes?: Record<string, string>): void;
}

/** What of a meter the host uses besides what runs do. */
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

/** All of `@opentelemetry/api`, as the host needs it. */
export interface HostTelemetryOptions extends TelemetryOptions {
  readonly api: Omit<TelemetryApi, 'metrics'> & {
    readonly metrics: { getMeter(name: string): RunMeter & HostMeter };
  };
}

/** What a host counts. */
export interface HostMetrics {
  /** How a run ended, whoever began it. */
  run(outcome: RunStatus, agent: string): void;
  /** The ledger refused to begin a run. */
  refused(code: ErrorCode, agent: string): void;
  /** Somebody's answer came second. */
  claimLost(): void;
  /** The sweeper took something up. */
  swept(what: 'expired' | 'continued' | 'trimmed' | 'withdrawn', count: number): void;
  stop(): void;
}

/** Rows of one look at what waits. */
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
    description: 'Questions that wait for an answer',
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
