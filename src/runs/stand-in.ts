import type { JsonValue } from '../core/index.ts';
import { HoldpointError, isRecord } from '../core/index.ts';
import type { Agent } from '../engine/index.ts';
import { codeCallName, defineAgent } from '../engine/index.ts';
import type { Access, ThreadRecord } from '../ledger/index.ts';
import { readInterrupt } from '../ledger/index.ts';
import { EventType } from '../protocol/index.ts';
import { isForeignTurn } from './foreign-turn.ts';
import type { HostAgent } from './host-agent.ts';
import { toHostAgent } from './host-agent.ts';

/** An agent that replaces a missing one, to close a turn whose interrupts were all cancelled. */
export function standInFor({ agent: id, turn }: ThreadRecord): HostAgent {
  if (turn !== undefined && !isForeignTurn(turn)) return toHostAgent(absentAgent(id, turn));
  return toHostAgent({
    id,
    async *run({ threadId, runId }) {
      yield { type: EventType.RUN_FINISHED, threadId, runId };
    },
  });
}

/** Whether the only work on a thread is to close a batch whose interrupts are all cancelled. */
export async function canStandIn(
  access: Access<never>,
  { batch, claimed = [], active, unfinished, input }: ThreadRecord,
): Promise<boolean> {
  const isAtRest = active === undefined && unfinished === undefined && input === undefined;
  if (batch === undefined || !isAtRest || claimed.length > 0) return false;
  const records = await Promise.all(batch.interruptIds.map((id) => readInterrupt(access, id)));
  return records.every((record) => record?.answer?.status === 'cancelled');
}

/**
 * Replaces a missing agent of ours. Without tools and model it can only close a turn whose interrupts were all
 * cancelled.
 */
export function absentAgent(id: string, turn: JsonValue): Agent {
  const calls = isRecord(turn) && Array.isArray(turn['toolCalls']) ? (turn['toolCalls'] as JsonValue[]) : [];
  const isCode = calls.some((call) => nameOf(call) === codeCallName(id));
  return defineAgent(isCode ? { id, run: stop } : { id, model: { stream: stop } });
}

function stop(): never {
  throw new HoldpointError('ANSWER_CANCELLED', 'The agent is gone, and its interrupts were cancelled.');
}

function nameOf(call: JsonValue): unknown {
  const made = isRecord(call) ? call['function'] : undefined;
  return isRecord(made) ? made['name'] : undefined;
}
