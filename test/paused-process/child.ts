/** A process that pauses itself at a named point, and reports what happens to it. */
import { appendFileSync } from 'node:fs';
import { HoldpointError } from 'holdpoint';
import type { FaultPoint } from '../../src/core/index.ts';
import { setFaultHook } from '../../src/core/index.ts';
import type { ResumeEntry } from '../../src/protocol/index.ts';
import { openEffects } from '../processes/effects.ts';
import type { StorePlace } from '../processes/store-place.ts';
import { openPlace } from '../processes/store-place.ts';
import { clerk } from './scenario.ts';

export interface PausePlan extends StorePlace {
  readonly effects: string;
  readonly report: string;
  readonly threadId: string;
  readonly leaseMs: number;
  /** Pauses itself (SIGSTOP) when it first reaches this point. */
  readonly pauseAt: FaultPoint | 'model:middle';
  /** The answers that its run begins with; without them it begins with a prompt. */
  readonly resume?: readonly ResumeEntry[];
}

const plan = JSON.parse(process.argv[2] ?? '{}') as PausePlan;
const report = (line: string) => appendFileSync(plan.report, `${line}\n`);

let wasPaused = false;
const pass = (point: PausePlan['pauseAt']) => {
  if (wasPaused || point !== plan.pauseAt) return;
  wasPaused = true;
  report('paused');
  process.kill(process.pid, 'SIGSTOP');
  report('woken');
};
setFaultHook(pass);

const store = openPlace(plan);
const { threadId, leaseMs, resume } = plan;
const agent = clerk(openEffects(plan.effects), () => pass('model:middle'));
try {
  const input = resume === undefined ? { prompt: 'go' } : { resume };
  const { finishReason, text } = await agent.generate({ store, threadId, leaseMs, ...input });
  report(`ended ${finishReason} ${text}`);
} catch (error) {
  report(`ended ${HoldpointError.is(error) ? error.code : String(error)}`);
}
// Waits for writes that are under way.
await store.close();
process.disconnect();
