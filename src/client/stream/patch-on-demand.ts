import { HoldpointError } from '../../core/index.ts';
import type { Patch } from '../../protocol/patch/index.ts';
import type { AgentStreamEvent } from '../../protocol/index.ts';
import { EventType } from '../../protocol/events/index.ts';
import { onDemand } from '../on-demand.ts';

/** JSON Patch, which many agents never send. */
const patches = onDemand(async () => (await import('../later/patch.ts')).patchJson);

/** For the applier; {@link loadForEvent} comes before it. */
export const patchOnDemand: Patch = (document, operations, owned) => {
  if (patches.loaded !== undefined) return patches.loaded(document, operations, owned);
  throw new HoldpointError('INTERNAL', 'JSON Patch is not loaded.');
};

/** What must be loaded before an event can be applied; undefined when nothing is missing. */
export function loadForEvent({ type }: AgentStreamEvent): Promise<unknown> | undefined {
  const isPatch = type === EventType.STATE_DELTA || type === EventType.ACTIVITY_DELTA;
  return isPatch && patches.loaded === undefined ? patches.load() : undefined;
}
