/**
 * User input by interrupts: a `userInputRequest` among the contents of a run, with the agent's payload as its raw
 * representation, is answered by a `userInputResponse` in the next message. An empty answer cancels it. Then the
 * subscription is approved or rejected.
 * Run: npx tsx --conditions=holdpoint-source examples/10-interrupts-user-input/client.ts
 */
import { createClient, HoldpointError } from 'holdpoint/client';
import { approvalResponse, cancelledResponse, inputResponse } from 'holdpoint/content';
import { isFunctionApprovalRequest, isTextContent, isUserInputRequest } from 'holdpoint/content';
import type { FunctionApprovalRequestContent, UserInputRequestContent } from 'holdpoint/content';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

type Asked = UserInputRequestContent | FunctionApprovalRequestContent;

willAnswer('subscribe me', 'ana at example', 'ana@example.com', 'yes');
willAnswer('subscribe my boss', 'boss@example.com', 'no', 'She did not ask for it.', 'subscribe my cat', '');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/newsletter` });
const threadId = crypto.randomUUID();
const refused: string[] = [];
const replies: string[] = [];

/** The prompt in the agent's payload. */
function promptOf({ message, rawRepresentation }: UserInputRequestContent): string {
  const { metadata } = rawRepresentation as { metadata?: { payload?: { prompt?: string } } };
  return metadata?.payload?.prompt ?? message ?? 'Your answer';
}

async function reply(request: Asked) {
  if (isUserInputRequest(request)) {
    const text = await ask(`${promptOf(request)} (empty to decline):`);
    return text === '' ? cancelledResponse(request) : inputResponse(request, text);
  }
  const { name, arguments: args } = request.functionCall;
  const approved = (await ask(`${name} ${JSON.stringify(args)}?`, ['yes', 'no'])) === 'yes';
  return approvalResponse(request, approved ? { approved } : { approved, reason: await ask('Why not?') });
}

for await (const message of said('subscribe me', 'hello')) {
  let run = client.run({ threadId, messages: message });
  let open: Asked | undefined;
  let text = '';
  for (;;) {
    try {
      let request: Asked | undefined;
      for await (const { contents } of run) {
        for (const part of contents) {
          if (isTextContent(part)) process.stdout.write(part.text);
          if (isTextContent(part)) text += part.text;
          if (isUserInputRequest(part) || isFunctionApprovalRequest(part)) request = part;
        }
      }
      open = request;
    } catch (error) {
      // Nothing was sent: the interrupt is still open.
      if (!HoldpointError.is(error, 'ANSWER_INVALID')) throw error;
      refused.push(error.issues?.[0]?.message ?? error.message);
      console.log(`This answer is not valid: ${refused.at(-1)}.`);
    }
    if (open === undefined) break;
    run = client.run({ threadId, messages: [{ role: 'user', contents: [await reply(open)] }] });
  }
  console.log();
  replies.push(text);
}

check(refused.length, 1);
check(server.subscribed, ['ana@example.com']);
check(replies, [
  'With pleasure. Welcome! The next letter goes to ana@example.com.',
  'With pleasure. Nothing was sent: She did not ask for it.',
  'With pleasure. Then not. You can come back whenever you like.',
]);
await close();
