import type { Access, ThreadRecord } from '../ledger/index.ts';
import { readQuestion } from '../ledger/index.ts';
import { EventType } from '../protocol/index.ts';
import { absentAgent } from './absent-agent.ts';
import { isForeignTurn } from './foreign-turn.ts';
import type { HostAgent } from './host-agent.ts';
import { toHostAgent } from './host-agent.ts';

/** Stands for the agent of a thread that is not there, to close a turn whose questions were all cancelled. */
export function standInFor({ agent: id, turn }: ThreadRecord): HostAgent {
  if (turn !== undefined && !isForeignTurn(turn)) return toHostAgent(absentAgent(id, turn));
  return toHostAgent({
    id,
    async *run({ threadId, runId }) {
      yield { type: EventType.RUN_FINISHED, threadId, runId };
    },
  });
}

/** Whether there is nothing to do on a thread but to say that nobody answered. */
export async function canStandIn(
  access: Access<never>,
  { batch, claimed = [], active, unfinished, input }: ThreadRecord,
): Promise<boolean> {
  const isAtRest = active === undefined && unfinished === undefined && input === undefined;
  if (batch === undefined || !isAtRest || claimed.length > 0) return false;
  const records = await Promise.all(batch.interruptIds.map((id) => readQuestion(access, id)));
  return records.every((record) => record?.answer?.status === 'cancelled');
}
