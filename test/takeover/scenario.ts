/** An agent with one call, which needs an approval and never ends when it first runs. */
import { defineAgent, defineTool } from 'holdpoint';
import type { GeneratingAgent } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import type { Effects } from '../processes/effects.ts';

/** Longer than any test: a run that is taken over before is taken over because its process is dead. */
export const LEASE_MS = 3_600_000;

export function clerk(effects: Effects): GeneratingAgent {
  const note = defineTool({
    name: 'note',
    description: 'May run twice.',
    input: { type: 'object' },
    approval: true,
    idempotent: true,
    run(_input, { threadId, idempotencyKey }) {
      const effect = `${threadId} ${idempotencyKey}`;
      const isFirst = !effects.lines.includes(effect);
      effects.add(effect);
      return isFirst ? new Promise(() => setInterval(() => undefined, 60_000)) : 'noted';
    },
  });
  return defineAgent({
    id: 'clerk',
    tools: [note],
    model: scriptedModel(({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'All done.' : { calls: [{ id: 'note', name: 'note' }] },
    ),
  });
}
