/**
 * User input by interrupts, sample 10 of the .NET plan: an agent of content parts that asks for a value by yielding
 * a `userInputRequest`, then for an approval by a `functionApprovalRequest`. The answers are `userInputResponse`
 * and `functionApprovalResponse` parts.
 * Run: npx tsx --conditions=holdpoint-source examples/10-interrupts-user-input/server.ts
 */
import { contentAgent } from 'holdpoint';
import { isFunctionApprovalResponse, isTextContent, isUserInputResponse } from 'holdpoint/content';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { isMain } from '../console.ts';

export const port = 4710;
export const subscribed: unknown[] = [];

const agent = contentAgent({
  id: 'newsletter',
  async *run(messages, { runId }) {
    const contents = messages.at(-1)?.contents ?? [];
    const input = contents.find(isUserInputResponse);
    const decided = contents.find(isFunctionApprovalResponse);
    if (input?.cancelled === true || decided?.cancelled === true) {
      yield { type: 'text', text: 'Then not. You can come back whenever you like.' };
    } else if (decided?.approved === true) {
      const { address } = decided.functionCall.arguments as { address: string };
      subscribed.push(address);
      yield { type: 'text', text: `Welcome! The next letter goes to ${address}.` };
    } else if (decided !== undefined) {
      yield { type: 'text', text: `Nothing was sent: ${decided.reason}` };
    } else if (input !== undefined) {
      const call = { callId: `subscribe-${runId}`, name: 'subscribe', arguments: { address: input.value } };
      const functionCall = { type: 'functionCall', ...call } as const;
      yield { type: 'functionApprovalRequest', id: call.callId, functionCall };
    } else if (contents.some((part) => isTextContent(part) && /subscribe/i.test(part.text))) {
      yield { type: 'text', text: 'With pleasure. ' };
      yield {
        type: 'userInputRequest',
        id: `email-${runId}`,
        // An invalid address is rejected before it gets here, and the person can answer again.
        responseSchema: { type: 'string', format: 'email' },
        rawRepresentation: { prompt: 'Please provide your e-mail address', inputType: 'email' },
      };
    } else {
      yield { type: 'text', text: 'Say that you want to subscribe.' };
    }
  },
});

export const start = (at = port) =>
  serve(createHost({ agents: [agent], store: memoryStore() }), { port: at });

if (isMain(import.meta.url)) console.log(`The newsletter is at ${(await start()).url}/agents/newsletter`);
