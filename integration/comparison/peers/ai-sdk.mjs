import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import { callerFiles } from '../world.mjs';
import { model } from './scripted-v4.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;

/** AI SDK has no store: its caller keeps the messages, in a file here. */
export async function open(folder, world) {
  const files = callerFiles(folder);
  const tools = {
    pay: tool({
      description: 'Pays.',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: ({ amount }) => world.pay(amount),
    }),
    // Without `execute`: a person gives its output.
    askEmail: tool({
      description: 'Your email?',
      inputSchema: z.object({}),
      outputSchema: z.object({ email: z.string() }),
    }),
  };
  const generate = async (thread, messages) => {
    const { content, responseMessages, text } = await generateText({
      model,
      tools,
      messages,
      stopWhen: stepCountIs(9),
    });
    files.write(thread, [...messages, ...responseMessages]);
    const waiting = content.flatMap(({ type, approvalId, toolCallId, toolName }) => {
      if (type === 'tool-approval-request') return [{ approvalId }];
      return type === 'tool-call' && toolName === 'askEmail' ? [{ toolCallId }] : [];
    });
    return { waiting, text };
  };
  return {
    ask: (thread, prompt) => generate(thread, [{ role: 'user', content: prompt }]),
    answer(thread, waiting, value) {
      const content = waiting.map(({ approvalId, toolCallId }) =>
        approvalId === undefined
          ? { type: 'tool-result', toolCallId, toolName: 'askEmail', output: { type: 'json', value } }
          : { type: 'tool-approval-response', approvalId, approved: value.approved },
      );
      return generate(thread, [...files.read(thread), { role: 'tool', content }]);
    },
  };
}
