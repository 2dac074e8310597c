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
}

/** Makes the agents of a framework; `folder` is for checkpoints of its own. */
export type CreateAgents = (
  world: World,
  folder: string,
) => Promise<Readonly<Record<string, AgentLike>>> | Readonly<Record<string, AgentLike>>;

export async function serveAgents(create: CreateAgents): Promise<void> {
  const { folder, ttlMs } = JSON.parse(process.argv[2] ?? '{}') as ServeSetting;
  const host = createHost({
    agents: await create(openWorld(`${folder}/world`), folder),
    store: sqliteStore(`${folder}/holdpoint.db`),
    sweepMs: 100,
    ...(ttlMs === undefined ? {} : { interrupts: { ttlMs } }),
    authenticate(request) {
      const scope = request.headers.get('authorization');
      return scope === null ? null : { id: `person of ${scope}`, scope };
    },
  });
  const { url } = await serve(host, { port: 0 });
  process.send?.({ url });
}
