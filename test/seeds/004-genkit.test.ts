/** The examples of "Pause generation using interrupts" (Genkit), in TypeScript, with their names and values. */
import type { Tool } from 'holdpoint';
import { defineAgent, defineTool, generate } from 'holdpoint';
import { answer, createClient, respond, restart } from 'holdpoint/client';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { walkSeed } from './walk.ts';

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

const HERE = 'test/seeds/004-genkit.test.ts';
const FORMS = 'test/answer-forms.test.ts';
const SCREENS = 'test/browser/seeds.test.ts';

/** A host with these tools; the model makes the call, and then says its result. */
async function behindHost(tools: readonly Tool[], call: { readonly name: string; readonly input: object }) {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool' ? String(last.content) : { calls: [call] };
  });
  const host = createHost({
    logger: false,
    sweepMs: 0,
    store: memoryStore(),
    agents: [defineAgent({ id: 'a', model, tools: [...tools] })],
  });
  const { url, close } = await serve(host, { port: 0 });
  const client = createClient({ url: `${url}/agents/a` });
  return { client, close, ask: () => client.run({ threadId: 't', messages: 'Go.' }).finished };
}

walkSeed('004', 'Genkit guide: Pause generation using interrupts', ({ line, held }) => {
  held(
    '1',
    'The loop: the model calls, the interrupt pauses, a reply goes on',
    HERE,
    'generate returns immediately on receipt of an interrupt tool call',
  );
  held('2', '`ctx.interrupt({ metadata })`', HERE, 'a tool that calls interrupt shows its metadata');
  held(
    '3',
    'Interrupts mixed with normal tools',
    'src/engine/loop/loop.test.ts',
    'pauses the loop and continues with the answer as output of the call',
  );
  held(
    '4',
    '`finishReason`, the interrupts and the history of a response',
    HERE,
    'generate returns immediately on receipt of an interrupt tool call',
    'properties, not methods',
  );
  held(
    '5',
    '`respond`, in a loop, several at once',
    HERE,
    'respond gives the output of the call, and the body does not run again',
  );
  held('6', '`respond` with a store', HERE, 'with a store, respond gives the output of the call too');
  line('7', '`askQuestion` behind a host', async () => {
    const { askQuestion, runs } = questions();
    const { client, ask, close } = await behindHost([askQuestion], {
      name: 'askQuestion',
      input: { choices: CHOICES },
    });
    const { interrupts } = await ask();
    expect(interrupts[0]?.metadata).toMatchObject({ question: { choices: CHOICES }, answerAs: ['output'] });
    const resume = interrupts.map((interrupt) => answer(interrupt, 'Psycho'));
    const { messages, outcome } = await client.resume({ threadId: 't' }, resume).finished;
    expect([outcome, messages.at(-1)?.content, runs.length]).toEqual(['success', 'Psycho', 1]);
    await close();
  });
  held('8', 'The output is checked', HERE, 'an output that does not fit the tool changes nothing');
  held('9', '`transferMoney`: approved, rejected, other', HERE, '%s gives %s');
  held('10', '`ctx.resumed`', HERE, 'restart without options runs the body again, and ctx.resumed is true');
  line(
    '11',
    '`restart` with `ResumedMetadata`',
    () => {
      const { transferMoney } = payments();
      const part = {
        kind: 'restart',
        toolName: 'transferMoney',
        toolCallId: 'c',
        input: {},
        interrupt: { id: 'i', reason: 'x' },
        metadata: {},
      } as const;
      expect(() => transferMoney.restart(part, { resumedMetadata: {} } as never)).toThrow(
        /resumedMetadata.*known are resumed/,
      );
      expect(() => transferMoney.restart(part, { status: 'APPROVED' } as never)).toThrow(
        /status.*known are resumed/,
      );
    },
    'named `resumed`; any other name is `INPUT_INVALID` with the known names',
  );
  held('12', 'Several restarts at once', HERE, '%s gives %s');
  held('13', '`respond` and `restart` in one resume', 'src/engine/loop/loop.test.ts', 'resume: { respond');
  line(
    '14',
    '`transferMoney` behind a host, by a program',
    async () => {
      let transfers = 0;
      const transferMoney = defineTool({
        name: 'transferMoney',
        description: 'Transfers money between accounts.',
        input: TransferInput,
        output: z.object({ status: z.string(), message: z.string().optional() }),
        resume: z.object({ status: z.enum(['APPROVED', 'REJECTED']) }),
        run(input, ctx) {
          if (ctx.resumed?.status === 'REJECTED') return { status: 'REJECTED' };
          if (input.amount > 10_000 && ctx.resumed?.status !== 'APPROVED')
            return ctx.interrupt({ message: 'Please confirm sending an amount > $100.' });
          transfers += 1;
          return { status: 'COMPLETED' };
        },
      });
      const input = { toAccountId: 'ABC123', amount: 100_000 };
      const { client, ask, close } = await behindHost([transferMoney], { name: 'transferMoney', input });
      const { interrupts } = await ask();
      const resume = interrupts.map((interrupt) => restart(interrupt, { status: 'APPROVED' }));
      const { messages } = await client.resume({ threadId: 't' }, resume).finished;
      expect([messages.at(-1)?.content, transfers]).toEqual(['{"status":"COMPLETED"}', 1]);
      await close();
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
  held(
    '16',
    'What the person is shown',
    'src/elements/inbox/inbox.test.ts',
    'of a limit in the message',
    'no amount is guessed from a message',
  );
  held(
    '17',
    'Choices on a card, `allowOther`',
    SCREENS,
    'has a list and “Other …” for choices with write-ins',
  );
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
    const { client, ask, close } = await behindHost([job], { name: 'job', input: {} });
    const { interrupts } = await ask();
    const resume = interrupts.map((interrupt) => respond(interrupt, 'It ended well.'));
    const { messages } = await client.resume({ threadId: 't' }, resume).finished;
    expect([messages.at(-1)?.content, started]).toEqual(['It ended well.', 1]);
    await close();
  });
  held('19', 'Exit from a long loop', 'src/engine/loop/loop.test.ts', 'ends with the result of an exit');
  held(
    '20',
    'When to interrupt, whether to resume, what to pass',
    FORMS,
    'for %s with as %s does what it says',
  );
  line(
    '21',
    'Arguments as in Go: `Respond(part, answer, nil)`',
    () => {
      const { askQuestion } = questions();
      const part = {
        kind: 'restart',
        toolName: 'askQuestion',
        toolCallId: 'c',
        input: {},
        interrupt: { id: 'i', reason: 'x' },
        metadata: {},
      } as const;
      expect(() => askQuestion.respond(part, 'x', null as never)).toThrow(
        /options of askQuestion.respond\(\).*expected an object, got null/,
      );
    },
    'the third argument is left out; `null` is `INPUT_INVALID` with a sentence',
  );
  held(
    '22',
    'Genkit itself',
    'integration/genkit/agents.ts',
    'fromGenkit',
    'its adapter; the tests of integration/ run the real package',
  );
});
