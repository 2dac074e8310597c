import { isApprovable, isApproved } from '../content/interrupts/index.ts';
import type { TelemetryApi, TelemetryOptions } from '../engine/index.ts';
import type { ErrorCode } from '../core/index.ts';
import { everyPage } from '../core/index.ts';
import type { InterruptRecord, RunStatus } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';

type Attributes = Record<string, string>;

interface Counter {
  add(value: number, attributes?: Attributes): void;
}

interface ObservableResult {
  observe(value: number, attributes?: Attributes): void;
}

interface ObservableGauge {
  addCallback(read: (result: ObservableResult) => Promise<void> | void): void;
  removeCallback(read: (result: ObservableResult) => Promise<void> | void): void;
}

/** The part of a meter that the host uses in addition to runs. */
interface HostMeter {
  createCounter(name: string, options?: { readonly description: string }): Counter;
  createObservableGauge(
    name: string,
    options?: { readonly description: string; readonly unit?: string },
  ): ObservableGauge;
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
  /** A run has claimed the answers to these interrupts. */
  decided(claimed: readonly InterruptRecord[]): void;
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

/** In seconds; people take from five seconds to a week. */
const BOUNDARIES = [5, 15, 60, 300, 900, 3600, 14_400, 43_200, 86_400, 259_200, 604_800];

const WAITING = { table: 'interrupts', status: ['pending'] } as const;

export function createHostMetrics(options: HostTelemetryOptions, store: Store): HostMetrics {
  const meter = options.api.metrics.getMeter(options.tracerName ?? 'holdpoint');
  const runs = meter.createCounter('holdpoint.runs', { description: 'Runs, by how they ended' });
  const refused = meter.createCounter('holdpoint.runs.refused', {
    description: 'Runs that were not begun, by why',
  });
  const lost = meter.createCounter('holdpoint.claims.lost', { description: 'Answers that came second' });
  const sweeper = meter.createCounter('holdpoint.sweeper', { description: 'What the sweeper took up' });
  const decisionTime = meter.createHistogram('holdpoint.decision.time', {
    description: 'Time from an interrupt to its answer',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const seen = new Map<string, Waiting>();
  const gauges = [
    observe(
      meter.createObservableGauge('holdpoint.interrupts.pending', {
        description: 'Interrupts without an answer, by reason and agent',
      }),
      async (result) => {
        // A reader keeps the last value of attributes that are no longer observed, so they are observed as 0.
        const counts = new Map([...seen].map(([name, { attributes }]) => [name, { value: 0, attributes }]));
        for (const [name, counted] of await countWaiting(store)) {
          counts.set(name, counted);
          seen.set(name, counted);
        }
        if (counts.size === 0) result.observe(0);
        for (const { value, attributes } of counts.values()) result.observe(value, attributes);
      },
    ),
    observe(
      meter.createObservableGauge('holdpoint.interrupts.oldest', {
        description: 'Age of the oldest interrupt without an answer; 0 without one',
        unit: 's',
      }),
      async (result) => {
        const [{ rows }, now] = await Promise.all([store.list({ ...WAITING, limit: 1 }), store.now()]);
        result.observe(Math.max(0, now - (rows[0]?.createdAt ?? now)) / 1000);
      },
    ),
  ];
  return {
    run: (outcome, agent) => runs.add(1, { outcome, 'gen_ai.agent.id': agent }),
    decided(claimed) {
      for (const { interrupt, agent, answer, raisedAt } of claimed) {
        if (answer === undefined) continue;
        const { reason } = interrupt;
        const decision = decisionOf(interrupt, answer);
        decisionTime.record(Math.max(0, answer.at - raisedAt) / 1000, {
          'holdpoint.interrupt.reason': reason,
          'gen_ai.agent.id': agent,
          'holdpoint.decision': decision,
        });
      }
    },
    refused: (code, agent) => refused.add(1, { 'error.type': code, 'gen_ai.agent.id': agent }),
    claimLost: () => lost.add(1),
    swept: (what, count) => {
      if (count > 0) sweeper.add(count, { what });
    },
    stop() {
      for (const stop of gauges) stop();
    },
  };
}

/** Reads a gauge whenever metrics are collected; the returned function stops that. */
function observe(gauge: ObservableGauge, read: (result: ObservableResult) => Promise<void>): () => void {
  gauge.addCallback(read);
  return () => gauge.removeCallback(read);
}

interface Waiting {
  readonly value: number;
  readonly attributes: Attributes;
}

/** The number of waiting interrupts for each reason and agent. */
async function countWaiting(store: Store): Promise<ReadonlyMap<string, Waiting>> {
  const counts = new Map<string, Waiting>();
  for await (const page of everyPage((from) => store.list({ ...WAITING, limit: PAGE, ...from }))) {
    for (const { index } of page.rows) {
      const { reason = '', agent = '' } = index;
      const name = JSON.stringify([reason, agent]);
      const attributes = { 'holdpoint.interrupt.reason': reason, 'gen_ai.agent.id': agent };
      counts.set(name, { value: (counts.get(name)?.value ?? 0) + 1, attributes });
    }
  }
  return counts;
}

function decisionOf(
  interrupt: InterruptRecord['interrupt'],
  { status, payload }: Pick<NonNullable<InterruptRecord['answer']>, 'status' | 'payload'>,
): string {
  if (status === 'cancelled') return 'cancelled';
  if (!isApprovable(interrupt)) return 'answered';
  return isApproved(payload) ? 'approved' : 'rejected';
}
