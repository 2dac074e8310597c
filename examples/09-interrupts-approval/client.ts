/**
 * Approval by interrupts: the question comes as a `functionApprovalRequest` among the contents of the run, and the answer
 * goes back as a `functionApprovalResponse`. A run that was interrupted is no error; two questions are answered together.
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
const told: string[] = [];

async function decide(request: FunctionApprovalRequestContent): Promise<ResponseContent> {
  const { name, arguments: given } = request.functionCall;
  console.log(`The agent wants to call ${name} with ${JSON.stringify(given)}.`);
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
  told.push(text);
}

check(server.looked, ['Seattle', 'Rome']);
check(told, [
  'It is sunny in Seattle, 21 °C.',
  'Tool call invocation rejected. Too cold there. It is sunny in Rome, 21 °C.',
]);
await close();
