/**
 * Several questions in ordinary code, with work between them, and an approval before the last step. Each answer may
 * come days later, in another process: the conversation is in a file, and every step runs once.
 * Run: npx tsx --conditions=holdpoint-source examples/08-wizard/onboard.ts [conversation.json]
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, approve, defineAgent, defineTool, reject } from 'holdpoint';
import type { GenerateResponse, InterruptPart } from 'holdpoint';
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
      done.push(`account for ${email}`);
      return { id: 42 };
    });
    const plan = await ctx.ask('plan', { message: 'Free or pro?', schema: z.enum(['free', 'pro']) });
    const decision = z.object({ approved: z.boolean(), reason: z.string().optional() });
    const { approved, reason } = await ctx.ask('sure', { message: `Take ${plan}?`, schema: decision });
    if (!approved) return `The account ${account.id} has no plan: ${reason}`;
    return ctx.step('subscribe', () => {
      done.push(`${plan} for ${account.id}`);
      return { account: account.id, plan };
    });
  },
});

/** An agent as in a new process, which has only the code and the file. */
function newProcess() {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool' ? `Welcome: ${String(last.content)}` : { calls: [{ name: 'onboard' }] };
  });
  return defineAgent({ id: 'desk', model, tools: [onboard] });
}

const file =
  process.argv.slice(2).find((one) => !one.startsWith('--')) ?? join(tmpdir(), `onboard-${process.pid}.json`);
const save = (response: GenerateResponse) => writeFileSync(file, JSON.stringify(response, null, 2));
const load = (): GenerateResponse => JSON.parse(readFileSync(file, 'utf8'));

/** Approves or rejects an approval, else answers with the typed text. */
async function reply(part: InterruptPart) {
  const { message = '?', metadata } = part.interrupt;
  if (metadata?.['ask'] !== 'sure') return answer(part, await ask(message));
  return (await ask(message, ['yes', 'no'])) === 'yes' ? approve(part) : reject(part, await ask('Why not?'));
}

async function signUp(): Promise<string> {
  if (!existsSync(file)) save(await newProcess().generate({ prompt: 'Sign me up.' }));
  for (;;) {
    const { interrupts, messages, text } = load();
    const [interrupt] = interrupts;
    if (interrupt === undefined) return text;
    try {
      save(await newProcess().generate({ messages, resume: [await reply(interrupt)] }));
    } catch (error) {
      console.log(`${(error as Error).message} Try again.`); // a bad answer changes nothing
    }
  }
}

willAnswer('not an address', 'ana@example.com', 'pro', 'yes', 'rex@example.com', 'pro', 'no', 'too dear');
const replies = [await signUp()];
rmSync(file);
if (checking) replies.push(await signUp());
console.log(replies.join('\n'));
rmSync(file, { force: true });
check(replies[1], 'Welcome: The account 42 has no plan: too dear');
check(done, ['account for ana@example.com', 'pro for 42', 'account for rex@example.com']);
