/**
 * Approval by interrupts: the interrupt is a `functionApprovalRequest` among the contents of the run, and the
 * answer is a `functionApprovalResponse`. An interrupted run is not an error; two interrupts are answered together.
 * Run: npx tsx --conditions=holdpoint-source examples/09-interrupts-approval/client.ts
 */
import { createClient } from 'holdpoint/client';
import { approvalResponse, isFunctionApprovalRequest, isTextContent } from 'holdpoint/content';
import type { FunctionApprovalRequestContent, ResponseContent } from 'holdpoint/content';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

willAnswer('weather in Seattle', 'yes', 'weather in Oslo and Rome', 'no', 'Too cold there.', 'yes');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/weather` });
const threadId = crypto.randomUUID();
const replies: string[] = [];

async function decide(request: FunctionApprovalRequestContent): Promise<ResponseContent> {
  const { name, arguments: args } = request.functionCall;
  console.log(`The agent wants to call ${name} with ${JSON.stringify(args)}.`);
  const approved = (await ask('Do you approve?', ['yes', 'no'])) === 'yes';
  if (approved) return approvalResponse(request, { approved });
  return approvalResponse(request, { approved, reason: await ask('Why not?') });
}

for await (const message of said('weather in Seattle', 'weather in Oslo and Rome')) {
  let run = client.run({ threadId, messages: message });
  let text = '';
  for (;;) {
    const requests: FunctionApprovalRequestContent[] = [];
    for await (const { contents } of run) {
      for (const part of contents) {
        if (isFunctionApprovalRequest(part)) requests.push(part);
        if (!isTextContent(part)) continue;
        text += part.text;
        process.stdout.write(part.text);
      }
    }
    if (requests.length === 0) break;
    const responses: ResponseContent[] = [];
    for (const request of requests) responses.push(await decide(request));
    run = client.resume(run, responses);
  }
  console.log();
  replies.push(text);
}

check(server.looked, ['Seattle', 'Rome']);
check(replies, [
  'It is sunny in Seattle, 21 °C.',
  'Tool call invocation rejected. Too cold there. It is sunny in Rome, 21 °C.',
]);
await close();
