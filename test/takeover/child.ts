/** A process that is killed or paused during a run. */
import type { ResumeEntry } from '../../src/protocol/index.ts';
import { openEffects } from '../processes/effects.ts';
import type { StorePlace } from '../processes/store-place.ts';
import { openPlace } from '../processes/store-place.ts';
import { clerk, LEASE_MS } from './scenario.ts';

export interface TakeoverPlan extends StorePlace {
  readonly effects: string;
  readonly threadId: string;
  /** The approvals that its run begins with. */
  readonly resume: readonly ResumeEntry[];
}

const plan = JSON.parse(process.argv[2] ?? '{}') as TakeoverPlan;
const { threadId, resume } = plan;
await clerk(openEffects(plan.effects)).generate({
  store: openPlace(plan),
  threadId,
  leaseMs: LEASE_MS,
  resume,
});
