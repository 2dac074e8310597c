import { Agent, run, RunState, setTracingDisabled, tool, Usage } from '@openai/agents';
import { z } from 'zod';
import { callerFiles, nextTurn } from '../world.mjs';

setTracingDisabled(true);

const model = {
  async getResponse({ input }) {
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    const lastUser = items.findLastIndex(({ role }) => role === 'user');
    const results = items.slice(lastUser + 1).filter(({ type }) => type === 'function_call_result');
    const { text, name, args } = nextTurn(
      items[lastUser].content,
      results.map(({ output }) => JSON.stringify(output)),
    );
    const output =
      text === undefined
        ? {
            type: 'function_call',
            callId: `call-${items.length}`,
            name,
            status: 'completed',
            arguments: JSON.stringify(args),
          }
        : {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text }],
          };
    return { usage: new Usage(), output: [output] };
  },
};

/** OpenAI Agents has no store for a paused run: its caller keeps the text of the `RunState`, in a file here. */
export async function open(folder, world) {
  const files = callerFiles(folder);
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }) => world.pay(amount),
  });
  const agent = new Agent({ name: 'payer', model, tools: [pay] });
  const go = async (thread, input) => {
    const { state, interruptions, finalOutput } = await run(agent, input);
    files.write(thread, state.toString());
    return { waiting: interruptions.map(({ rawItem }) => rawItem.callId), text: finalOutput };
  };
  return {
    ask: go,
    async answer(thread, waiting, value) {
      const state = await RunState.fromString(agent, files.read(thread));
      for (const item of state.getInterruptions()) {
        if (!waiting.includes(item.rawItem.callId)) continue;
        if (value.approved) state.approve(item);
        else state.reject(item);
      }
      return go(thread, state);
    },
  };
}
