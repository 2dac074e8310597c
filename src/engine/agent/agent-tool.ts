import type { Message } from '../../protocol/index.ts';
import type { LoopStart } from '../loop/run-loop.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import type { Agent } from './agent.ts';
import { partsOf } from './assemble-agent.ts';
import type { SubagentTool } from '../calls/run-subagent.ts';
import { TOOL_DEFAULTS } from '../tools/tool.ts';

const INPUT = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'What the agent is to do.' } },
  required: ['prompt'],
} as const;

/**
 * An agent of ours as a tool of another: its events are marked as those of a subagent, its interrupts become those
 * of the parent, and their answers reach it. Throws `INPUT_INVALID` for an agent that is not ours.
 *
 * @example
 * ```ts
 * import { agentTool, defineAgent } from 'holdpoint';
 * import { scriptedModel } from 'holdpoint/testing';
 *
 * const writer = defineAgent({ id: 'writer', description: 'Writes a text.', model: scriptedModel(['A text.']) });
 * const editor = defineAgent({ id: 'editor', model: scriptedModel(['Done.']), tools: [agentTool(writer)] });
 * ```
 */
export function agentTool(
  agent: Agent,
  options: { readonly name?: string; readonly description?: string } = {},
): SubagentTool {
  const parts = partsOf(agent);
  if (parts === undefined) {
    throw new HoldpointError('INPUT_INVALID', `The agent ${agent.id} was not made by defineAgent.`);
  }
  const name = options.name ?? agent.id;
  return {
    ...TOOL_DEFAULTS,
    // The call needs an approval only if the parent requires one for every call.
    approval: undefined,
    name,
    description: options.description ?? agent.description ?? `Hands the work to ${agent.name ?? agent.id}.`,
    kind: 'agent',
    input: INPUT,
    inputSchema: INPUT,
    async runSubagent({ input, messages, replies }, run) {
      const prompt = isRecord(input) && typeof input['prompt'] === 'string' ? input['prompt'] : '';
      const first: Message = { id: run.newId(), role: 'user', content: prompt };
      const start: LoopStart =
        messages.length === 0
          ? { messages: [], replies: undefined, newMessages: [first] }
          : { messages, replies, newMessages: [] };
      const { policies, toolMiddleware } = parts;
      const agentId = `${run.agentId}/${agent.id}`;
      const own = { ...run, agentId, policies: [...run.policies, ...policies], toolMiddleware };
      const result = await parts.runner(start, { clientTools: [], maxTurns: undefined }, own);
      if (result.finishReason === 'interrupted') {
        return { status: 'waiting', interrupts: result.interrupts, messages: result.messages };
      }
      return { status: 'done', output: result.result ?? result.text };
    },
  };
}
