/** The examples of "Pause generation using interrupts" (Genkit), in TypeScript, with their names and values. */
import { defineAgent, defineTool, generate } from 'holdpoint';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

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
const asks = { calls: [{ name: 'askQuestion', input: { choices: CHOICES } }] };

describe('Define manual-response interrupts', () => {
  it('a tool that calls interrupt shows its metadata', async () => {
    const { askQuestion } = questions();
    const response = await generate({
      model: scriptedModel([asks]),
      prompt: 'Ask me a movie trivia question.',
      tools: [askQuestion],
    });
    expect(response.interrupts[0]?.metadata).toMatchObject({ question: { choices: CHOICES } });
  });
});

describe('Use interrupts', () => {
  it('generate returns immediately on receipt of an interrupt tool call', async () => {
    const { askQuestion } = questions();
    const response = await generate({
      model: scriptedModel([asks]),
      prompt: 'Ask me a movie trivia question.',
      tools: [askQuestion],
    });
    expect(response.finishReason).toBe('interrupted');
    expect(response.interrupts).toHaveLength(1);
  });
});

describe('Respond to interrupts', () => {
  it('respond gives the output of the call, and the body does not run again', async () => {
    const { askQuestion, runs } = questions();
    const model = scriptedModel(({ messages }) => {
      const answers = messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
      return answers.length === 0 ? { calls: [...asks.calls, ...asks.calls] } : answers.join(' and ');
    });
    let response = await generate({
      model,
      prompt: 'Help me plan a backyard BBQ.',
      instructions: 'Ask clarifying questions until you have a complete solution.',
      tools: [askQuestion],
    });
    while (response.finishReason === 'interrupted') {
      // multiple interrupts can be called at once, so we handle them all
      const answers = response.interrupts.map((part) =>
        askQuestion.respond(part, askQuestion.inputOf(part).choices[1] ?? ''),
      );
      response = await generate({
        model,
        messages: response.messages,
        tools: [askQuestion],
        resume: { respond: answers },
      });
    }
    expect(response.text).toBe('Psycho and Psycho');
    expect(runs).toHaveLength(2);
  });

  it('one answer needs no list, and an output that does not fit the tool changes nothing', async () => {
    const { askQuestion, runs } = questions();
    const model = scriptedModel([asks, 'Right!']);
    const { messages, interrupts } = await generate({ model, prompt: 'Ask.', tools: [askQuestion] });
    const [part] = interrupts;
    if (part === undefined) throw new Error('no interrupt');
    const resumed = (value: unknown) =>
      generate({ model, messages, tools: [askQuestion], resume: askQuestion.respond(part, value as string) });
    await expect(resumed(7)).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect((await resumed('Psycho')).text).toBe('Right!');
    expect(runs).toHaveLength(1);
  });

  it('with a store, respond gives the output of the call too', async () => {
    const { askQuestion, runs } = questions();
    const agent = defineAgent({ id: 'trivia', model: scriptedModel([asks, 'Right!']), tools: [askQuestion] });
    const on = { store: memoryStore(), threadId: 't' };
    const { interrupts } = await agent.generate({ ...on, prompt: 'Ask.' });
    const [part] = interrupts;
    if (part === undefined) throw new Error('no interrupt');
    const { text } = await agent.generate({ ...on, resume: askQuestion.respond(part, 'Psycho') });
    expect([text, runs.length]).toEqual(['Right!', 1]);
  });
});

const TransferInput = z.object({
  toAccountId: z.string().describe('the account id of the transfer destination'),
  amount: z.number().int().describe('the amount in integer cents (100 = $1.00)'),
});

function payments() {
  const transfers: unknown[] = [];
  const transferMoney = defineTool({
    name: 'transferMoney',
    description: 'Transfers money between accounts.',
    input: TransferInput,
    output: z.object({ status: z.string(), message: z.string().optional() }),
    run(input, ctx) {
      const resumed = ctx.resumed as { readonly status?: string } | undefined;
      // if the user rejected the transaction
      if (resumed?.status === 'REJECTED') {
        return { status: 'REJECTED', message: 'The user rejected the transaction.' };
      }
      // trigger an interrupt to confirm if amount > $100
      if (resumed?.status !== 'APPROVED' && input.amount > 10_000) {
        return ctx.interrupt({ metadata: { message: 'Please confirm sending an amount > $100.' } });
      }
      // complete the transaction if not interrupted
      transfers.push(input);
      return { status: 'COMPLETED' };
    },
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return String(last.content);
    return { calls: [{ name: 'transferMoney', input: { toAccountId: 'ABC123', amount: 100_000 } }] };
  });
  return { transferMoney, transfers, model };
}

describe('Define a restartable tool', () => {
  it('a transfer of more than $100 interrupts, a smaller one does not', async () => {
    const { transferMoney, transfers, model } = payments();
    const asked = await generate({
      model,
      prompt: 'Transfer $1000 to account ABC123',
      tools: [transferMoney],
    });
    expect(asked.interrupts[0]?.metadata).toMatchObject({
      message: 'Please confirm sending an amount > $100.',
    });
    const small = scriptedModel([
      { calls: [{ name: 'transferMoney', input: { toAccountId: 'ABC123', amount: 100 } }] },
      'Done.',
    ]);
    const done = await generate({ model: small, prompt: 'Transfer $1', tools: [transferMoney] });
    expect([done.text, transfers.length]).toEqual(['Done.', 1]);
  });
});

describe('Restart tools after interruption', () => {
  it.each([
    ['APPROVED', '{"status":"COMPLETED"}', 1],
    ['REJECTED', '{"status":"REJECTED","message":"The user rejected the transaction."}', 0],
  ])('%s gives %s', async (status, text, count) => {
    const { transferMoney, transfers, model } = payments();
    let response = await generate({
      model,
      prompt: 'Transfer $1000 to account ABC123',
      tools: [transferMoney],
    });
    while (response.finishReason === 'interrupted') {
      const confirmations = response.interrupts.map((part) =>
        transferMoney.restart(part, { resumed: { status } }),
      );
      response = await generate({
        model,
        messages: response.messages,
        tools: [transferMoney],
        resume: { restart: confirmations },
      });
    }
    expect([response.text, transfers.length]).toEqual([text, count]);
  });

  it('restart without options runs the body again, and ctx.resumed is true', async () => {
    const seen: unknown[] = [];
    const confirm = defineTool({
      name: 'confirm',
      description: 'Confirms.',
      input: z.object({}),
      run(_input, ctx) {
        seen.push(ctx.resumed);
        return ctx.resumed === undefined ? ctx.interrupt({}) : 'confirmed';
      },
    });
    const model = scriptedModel([{ calls: [{ name: 'confirm', input: {} }] }, 'Done.']);
    const { messages, interrupts } = await generate({ model, prompt: 'Go.', tools: [confirm] });
    const [part] = interrupts;
    if (part === undefined) throw new Error('no interrupt');
    const done = await generate({ model, messages, tools: [confirm], resume: confirm.restart(part) });
    expect([done.text, seen]).toEqual(['Done.', [undefined, true]]);
  });
});

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
