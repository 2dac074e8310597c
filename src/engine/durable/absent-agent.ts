import { CANCELLED_TEXT } from '../../content/interrupts/index.ts';
import type { JsonValue } from '../../core/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import { NO_MODEL } from '../agent/code-context.ts';
import type { GeneratingAgent } from '../agent/agent.ts';
import { defineAgent } from '../agent/define-agent.ts';
import { codeCallName } from '../calls/hidden-call.ts';

/**
 * Stands for an agent of ours that is not there: it has no tools and no model, so all it can do is to close a turn whose
 * questions were all cancelled.
 */
export function absentAgent(id: string, turn: JsonValue): GeneratingAgent {
  const calls = isRecord(turn) && Array.isArray(turn['toolCalls']) ? (turn['toolCalls'] as JsonValue[]) : [];
  const isCode = calls.some((call) => nameOf(call) === codeCallName(id));
  return defineAgent(isCode ? { id, run: stop } : { id, model: NO_MODEL.model });
}

function stop(): never {
  throw new HoldpointError('ANSWER_CANCELLED', CANCELLED_TEXT);
}

function nameOf(call: JsonValue): unknown {
  const made = isRecord(call) ? call['function'] : undefined;
  return isRecord(made) ? made['name'] : undefined;
}
