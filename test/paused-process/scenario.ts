/** The work of a paused process: approvals, idempotent calls, steps and model calls. */
import { defineAgent, defineTool } from 'holdpoint';
import type { ChatModel, GenerateResponse, GeneratingAgent } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import type { Store } from '../../src/store/index.ts';
import type { Effects } from '../processes/effects.ts';
import { answerTo, isFinished } from '../crash/scenario.ts';
import { until } from '../processes/processes.ts';

/** The effects that each finished thread has once. */
export const ONCE: readonly string[] = ['charge', 'transfer'];

const input = { type: 'object' } as const;

/** Calls `inModel` during each answer of the model. */
export function clerk(
  effects: Effects,
  inModel: () => void | Promise<void> = () => undefined,
): GeneratingAgent {
  const transfer = defineTool({
    name: 'transfer',
    description: 'Needs an approval, must not run twice.',
    input,
    approval: true,
    run: (_input, { threadId }) => (effects.add(`transfer ${threadId}`), 'sent'),
  });
  const note = defineTool({
    name: 'note',
    description: 'May run twice.',
    input,
    idempotent: true,
    run: (_input, { threadId }) => (effects.add(`note ${threadId}`), 'noted'),
  });
  const bill = defineTool({
    name: 'bill',
    description: 'Works in a step.',
    input,
    run: (_input, { step, threadId }) => step('charge', () => (effects.add(`charge ${threadId}`), 'charged')),
  });
  const script = scriptedModel(({ messages }) => {
    const called = messages.filter(({ role }) => role === 'tool').length;
    if (called === 0)
      return { text: 'I will.', calls: ['transfer', 'note'].map((name) => ({ id: name, name })) };
    return called === 2 ? { text: 'And then.', calls: [{ id: 'bill', name: 'bill' }] } : 'All done.';
  });
  const model: ChatModel = {
    ...script,
    async *stream(request) {
      let parts = 0;
      for await (const part of script.stream(request)) {
        parts += 1;
        if (parts === 2) await inModel();
        yield part;
      }
    },
  };
  return defineAgent({ id: 'clerk', model, tools: [transfer, note, bill] });
}

/** Brings a thread to its end, as a person who sees the effects would. */
export async function finish(
  agent: GeneratingAgent,
  given: { readonly store: Store; readonly threadId: string; readonly leaseMs: number },
  effects: Effects,
): Promise<GenerateResponse> {
  let response = await agent.generate(given);
  // The lease may seem to last a moment longer than it does.
  await until(async () => {
    if (isFinished(response) || response.interrupts.length > 0) return true;
    response = await agent.generate(given);
    return false;
  });
  while (!isFinished(response)) {
    const { interrupts } = response;
    if (interrupts.length === 0) throw new Error(`The thread ${given.threadId} stands still.`);
    const resume = interrupts.map((part) => answerTo(part, given.threadId, effects));
    response = await agent.generate({ ...given, resume });
  }
  return response;
}
