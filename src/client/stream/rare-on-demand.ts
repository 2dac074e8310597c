import { onDemand } from '../../core/basics/index.ts';
import type { ApplierParts } from '../../protocol/apply/index.ts';
import type { AgentStreamEvent } from '../../protocol/index.ts';
import { failures } from '../failures.ts';

/** JSON Patch, which many agents never send, and what is about activities. */
const patches = onDemand(() => import('../later/patch.ts'));
const rare = onDemand(() => import('../later/rare-events.ts'));

/** For the applier; {@link loadForEvent} comes before it. */
export const partsOnDemand: ApplierParts = {
  patch: (document, operations, owned) => patches.need().patchJson(document, operations, owned),
  applyRare(event, to) {
    if (isRare(event)) rare.need().applyRareEvent(event, to);
  },
};

/** What must be loaded before an event can be checked and applied; undefined when nothing is missing. */
export function loadForEvent(event: AgentStreamEvent): Promise<unknown> | undefined {
  const needed = [
    ...(isRare(event) ? [rare] : []),
    ...(event.type === 'RUN_ERROR' ? [failures] : []),
    ...(event.type === 'STATE_DELTA' || event.type === 'ACTIVITY_DELTA' ? [patches] : []),
  ].filter(({ loaded }) => loaded === undefined);
  return needed.length === 0 ? undefined : Promise.all(needed.map((part) => part.load()));
}

function isRare({ type }: AgentStreamEvent): boolean {
  return /^(?:ACTIVITY|REASONING_ENCRYPTED)_/.test(type);
}
