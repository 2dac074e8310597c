/**
 * User input by interrupts: a `userInputRequest` among the contents of a run, with the agent's own payload in its raw
 * representation, is answered by a `userInputResponse` in the next message. An empty answer declines.
 * Run: npx tsx --conditions=holdpoint-source examples/10-interrupts-user-input/client.ts
 */
import { createClient, HoldpointError } from 'holdpoint/client';
import { cancelledResponse, inputResponse, isTextContent, isUserInputRequest } from 'holdpoint/content';
import type { UserInputRequestContent } from 'holdpoint/content';
import { ask, check, reach, said, willAnswer } from '../console.ts';
import * as server from './server.ts';

willAnswer('subscribe me', 'ana at example', 'ana@example.com', 'subscribe my boss', '');
const { url, close } = await reach(server);
const client = createClient({ url: `${url}/agents/newsletter` });
const threadId = crypto.randomUUID();
const refused: string[] = [];

/** What the agent put into its question. */
function promptOf({ message, rawRepresentation }: UserInputRequestContent): string {
  const { metadata } = rawRepresentation as { metadata?: { payload?: { prompt?: string } } };
  return metadata?.payload?.prompt ?? message ?? 'Your answer';
}

for await (const message of said('subscribe me', 'hello')) {
  let run = client.run({ threadId, messages: message });
  let open: UserInputRequestContent | undefined;
  for (;;) {
    try {
      let request: UserInputRequestContent | undefined;
      for await (const { contents } of run) {
        for (const part of contents) {
          if (isTextContent(part)) process.stdout.write(part.text);
          if (isUserInputRequest(part)) request = part;
        }
      }
      open = request;
    } catch (error) {
      // Nothing was sent: the question is still open.
      if (!HoldpointError.is(error, 'ANSWER_INVALID')) throw error;
      refused.push(error.issues?.[0]?.message ?? error.message);
      console.log(`That does not do: ${refused.at(-1)}.`);
    }
    if (open === undefined) break;
    const text = await ask(`${promptOf(open)} (empty to decline):`);
    const response = text === '' ? cancelledResponse(open) : inputResponse(open, text);
    run = client.run({ threadId, messages: [{ role: 'user', contents: [response] }] });
  }
  console.log();
}

check(refused.length, 1);
check(server.subscribed, ['ana@example.com']);
check(
  client.thread(threadId).getSnapshot().messages.at(-1)?.content,
  'Then not. You can come back whenever you like.',
);
await close();
