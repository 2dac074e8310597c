import { expect, it } from 'vitest';
import { answer, approve, cancel } from '../../content/index.ts';
import { runOnThread, WITH_FILES } from '../testing-support/run-on-thread.ts';
import { fromGenkit } from './from-genkit.ts';
import type { GenkitPart } from './sdk.ts';

const request = (name: string): GenkitPart => ({
  toolRequest: { name, ref: name, input: { amount: 1 } },
  metadata: { interrupt: { message: `${name}?` } },
});

/** Genkit: its first turn interrupts these tools, every later turn ends. */
function standIn(...names: readonly string[]) {
  const turns: { messages: unknown[]; resume?: unknown }[] = [];
  const agent = fromGenkit(
    (turn: { messages: unknown[]; resume?: unknown }) => {
      const interrupts = turns.push(turn) === 1 ? names.map(request) : [];
      const stream = (async function* () {
        yield { content: interrupts.length > 0 ? interrupts : [{ text: 'Done.' }] };
      })();
      return { stream, response: Promise.resolve({ messages: [...turn.messages, 'reply'], interrupts }) };
    },
    { respond: { ask: { type: 'string' } } },
  );
  return { turns, thread: runOnThread(agent) };
}

it('restarts a tool with the answer and edited arguments, and responds for a tool of defineInterrupt', async () => {
  const { turns, thread } = standIn('pay', 'ask');
  const { interrupts } = await thread.say('go');
  expect(interrupts.map(({ message, reason }) => [message, reason])).toEqual([
    ['pay?', 'tool_call'],
    ['ask?', 'input_required'],
  ]);
  await thread.run([approve(interrupts[0]!, { editedArgs: { amount: 2 } }), answer(interrupts[1]!, 'x')]);
  expect(turns[1]?.resume).toMatchObject({
    restart: [
      {
        toolRequest: { name: 'pay', ref: 'pay', input: { amount: 2 } },
        metadata: { resumed: { approved: true }, replacedInput: { amount: 1 } },
      },
    ],
    respond: [{ toolResponse: { name: 'ask', ref: 'ask', output: 'x' } }],
  });
});

it('closes cancelled calls without the model, and the next message finds them closed', async () => {
  const { turns, thread } = standIn('pay');
  const { interrupts } = await thread.say('go');
  const answeredBy = { id: 'bob', scope: 'a' };
  expect((await thread.run([cancel(interrupts[0]!)], { answeredBy })).outcome).toBe('success');
  expect(turns).toHaveLength(1);
  await thread.say('next');
  expect(turns[1]?.messages.at(-2)).toMatchObject({
    role: 'tool',
    content: [{ toolResponse: { name: 'pay', output: 'Cancelled by bob.' } }],
  });
});

it('passes the files of a message on', async () => {
  const { turns, thread } = standIn();
  await thread.say(WITH_FILES);
  const content = [
    { text: 'Look.' },
    { media: { url: 'data:image/png;base64,aGk=', contentType: 'image/png' } },
    { media: { url: 'https://example.com/a.pdf', contentType: 'application/pdf' } },
  ];
  expect(turns[0]?.messages).toEqual([{ role: 'user', content }]);
});
