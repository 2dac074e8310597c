/**
 * Clarifying questions until the plan is complete, then an exit with the plan as the result.
 * Run: npx tsx --conditions=holdpoint-source examples/06-generate-loop/barbecue.ts
 */
import { defineAgent, defineExit, defineInterrupt } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { ask, check, willAnswer } from '../console.ts';

const askUser = defineInterrupt({
  name: 'askUser',
  description: 'Asks the user.',
  input: z.object({ question: z.string() }),
  response: z.string(),
});

const planIsReady = defineExit({
  name: 'planIsReady',
  description: 'Call this with the whole plan when nothing is left to ask.',
  input: z.object({ guests: z.string(), menu: z.string(), place: z.string() }),
});

const QUESTIONS = ['How many guests?', 'Meat, fish or vegetables?', 'Garden or balcony?'];

const model = scriptedModel((request) => {
  const answers = request.messages.flatMap((message) =>
    message.role === 'tool' ? [String(message.content)] : [],
  );
  const [guests, menu, place] = answers;
  // Two questions in one turn, then one more: the model continues when all are answered.
  if (answers.length === 0) {
    return { calls: QUESTIONS.slice(0, 2).map((question) => ({ name: 'askUser', input: { question } })) };
  }
  if (answers.length === 2) return { calls: [{ name: 'askUser', input: { question: QUESTIONS[2] } }] };
  return { calls: [{ name: 'planIsReady', input: { guests, menu, place } }] };
});

willAnswer('twelve', 'fish', 'garden');
const agent = defineAgent({
  id: 'barbecue',
  model,
  instructions: 'Ask clarifying questions until you have a complete solution.',
  tools: [askUser, planIsReady],
});

let response = await agent.generate({ prompt: 'Help me plan a backyard BBQ.' });
while (response.finishReason === 'interrupted') {
  const answers = [];
  for (const part of response.interrupts)
    answers.push(askUser.respond(part, await ask(askUser.inputOf(part).question)));
  response = await agent.generate({ messages: response.messages, resume: { respond: answers } });
}

console.log('The plan:', response.result);
check(response.finishReason, 'exit');
check(response.result, { guests: 'twelve', menu: 'fish', place: 'garden' });
