/**
 * Several questions in ordinary code, with work between them. Each answer may come days later, in another process: the
 * conversation is kept in a file, and every step is done once.
 * Run: npx tsx --conditions=holdpoint-source examples/08-wizard/onboard.ts [conversation.json]
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, defineAgent, defineTool } from 'holdpoint';
import type { GenerateResponse } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { ask, check, checking, willAnswer } from '../console.ts';

const done: string[] = [];

const onboard = defineTool({
  name: 'onboard',
  description: 'Signs a user up.',
  input: z.object({}),
  async run(_input, ctx) {
    const email = await ctx.ask('email', { message: 'Your e-mail?', schema: z.email() });
    const account = await ctx.step('create', () => {
      done.push(`created an account for ${email}`);
      return { id: 42 };
    });
    const plan = await ctx.ask('plan', {
      message: 'Which plan, free or pro?',
      schema: z.enum(['free', 'pro']),
    });
    return ctx.step('subscribe', () => {
      done.push(`subscribed account ${account.id} to ${plan}`);
      return { account: account.id, plan };
    });
  },
});

/** As a new process would have it: nothing but the code and the file. */
function newProcess() {
  const model = scriptedModel((request) => {
    const last = request.messages.at(-1);
    return last?.role === 'tool'
      ? `Welcome aboard: ${String(last.content)}`
      : { calls: [{ name: 'onboard' }] };
  });
  return defineAgent({ id: 'desk', model, tools: [onboard] });
}

const file =
  process.argv.slice(2).find((one) => !one.startsWith('--')) ?? join(tmpdir(), `onboard-${process.pid}.json`);
const save = (response: GenerateResponse) => writeFileSync(file, JSON.stringify(response, null, 2));
const load = (): GenerateResponse => JSON.parse(readFileSync(file, 'utf8'));

willAnswer('not an address', 'ana@example.com', 'pro');
if (!existsSync(file)) save(await newProcess().generate({ prompt: 'Sign me up.' }));
for (;;) {
  const { interrupts, messages, text } = load();
  const [question] = interrupts;
  if (question === undefined) {
    console.log(text);
    break;
  }
  const said = await ask(question.interrupt.message ?? '?');
  try {
    save(await newProcess().generate({ messages, resume: [answer(question, said)] }));
  } catch (error) {
    console.log(`${(error as Error).message} Try again.`); // a bad answer changes nothing
  }
}
rmSync(file);
check(done, ['created an account for ana@example.com', 'subscribed account 42 to pro']);
if (checking) console.log(done.join('\n'));
