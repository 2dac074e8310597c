/**
 * Rules of an organization: the tool needs no approval by itself, but the host holds some calls and forbids others,
 * and no person approves their own request.
 * Run: npx tsx --conditions=holdpoint-source examples/11-policy-hold/server.ts
 */
import { defineAgent, defineTool } from 'holdpoint';
import type { Policy } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4711;
export const paid: string[] = [];

const Payment = z.object({ to: z.string(), amount: z.number() });
const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  input: Payment,
  run({ to, amount }, ctx) {
    paid.push(`$${amount} to ${to}, signed by ${ctx.approvedBy?.id ?? 'nobody'}`);
    return `Paid $${amount} to ${to}.`;
  },
});

// The strictest rule wins: a call that one policy allows, another may still hold or forbid.
const largeSums: Policy = ({ toolName, input, principal }) => {
  const payment = Payment.safeParse(input);
  if (toolName !== 'pay' || !payment.success || payment.data.amount <= 100) return undefined;
  const { to, amount } = payment.data;
  const message = `${principal?.id} wants to pay $${amount} to ${to}. Sign?`;
  return { decision: 'ask', message, approvers: { notAsker: true } };
};
const blockedPayees: Policy = ({ input }) =>
  (input as { to?: unknown }).to === 'Casino'
    ? { decision: 'deny', message: 'We do not pay casinos.' }
    : undefined;

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return String(last.content);
  const [, amount = '1', to = 'nobody'] = /pay \$?(\d+) to (\w+)/i.exec(String(last?.content)) ?? [];
  return { calls: [{ name: 'pay', input: { to, amount: Number(amount) } }] };
});

const host = () =>
  createHost({
    agents: [defineAgent({ id: 'accounts', model, tools: [pay] })],
    store: memoryStore(),
    policies: [largeSums, blockedPayees],
    // Replace this with your sessions: never trust a name that a client sends.
    authenticate: ({ headers }) => ({ id: headers.get('x-user') ?? 'guest', scope: 'acme' }),
  });

export const start = (at = port) => serve(host(), { port: at });

if (isMain(import.meta.url)) console.log(`Accounts is at ${(await start()).url}/agents/accounts`);
