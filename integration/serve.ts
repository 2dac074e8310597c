/** A host process over SQLite with the agents of one framework. Started by `run-scenarios.ts`, which bundles it with them. */
import type { AgentLike } from '../src/host/index.ts';
import { createHost } from '../src/host/index.ts';
import { serve } from '../src/host/node/index.ts';
import { sqliteStore } from '../src/store/sqlite/index.ts';
import type { World } from './world.ts';
import { openWorld } from './world.ts';

export interface ServeSetting {
  /** A folder: the database, the world, and what a framework keeps itself. */
  readonly folder: string;
  readonly ttlMs?: number;
  /** Milliseconds until a killed process has lost its runs. Default: that of a host. */
  readonly leaseMs?: number;
  /** Whether the process never ends a payment: it sends `{ paid: amount }` and is killed. */
  readonly hangs?: boolean;
}

/** Makes the agents of a framework; the folder of the setting is for checkpoints of its own. */
export type CreateAgents = (
  world: World,
  folder: string,
  setting: ServeSetting,
) => Promise<Readonly<Record<string, AgentLike>>> | Readonly<Record<string, AgentLike>>;

export async function serveAgents(create: CreateAgents): Promise<void> {
  const setting = JSON.parse(process.argv[2] ?? '{}') as ServeSetting;
  const { folder, ttlMs, leaseMs, hangs } = setting;
  const world = openWorld(`${folder}/world`, hangs === true ? hang : undefined);
  const host = createHost({
    agents: await create(world, folder, setting),
    store: sqliteStore(`${folder}/holdpoint.db`),
    // A process whose interrupts expire at once takes no runs of the others.
    sweepMs: ttlMs === undefined ? 100 : 0,
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(ttlMs === undefined ? {} : { interrupts: { ttlMs } }),
    authenticate(request) {
      const scope = request.headers.get('authorization');
      return scope === null ? null : { id: `person of ${scope}`, scope };
    },
  });
  const { url } = await serve(host, { port: 0 });
  process.send?.({ url });
}

/** Tells the parent of a payment after everything that the process writes by itself, and never resolves. */
async function hang(amount: number): Promise<never> {
  for (let turn = 0; turn < 200; turn += 1) await new Promise((done) => setImmediate(done));
  process.send?.({ paid: amount });
  return new Promise(() => undefined);
}
