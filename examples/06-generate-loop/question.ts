/**
 * The model asks the user a multiple-choice question: a tool that a person answers.
 * Run: npx tsx --conditions=holdpoint-source examples/06-generate-loop/question.ts
 */
import { defineAgent, defineInterrupt } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { ask, check, willAnswer } from '../console.ts';

const askQuestion = defineInterrupt({
  name: 'askQuestion',
  description: 'Use this to ask the user a clarifying question.',
  input: z.object({
    question: z.string(),
    choices: z.array(z.string()).describe('the choices to display to the user'),
    allowOther: z.boolean().optional().describe('when true, allow write-ins'),
  }),
  response: z.string(),
  requestMetadata: (question) => ({ question }),
});

// Any model works, such as fromAiSdk(openai('gpt-5')) from holdpoint/ai-sdk; this one needs no key.
const model = scriptedModel((request) => {
  const last = request.messages.at(-1);
  if (last?.role === 'tool') return last.content === 'Psycho' ? 'Right! It was Psycho.' : 'It was Psycho.';
  const question = 'In which film is a shower the last thing somebody takes?';
  return { calls: [{ name: 'askQuestion', input: { question, choices: ['Vertigo', 'Psycho', 'Rope'] } }] };
});

willAnswer('psy');
const agent = defineAgent({ id: 'trivia', model, tools: [askQuestion] });
let response = await agent.generate({ prompt: 'Ask me a movie trivia question.' });

while (response.finishReason === 'interrupted') {
  const answers = [];
  for (const part of response.interrupts) {
    const { question, choices } = askQuestion.inputOf(part);
    answers.push(askQuestion.respond(part, await ask(question, choices)));
  }
  response = await agent.generate({ messages: response.messages, resume: { respond: answers } });
}

console.log(response.text);
check(response.text, 'Right! It was Psycho.');
