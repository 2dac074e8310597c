/** The process that is frozen: it stops itself at a named place, and says in a file what it lives through. */
import { appendFileSync } from 'node:fs';
import { HoldpointError } from 'holdpoint';
import type { FaultPoint } from '../../src/core/index.ts';
import { setFaultHook } from '../../src/core/index.ts';
import type { ResumeEntry } from '../../src/protocol/index.ts';
import { openEffects } from '../processes/effects.ts';
import type { StorePlace } from '../processes/store-place.ts';
import { openPlace } from '../processes/store-place.ts';
import { clerk } from './scenario.ts';

export interface FreezePlan extends StorePlace {
  readonly effects: string;
  readonly report: string;
  readonly threadId: string;
  readonly leaseMs: number;
  /** Stops itself when it comes here for the first time. */
  readonly freezeAt: FaultPoint | 'model:middle';
  /** What it says to the thread: an answer, or without one its first words. */
  readonly resume?: readonly ResumeEntry[];
}

const plan = JSON.parse(process.argv[2] ?? '{}') as FreezePlan;
const say = (line: string) => appendFileSync(plan.report, `${line}\n`);

let wasFrozen = false;
const pass = (point: FreezePlan['freezeAt']) => {
  if (wasFrozen || point !== plan.freezeAt) return;
  wasFrozen = true;
  say('frozen');
  process.kill(process.pid, 'SIGSTOP');
  say('woken');
};
setFaultHook(pass);

const store = openPlace(plan);
const { threadId, leaseMs, resume } = plan;
const agent = clerk(openEffects(plan.effects), () => pass('model:middle'));
try {
  const said = resume === undefined ? { prompt: 'go' } : { resume };
  const { finishReason, text } = await agent.generate({ store, threadId, leaseMs, ...said });
  say(`ended ${finishReason} ${text}`);
} catch (error) {
  say(`ended ${HoldpointError.is(error) ? error.code : String(error)}`);
}
// Waits for whatever was still to be written.
await store.close();
process.disconnect();
