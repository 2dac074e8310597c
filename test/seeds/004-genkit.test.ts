/** The examples of "Pause generation using interrupts" (Genkit), in TypeScript, with their names and values. */
import type { Agent, ChatModel, InterruptPart, Tool, ToolContext } from 'holdpoint';
import { defineAgent, defineExit, defineTool, generate } from 'holdpoint';
import type { Message } from 'holdpoint/client';
import { answer, approve, cancel, createClient, respond, restart } from 'holdpoint/client';
import { cardFacts, plainAnswer, toRow } from 'holdpoint/elements';
import type { GenkitStream } from 'holdpoint/genkit';
import { fromGenkit } from 'holdpoint/genkit';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { run as command } from '../../src/cli/testing-support/run-command.ts';
import { amountOf, decidedAmount } from '../../src/elements/interrupt/amounts.ts';
import { walkSeed } from './walk.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const QuestionInput = z.object({
  choices: z.array(z.string()).describe('the choices to display to the user'),
  allowOther: z.boolean().optional().describe('when true, allow write-ins'),
});

function questions() {
  const runs: unknown[] = [];
  const askQuestion = defineTool({
    name: 'askQuestion',
    description: 'use this to ask the user a clarifying question',
    input: QuestionInput,
    output: z.string(),
    run(input, ctx): string {
      runs.push(input);
      return ctx.interrupt({ metadata: { question: input } });
    },
  });
  return { askQuestion, runs };
}

const CHOICES = ['Vertigo', 'Psycho'];
const ASK = { name: 'askQuestion', input: { choices: CHOICES } };
const TRIVIA = 'Ask me a movie trivia question.';

const TransferInput = z.object({
  toAccountId: z.string().describe('the account id of the transfer destination'),
  amount: z.number().int().describe('the amount in integer cents (100 = $1.00)'),
});
const TransferOutput = z.object({ status: z.string(), message: z.string().optional() });
const CONFIRM = 'Please confirm sending an amount > $100.';
const REJECTED = { status: 'REJECTED', message: 'The user rejected the transaction.' };
const COMPLETED = { status: 'COMPLETED' };

/** `transferMoney` as the guide has it; `confirmed` is the same tool with a schema of what it is resumed with. */
function payments() {
  const transfers: unknown[] = [];
  const resumedWith: unknown[] = [];
  const about = {
    name: 'transferMoney',
    description: 'Transfers money between accounts.',
    input: TransferInput,
    output: TransferOutput,
  };
  const transfer = (
    input: z.infer<typeof TransferInput>,
    ctx: ToolContext,
  ): z.infer<typeof TransferOutput> => {
    resumedWith.push(ctx.resumed);
    const resumed = ctx.resumed as { readonly status?: string } | undefined;
    // if the user rejected the transaction
    if (resumed?.status === 'REJECTED') return REJECTED;
    // trigger an interrupt to confirm if amount > $100
    if (resumed?.status !== 'APPROVED' && input.amount > 10_000)
      return ctx.interrupt({ message: CONFIRM, metadata: { message: CONFIRM } });
    // complete the transaction if not interrupted
    transfers.push(input);
    return COMPLETED;
  };
  const transferMoney = defineTool({ ...about, run: transfer });
  const resume = z.object({ status: z.enum(['APPROVED', 'REJECTED']) });
  const confirmed = defineTool({ ...about, resume, run: transfer });
  return { transferMoney, confirmed, transfers, resumedWith };
}

const BIG = { toAccountId: 'ABC123', amount: 100_000 };
const SMALL = { toAccountId: 'ABC123', amount: 100 };
const transferOf = (input: object) => ({ name: 'transferMoney', input });
const TRANSFER = 'Transfer $1000 to account ABC123';

/** The outputs of the calls, as the model reads them. */
const outputs = (messages: readonly Message[]) =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));

/** A model that makes these calls in one turn, and then says their outputs. */
const calling = (...calls: { readonly name: string; readonly input: object }[]) =>
  scriptedModel(({ messages }) => {
    const said = outputs(messages);
    return said.length === 0 ? { calls } : said.join(' and ');
  });

function only<One>(list: readonly One[]): One {
  const [one] = list;
  if (one === undefined || list.length > 1) throw new Error(`${list.length} of them, expected one`);
  return one;
}

/** An agent behind a host at a port of its own, and a client of it. */
async function behindHost(agent: Agent) {
  const host = createHost({ logger: false, sweepMs: 0, store: memoryStore(), agents: { a: agent } });
  const { url, close } = await serve(host, { port: 0 });
  closers.push(close);
  const client = createClient({ url: `${url}/agents/a` });
  const ask = () => client.run({ threadId: 't', messages: 'Go.' }).finished;
  return { url, client, ask };
}

const agentOf = (model: ChatModel, ...tools: Tool[]) => defineAgent({ id: 'a', model, tools });

describe('a wrong argument', () => {
  const { askQuestion } = questions();
  const model = scriptedModel(['Hello.']);

  it.each([
    [
      'a tool where a list is expected',
      () => generate({ model, prompt: 'Go.', tools: askQuestion as never }),
    ],
    ['a message where a list is expected', () => generate({ model, messages: { role: 'user' } as never })],
    ['no part for respond', async () => askQuestion.respond(undefined as never, 'x')],
    ['an interrupt for restart', async () => askQuestion.restart({ id: 'i' } as never)],
    ['a text as an answer', () => generate({ model, prompt: 'Go.', resume: 'yes' as never })],
  ])('is INPUT_INVALID, not a TypeError: %s', async (_what, act) => {
    await expect((async () => act())()).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});

const SCREENS = 'test/browser/seeds.test.ts';

walkSeed('004', 'Genkit guide: Pause generation using interrupts', ({ line, held }) => {
  line('1', 'The loop: the model calls, the interrupt pauses, a reply goes on', async () => {
    const { askQuestion } = questions();
    const model = scriptedModel([{ calls: [ASK] }, 'Right!']);
    const paused = await generate({ model, prompt: TRIVIA, tools: [askQuestion] });
    // The prompt includes the tool; to the model, its call looks like any other.
    expect(model.requests[0]?.tools).toMatchObject([
      { name: 'askQuestion', description: 'use this to ask the user a clarifying question' },
    ]);
    expect(paused.toolRequests).toMatchObject([{ function: { name: 'askQuestion' } }]);
    expect([paused.finishReason, model.requests.length]).toEqual(['interrupted', 1]);
    const { messages, interrupts } = paused;
    const resume = askQuestion.respond(only(interrupts), 'Psycho');
    const { finishReason, text } = await generate({ model, messages, tools: [askQuestion], resume });
    expect([finishReason, text, model.requests.length]).toEqual(['stop', 'Right!', 2]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Psycho' });
  });
  line('2', '`ctx.interrupt({ metadata })`', async () => {
    const { askQuestion } = questions();
    const input = { choices: CHOICES, allowOther: true };
    const model = scriptedModel([{ calls: [{ name: 'askQuestion', input }] }]);
    const { interrupts } = await generate({ model, prompt: TRIVIA, tools: [askQuestion] });
    const part = only(interrupts);
    expect(part.metadata).toMatchObject({ question: input });
    expect(part.interrupt.metadata).toMatchObject({ question: input });
    expect(askQuestion.inputOf(part)).toEqual(input);
  });
  line('3', 'Interrupts mixed with normal tools', async () => {
    const { askQuestion } = questions();
    let looked = 0;
    const yearOf = defineTool({
      name: 'yearOf',
      description: 'The year of a film.',
      input: z.object({ film: z.string() }),
      run: () => 1958 + looked++,
    });
    const model = calling({ name: 'yearOf', input: { film: 'Vertigo' } }, ASK);
    const tools = [yearOf, askQuestion];
    const { messages, interrupts } = await generate({ model, prompt: TRIVIA, tools });
    expect(interrupts.map(({ toolName }) => toolName)).toEqual(['askQuestion']);
    const resume = askQuestion.respond(only(interrupts), 'Psycho');
    // The normal call ran once; its output is kept while the other waits.
    expect((await generate({ model, messages, tools, resume })).text).toBe('1958 and Psycho');
    expect(looked).toBe(1);
  });
  line(
    '4',
    '`finishReason`, the interrupts and the history of a response',
    async () => {
      const { askQuestion } = questions();
      const model = scriptedModel([{ calls: [ASK] }, 'Right!']);
      const tools = [askQuestion];
      const asked = await generate({ model, prompt: TRIVIA, tools });
      expect([asked.finishReason, asked.interrupts.length]).toEqual(['interrupted', 1]);
      expect(asked.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
      // The history and the interrupt go through JSON, to a caller that resumes later.
      const { messages, interrupts } = JSON.parse(JSON.stringify(asked)) as typeof asked;
      const resume = askQuestion.respond(only(interrupts), 'Psycho');
      const done = await generate({ model, messages, tools, resume });
      expect([done.finishReason, done.interrupts, done.text]).toEqual(['stop', [], 'Right!']);
      expect(done.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    },
    'properties, not methods',
  );
  line('5', '`respond`, in a loop, several at once', async () => {
    const { askQuestion, runs } = questions();
    const question = (...choices: string[]) => ({ name: 'askQuestion', input: { choices } });
    const model = scriptedModel([
      { calls: [question('Saturday', 'Sunday'), question('fish', 'corn')] },
      { calls: [question('indoors', 'outdoors')] },
      'Here is your plan.',
    ]);
    const tools = [askQuestion];
    const askUser = (part: InterruptPart) => askQuestion.inputOf(part).choices[1] ?? '';
    const rounds: number[] = [];
    let response = await generate({
      model,
      prompt: 'Help me plan a backyard BBQ.',
      instructions: 'Ask clarifying questions until you have a complete solution.',
      tools,
    });
    while (response.finishReason === 'interrupted') {
      rounds.push(response.interrupts.length);
      // multiple interrupts can be called at once, so we handle them all
      const answers = response.interrupts.map((part) => askQuestion.respond(part, askUser(part)));
      response = await generate({ model, messages: response.messages, tools, resume: { respond: answers } });
    }
    // no more interrupts, we can see the final response
    expect([response.text, rounds]).toEqual(['Here is your plan.', [2, 1]]);
    expect(outputs(response.messages)).toEqual(['Sunday', 'corn', 'outdoors']);
    expect(runs).toHaveLength(3);
  });
  line('6', '`respond` with a store', async () => {
    const store = memoryStore();
    const on = { store, threadId: 't' };
    const before = questions();
    const { interrupts } = await agentOf(calling(ASK), before.askQuestion).generate({
      ...on,
      prompt: TRIVIA,
    });
    // Another process has the store, and neither the agent nor the messages.
    const after = questions();
    const resume = after.askQuestion.respond(only(interrupts), 'Psycho');
    const done = await agentOf(calling(ASK), after.askQuestion).generate({ ...on, resume });
    expect([done.finishReason, done.text]).toEqual(['stop', 'Psycho']);
    expect([before.runs.length, after.runs.length]).toEqual([1, 0]);
  });
  line('7', '`askQuestion` behind a host', async () => {
    const { askQuestion, runs } = questions();
    const { client, ask } = await behindHost(agentOf(calling(ASK), askQuestion));
    const { interrupts } = await ask();
    expect(only(interrupts).metadata).toMatchObject({
      question: { choices: CHOICES },
      answerAs: ['output'],
    });
    const resume = answer(only(interrupts), 'Psycho');
    const { messages, outcome } = await client.resume({ threadId: 't' }, resume).finished;
    expect([outcome, messages.at(-1)?.content, runs.length]).toEqual(['success', 'Psycho', 1]);
  });
  line('8', 'The output is checked', async () => {
    const { askQuestion, runs } = questions();
    const model = scriptedModel([{ calls: [ASK] }, 'Right!']);
    const tools = [askQuestion];
    const { messages, interrupts } = await generate({ model, prompt: TRIVIA, tools });
    const resumed = (value: unknown) =>
      generate({ model, messages, tools, resume: askQuestion.respond(only(interrupts), value as string) });
    await expect(resumed(7)).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect((await resumed('Psycho')).text).toBe('Right!');
    expect(runs).toHaveLength(1);
    // The host checks it too, and the interrupt stays open.
    const { client, ask, url } = await behindHost(agentOf(calling(ASK), askQuestion));
    const { id } = only((await ask()).interrupts);
    const wrong = await post(`${url}/threads/t/interrupts/${id}/answer`, { status: 'resolved', payload: 7 });
    expect([wrong.status, wrong.body]).toMatchObject([422, { error: { code: 'ANSWER_INVALID' } }]);
    expect(only((await client.inbox.list()).interrupts).interrupt.id).toBe(id);
  });
  line('9', '`transferMoney`: approved, rejected, other', async () => {
    const small = payments();
    const done = await generate({
      model: calling(transferOf(SMALL)),
      prompt: 'Transfer $1 to account ABC123',
      tools: [small.transferMoney],
    });
    expect([done.finishReason, small.transfers]).toEqual(['stop', [SMALL]]);
    for (const [statuses, output, count] of [
      [['APPROVED'], COMPLETED, 1],
      [['REJECTED'], REJECTED, 0],
      // Any other status asks again.
      [['MAYBE', 'LATER', 'APPROVED'], COMPLETED, 1],
    ] as const) {
      const { transferMoney, transfers } = payments();
      const [model, tools] = [calling(transferOf(BIG)), [transferMoney]];
      const given = [...statuses];
      let response = await generate({ model, prompt: TRANSFER, tools });
      while (response.finishReason === 'interrupted') {
        expect(only(response.interrupts).metadata).toMatchObject({ message: CONFIRM });
        const resumed = { status: given.shift() };
        const confirmations = response.interrupts.map((part) => transferMoney.restart(part, { resumed }));
        response = await generate({
          model,
          messages: response.messages,
          tools,
          resume: { restart: confirmations },
        });
      }
      expect([response.text, transfers.length, given]).toEqual([JSON.stringify(output), count, []]);
    }
  });
  line('10', '`ctx.resumed`', async () => {
    const { transferMoney, resumedWith } = payments();
    const [model, tools] = [calling(transferOf(BIG)), [transferMoney]];
    const first = await generate({ model, prompt: TRANSFER, tools });
    // Without options it is true; with them, what they say, also a value that counts as false.
    let { messages, interrupts } = first;
    for (const options of [undefined, { resumed: null }, { resumed: 0 }, { resumed: { status: 'APPROVED' } }])
      ({ messages, interrupts } = await generate({
        model,
        messages,
        tools,
        resume: transferMoney.restart(only(interrupts), options),
      }));
    expect(resumedWith).toEqual([undefined, true, null, 0, { status: 'APPROVED' }]);
    expect(interrupts).toEqual([]);
  });
  line(
    '11',
    '`restart` with `ResumedMetadata`',
    async () => {
      const { transferMoney, transfers } = payments();
      const [model, tools] = [calling(transferOf(BIG)), [transferMoney]];
      const { messages, interrupts } = await generate({ model, prompt: TRANSFER, tools });
      const part = only(interrupts);
      for (const name of ['resumedMetadata', 'ResumedMetadata', 'status']) {
        const wrong = () => transferMoney.restart(part, { [name]: { status: 'APPROVED' } } as never);
        expect(wrong).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
        expect(wrong).toThrow(new RegExp(`${name}.*known are resumed`));
      }
      const resume = transferMoney.restart(part, { resumed: { status: 'APPROVED' } });
      await generate({ model, messages, tools, resume });
      expect(transfers).toEqual([BIG]);
    },
    'named `resumed`; any other name is `INPUT_INVALID` with the known names',
  );
  line('12', 'Several restarts at once', async () => {
    const { transferMoney, transfers } = payments();
    const inputs = ['ABC123', 'DEF456', 'GHI789'].map((toAccountId) => ({ toAccountId, amount: 20_000 }));
    const [model, tools] = [calling(...inputs.map(transferOf)), [transferMoney]];
    const { messages, interrupts } = await generate({ model, prompt: TRANSFER, tools });
    expect(interrupts.map((part) => transferMoney.inputOf(part))).toEqual(inputs);
    // Each restart goes to its own call, in any order.
    const restarts = interrupts.map((part) => {
      const status = transferMoney.inputOf(part).toAccountId === 'DEF456' ? 'REJECTED' : 'APPROVED';
      return transferMoney.restart(part, { resumed: { status } });
    });
    const done = await generate({ model, messages, tools, resume: { restart: restarts.toReversed() } });
    expect(outputs(done.messages)).toEqual(
      [COMPLETED, REJECTED, COMPLETED].map((one) => JSON.stringify(one)),
    );
    expect(transfers).toHaveLength(2);
    expect(transfers).toEqual(expect.arrayContaining([inputs[0], inputs[2]]));
  });
  line('13', '`respond` and `restart` in one resume', async () => {
    const { askQuestion, runs } = questions();
    const { transferMoney, transfers } = payments();
    const [model, tools] = [calling(ASK, transferOf(BIG)), [askQuestion, transferMoney]];
    const { messages, interrupts } = await generate({ model, prompt: TRANSFER, tools });
    const partOf = ({ name }: Tool) => only(interrupts.filter(({ toolName }) => toolName === name));
    const done = await generate({
      model,
      messages,
      tools,
      resume: {
        respond: [askQuestion.respond(partOf(askQuestion), 'Psycho')],
        restart: [transferMoney.restart(partOf(transferMoney), { resumed: { status: 'APPROVED' } })],
      },
    });
    expect(done.text).toBe(`Psycho and ${JSON.stringify(COMPLETED)}`);
    expect([runs.length, transfers.length]).toEqual([1, 1]);
  });
  line(
    '14',
    '`transferMoney` behind a host, by a program',
    async () => {
      for (const [status, output, count] of [
        ['APPROVED', COMPLETED, 1],
        ['REJECTED', REJECTED, 0],
      ] as const) {
        const { confirmed, transfers } = payments();
        const { client, ask } = await behindHost(agentOf(calling(transferOf(BIG)), confirmed));
        const asked = only((await ask()).interrupts);
        expect(asked.message).toBe(CONFIRM);
        const wrong = client.resume({ threadId: 't' }, restart(asked, { status: 'MAYBE' })).finished;
        await expect(wrong).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
        const { messages } = await client.resume({ threadId: 't' }, restart(asked, { status })).finished;
        expect([messages.at(-1)?.content, transfers.length]).toEqual([JSON.stringify(output), count]);
      }
      // As the guide has it, with an output alone, its answer is that output.
      const { transferMoney } = payments();
      const { ask } = await behindHost(agentOf(calling(transferOf(BIG)), transferMoney));
      const { interrupts } = await ask();
      expect(() => restart(only(interrupts), { status: 'APPROVED' })).toThrow(/does not run again/);
    },
    'with the schema `resume`',
  );
  held(
    '15',
    'The same by a person',
    SCREENS,
    'reads plain words as text where neither is declared, and has both verbs',
    'Approve and Reject with a `resume` of such words',
  );
  it('15 the presses of Approve and Reject send what the body is resumed with', async () => {
    for (const [isYes, status, output] of [
      [true, 'APPROVED', COMPLETED],
      [false, 'REJECTED', REJECTED],
    ] as const) {
      const { confirmed, resumedWith } = payments();
      const { client, ask } = await behindHost(agentOf(calling(transferOf(BIG)), confirmed));
      await ask();
      const pressed = plainAnswer(toRow(only((await client.inbox.list()).interrupts)), isYes);
      if (pressed === undefined) throw new Error('no Approve and Reject');
      await client.inbox.answer('t', pressed);
      const { messages } = await client.connect('t').finished;
      expect(messages.at(-1)?.content).toBe(JSON.stringify(output));
      expect(resumedWith).toEqual([undefined, { status }]);
    }
  });
  line(
    '16',
    'What the person is shown',
    async () => {
      const { confirmed } = payments();
      const { client, ask, url } = await behindHost(agentOf(calling(transferOf(BIG)), confirmed));
      const asked = only((await ask()).interrupts);
      expect(cardFacts(asked)).toMatchObject({ title: 'Transfer money', message: CONFIRM, args: BIG });
      // The row of the inbox has the amount of the arguments; the record of the decision has none, as nothing names its unit.
      const row = toRow(only((await client.inbox.list()).interrupts));
      expect([amountOf(row), decidedAmount(row)]).toEqual(['100,000', undefined]);
      expect((await command('inbox', 'show', asked.id, '--url', url)).out).toMatch(
        /ABC123[^]*100000|100000[^]*ABC123/,
      );
      await client.resume({ threadId: 't' }, restart(asked, { status: 'APPROVED' })).finished;
      const decided = toRow(only((await client.inbox.list({ status: 'all', order: 'answered' })).interrupts));
      expect([amountOf(decided), decidedAmount(decided)]).toEqual(['100,000', undefined]);
    },
    'no amount is guessed from a message',
  );
  held(
    '17',
    'Choices on a card, `allowOther`',
    SCREENS,
    'has a list and “Other …” for choices with write-ins',
  );
  it('17 the card gets the choices of the call, and write-ins only where the call allows them', async () => {
    const askQuestion = defineTool({
      name: 'askQuestion',
      description: 'use this to ask the user a clarifying question',
      input: QuestionInput,
      run({ choices, allowOther }, ctx): string {
        const listed = z.enum(choices);
        return ctx.interrupt({ schema: allowOther === true ? z.union([listed, z.string()]) : listed });
      },
    });
    for (const [input, schema, status] of [
      [{ choices: CHOICES, allowOther: true }, { anyOf: [{ enum: CHOICES }, { type: 'string' }] }, 200],
      [{ choices: CHOICES }, { enum: CHOICES }, 422],
    ] as const) {
      const { ask, url } = await behindHost(agentOf(calling({ ...ASK, input }), askQuestion));
      const { id, responseSchema } = only((await ask()).interrupts);
      expect(responseSchema).toMatchObject(schema);
      const other = { status: 'resolved', payload: 'Rear Window' };
      expect((await post(`${url}/threads/t/interrupts/${id}/answer`, other)).status).toBe(status);
    }
  });
  line('18', 'Async processing: a body that starts a long job', async () => {
    let started = 0;
    const job = defineTool({
      name: 'job',
      description: 'Starts a long job.',
      input: z.object({}),
      output: z.string(),
      run(_input, ctx): string {
        started += 1;
        return ctx.interrupt({ message: 'The job runs. How did it end?' });
      },
    });
    const { client, ask, url } = await behindHost(agentOf(calling({ name: 'job', input: {} }), job));
    const { id } = only((await ask()).interrupts);
    // The job says how it ended when it has ended, by a request of its own.
    const ended = { status: 'resolved', payload: 'It ended well.', metadata: { as: 'output' } };
    const told = await post(`${url}/threads/t/interrupts/${id}/answer`, ended);
    expect([told.status, told.body]).toMatchObject([200, { state: 'continued' }]);
    const { messages } = await client.connect('t').finished;
    expect([messages.at(-1)?.content, started]).toEqual(['It ended well.', 1]);
  });
  line('19', 'Exit from a long loop', async () => {
    const finish = defineExit({
      name: 'finish',
      description: 'Marks the task as complete.',
      input: z.object({ summary: z.string() }),
    });
    let steps = 0;
    const step = defineTool({ name: 'step', description: 'Works.', input: z.object({}), run: () => ++steps });
    const { askQuestion, runs } = questions();
    const end = { name: 'finish', input: { summary: 'Four steps.' } };
    // Beside the exit, the model asks a question: the exit ends the turn, and nobody is asked.
    const model = scriptedModel((_request, turn) =>
      turn < 4 ? { calls: [{ name: 'step', input: {} }] } : { calls: [ASK, end] },
    );
    const agent = agentOf(model, step, finish, askQuestion);
    const response = await agent.generate({ prompt: 'Do it.' });
    expect(response).toMatchObject({ finishReason: 'exit', result: end.input, interrupts: [] });
    expect([steps, runs, model.requests.length]).toEqual([4, [], 5]);
    const { ask } = await behindHost(agentOf(calling(end), finish));
    expect(await ask()).toMatchObject({ outcome: 'success', result: end.input, interrupts: [] });
  });
  line('20', 'When to interrupt, whether to resume, what to pass', async () => {
    const over = async (input: object) => {
      const { confirmed, transfers } = payments();
      const { client, ask } = await behindHost(agentOf(calling(transferOf(input)), confirmed));
      return { client, transfers, asked: await ask() };
    };
    // When: the body decides it, by its input.
    const small = await over(SMALL);
    expect([small.asked.outcome, small.transfers]).toEqual(['success', [SMALL]]);
    // Whether: until somebody resumes it, it waits; cancelled, it never runs.
    const left = await over(BIG);
    expect((await left.client.connect('t').finished).interrupts).toEqual(left.asked.interrupts);
    const cancelled = cancel(only(left.asked.interrupts));
    await left.client.resume({ threadId: 't' }, cancelled).finished;
    expect([(await left.client.connect('t').finished).interrupts, left.transfers]).toEqual([[], []]);
    // What: a value for the body, or the output of the call in its place.
    for (const [reply, output, count] of [
      [restart, COMPLETED, 1],
      [respond, { status: 'APPROVED' }, 0],
    ] as const) {
      const { client, transfers, asked } = await over(BIG);
      const resume = reply(only(asked.interrupts), { status: 'APPROVED' });
      const { messages } = await client.resume({ threadId: 't' }, resume).finished;
      expect([messages.at(-1)?.content, transfers.length]).toEqual([JSON.stringify(output), count]);
    }
  });
  line(
    '21',
    'Arguments as in Go: `Respond(part, answer, nil)`',
    async () => {
      const { askQuestion } = questions();
      const [model, tools] = [calling(ASK), [askQuestion]];
      const { messages, interrupts } = await generate({ model, prompt: TRIVIA, tools });
      const part = only(interrupts);
      const asInGo = () => askQuestion.respond(part, 'Psycho', null as never);
      expect(asInGo).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
      expect(asInGo).toThrow(/options of askQuestion.respond\(\).*expected an object, got null/);
      for (const resume of [
        askQuestion.respond(part, 'Psycho'),
        askQuestion.respond(part, 'Psycho', undefined),
      ])
        expect((await generate({ model, messages, tools, resume })).text).toBe('Psycho');
    },
    'the third argument is left out; `null` is `INPUT_INVALID` with a sentence',
  );
  line(
    '22',
    'Genkit itself',
    async () => {
      const { generateStream, restarted } = genkitStandIn();
      const agent = fromGenkit(generateStream, { resumed: { status: 'APPROVED' } });
      const { client, ask } = await behindHost(agent);
      const asked = only((await ask()).interrupts);
      expect(asked.message).toBe(CONFIRM);
      const { outcome, messages } = await client.resume({ threadId: 't' }, approve(asked)).finished;
      expect([outcome, messages.at(-1)?.content]).toEqual(['success', 'The money is sent.']);
      expect(restarted).toMatchObject([
        {
          toolRequest: { name: 'transferMoney', ref: 'c1', input: BIG },
          metadata: { resumed: { status: 'APPROVED' } },
        },
      ]);
    },
    'its adapter; the tests of integration/ run the real package',
  );
});

async function post(url: string, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

/** What `ai.generateStream` of Genkit gives for the tool of the guide: an interrupted call, and after its restart a text. */
function genkitStandIn() {
  const restarted: unknown[] = [];
  const generateStream = (turn: {
    readonly messages: object[];
    readonly resume?: { readonly restart?: readonly object[] };
  }): GenkitStream => {
    const { messages, resume } = turn;
    restarted.push(...(resume?.restart ?? []));
    const part =
      resume === undefined
        ? {
            toolRequest: { name: 'transferMoney', ref: 'c1', input: BIG },
            metadata: { interrupt: { message: CONFIRM } },
          }
        : { text: 'The money is sent.' };
    const stream = (async function* () {
      yield { content: [part] };
    })();
    const interrupts = 'toolRequest' in part ? [part] : [];
    const response = { messages: [...messages, { role: 'model', content: [part] }], interrupts };
    return { stream, response: Promise.resolve(response) };
  };
  return { generateStream, restarted };
}
