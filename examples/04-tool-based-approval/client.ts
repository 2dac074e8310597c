/**
 * Declares the tool `request_approval`, asks the user when the agent calls it, and sends back the answer as its
 * result. There are no interrupts: for the server this is a tool like any other. `server.ts` says when to use
 * which.
 * Run: npx tsx --conditions=holdpoint-source examples/04-tool-based-approval/client.ts
 */
import { createClient } from 'holdpoint/client';
import type { ClientTool } from 'holdpoint/client';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

interface ApprovalRequest {
  readonly approval_id: string;
  readonly function_name: string;
  readonly function_arguments: unknown;
}

const requestApproval: ClientTool = {
  name: 'request_approval',
  description: 'Asks the user whether a function may be called.',
  parameters: {
    type: 'object',
    properties: {
      request: {
        type: 'object',
        properties: {
          approval_id: { type: 'string' },
          function_name: { type: 'string' },
          function_arguments: { type: 'object' },
        },
        required: ['approval_id', 'function_name'],
      },
    },
    required: ['request'],
  },
  async run(input) {
    const { request } = input as { request: ApprovalRequest };
    const call = `${request.function_name}(${JSON.stringify(request.function_arguments)})`;
    const said = await ask(`The agent wants to call ${call}. May it?`, ['yes', 'no']);
    return { approval_id: request.approval_id, approved: said === 'yes' };
  },
};

willAnswer('archive my newsletters', 'yes', 'archive my invoices', 'no');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/mail`, tools: [requestApproval] });
const threadId = crypto.randomUUID();
const replies: unknown[] = [];

for await (const message of said('archive my newsletters', 'archive my invoices')) {
  // The run continues by itself: asked, answered, done.
  const { messages } = await client.run({ threadId, messages: message }).finished;
  replies.push(messages.at(-1)?.content);
  console.log(replies.at(-1));
}

check(server.archived, ['newsletters']);
check(replies, ['newsletters is archived.', 'I left invoices alone.']);
await close();
