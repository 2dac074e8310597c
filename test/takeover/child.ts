/** The process that is killed or frozen in the middle of a run. */
import type { ResumeEntry } from '../../src/protocol/index.ts';
import { openWorld } from '../crash/scenario.ts';
import type { StorePlace } from '../races/store-place.ts';
import { openPlace } from '../races/store-place.ts';
import { clerk, LEASE_MS } from './scenario.ts';

export interface TakeoverPlan extends StorePlace {
  readonly world: string;
  readonly threadId: string;
  /** The approval that its run begins with. */
  readonly resume: readonly ResumeEntry[];
}

const plan = JSON.parse(process.argv[2] ?? '{}') as TakeoverPlan;
const { threadId, resume } = plan;
await clerk(openWorld(plan.world)).generate({
  store: openPlace(plan),
  threadId,
  leaseMs: LEASE_MS,
  resume,
});
