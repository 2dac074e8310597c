import type { TelemetryApi, TelemetryOptions } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';

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
  /** How a request for a run ended before, or as, a run. */
  run(outcome: string, agent: string): void;
  /** Somebody's answer came second. */
  claimLost(): void;
  /** The sweeper took something up. */
  swept(what: 'expired' | 'continued' | 'trimmed', count: number): void;
  stop(): void;
}

/** The most that is counted of what waits: a gauge need not read a whole inbox. */
const MOST_COUNTED = 1000;

export function createHostMetrics(options: HostTelemetryOptions | undefined, store: Store): HostMetrics {
  if (options === undefined) {
    return {
      run: () => undefined,
      claimLost: () => undefined,
      swept: () => undefined,
      stop: () => undefined,
    };
  }
  const meter = options.api.metrics.getMeter(options.tracerName ?? 'holdpoint');
  const runs = meter.createCounter('holdpoint.runs', { description: 'Runs, by how they ended' });
  const lost = meter.createCounter('holdpoint.claims.lost', { description: 'Answers that came second' });
  const sweeper = meter.createCounter('holdpoint.sweeper', { description: 'What the sweeper took up' });
  const pending = meter.createObservableGauge('holdpoint.interrupts.pending', {
    description: `Questions that wait for an answer, at most ${MOST_COUNTED}`,
  });
  const read = async (result: { observe(value: number): void }) => {
    const { rows } = await store.list({ table: 'interrupts', status: ['pending'], limit: MOST_COUNTED });
    result.observe(rows.length);
  };
  pending.addCallback(read);
  return {
    run: (outcome, agent) => runs.add(1, { outcome, 'gen_ai.agent.id': agent }),
    claimLost: () => lost.add(1),
    swept: (what, count) => {
      if (count > 0) sweeper.add(count, { what });
    },
    stop: () => pending.removeCallback(read),
  };
}
