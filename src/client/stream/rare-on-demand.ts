import { onDemand } from '../../core/basics/index.ts';
import type { ApplierParts } from '../../protocol/apply/index.ts';
import type { AgentStreamEvent } from '../../protocol/index.ts';
import type { Span, StreamRules } from '../../protocol/verify/index.ts';
import { broken } from '../../protocol/verify/index.ts';
import { failures } from '../failures.ts';

/** JSON Patch, which many agents never send, and what is about activities, steps and subagents. */
const patches = onDemand(() => import('../later/patch.ts'));
const rare = onDemand(() => import('../later/rare-events.ts'));

/** For the applier; {@link loadForEvent} comes before it. */
export const partsOnDemand: ApplierParts = {
  patch: (document, operations, owned) => patches.need().patchJson(document, operations, owned),
  applyRare(event, to) {
    if (isRare(event)) rare.need().applyRareEvent(event, to);
  },
};

/** For a verifier: the rules of subagents hold from the first event that is about one, and for what came before. */
export function rulesOnDemand(): StreamRules {
  let before: (readonly [AgentStreamEvent, Span | undefined])[] = [];
  let rules: StreamRules | undefined;
  return {
    check(event, span) {
      if (rules !== undefined) {
        rules.check(event, span);
        return;
      }
      if (event.type === 'RUN_STARTED') before = [];
      before.push([event, span]);
      if (!isRare(event)) return;
      rules = rare.need().createOwnerRules(broken);
      for (const [earlier, its] of before) rules.check(earlier, its);
    },
  };
}

/** What must be loaded before an event can be checked and applied; undefined when nothing is missing. */
export function loadForEvent(event: AgentStreamEvent): Promise<unknown> | undefined {
  const needed = [
    ...(isRare(event) ? [rare] : []),
    ...(event.type === 'RUN_ERROR' ? [failures] : []),
    ...(event.type === 'STATE_DELTA' || event.type === 'ACTIVITY_DELTA' ? [patches] : []),
  ].filter(({ loaded }) => loaded === undefined);
  return needed.length === 0 ? undefined : Promise.all(needed.map((part) => part.load()));
}

function isRare(event: AgentStreamEvent): boolean {
  if (/^(?:STEP|SUBAGENT|ACTIVITY|MESSAGES|REASONING_ENCRYPTED)_/.test(event.type)) return true;
  const messages = event.type === 'RUN_STARTED' ? event.input?.messages : undefined;
  return isTagged(event) || messages?.some(isTagged) === true;
}

function isTagged(thing: object): boolean {
  return 'subagentRunId' in thing && thing.subagentRunId !== undefined;
}
