/**
 * A tool that interrupts before it sends more than $100, and runs again with the answer: approved, rejected, or
 * changed.
 * Run: npx tsx --conditions=holdpoint-source examples/07-restartable-tool/transfer.ts
 */
import { defineAgent, defineTool } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { ask, check, checking, willAnswer } from '../console.ts';

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;
let balance = 1_000_000;

const transferMoney = defineTool({
  name: 'transferMoney',
  description: 'Transfers money between accounts.',
  input: z.object({ toAccountId: z.string(), amount: z.number().int().describe('in cents (100 = $1.00)') }),
  resume: z.object({ status: z.enum(['APPROVED', 'REJECTED']) }),
  run(input, ctx) {
    if (ctx.resumed?.status === 'REJECTED') {
      return { status: 'REJECTED', message: 'The user rejected the transaction.' };
    }
    if (input.amount > 10_000 && ctx.resumed?.status !== 'APPROVED') {
      return ctx.interrupt({ message: 'Please confirm sending an amount > $100.' });
    }
    // Pass ctx.idempotencyKey to your bank: it is the same each time this call runs again.
    balance -= input.amount;
    return { status: 'COMPLETED', balance: dollars(balance) };
  },
});

const model = scriptedModel((request) => {
  const last = request.messages.at(-1);
  if (last?.role === 'tool') return `The bank says: ${String(last.content)}`;
  return { calls: [{ name: 'transferMoney', input: { toAccountId: 'ABC123', amount: 100_000 } }] };
});
const agent = defineAgent({ id: 'bank', model, tools: [transferMoney] });

async function transfer(): Promise<string> {
  let response = await agent.generate({ prompt: 'Transfer $1000 to account ABC123' });
  while (response.finishReason === 'interrupted') {
    const confirmations = [];
    for (const part of response.interrupts) {
      const { toAccountId, amount } = transferMoney.inputOf(part);
      console.log(`${part.interrupt.message} ${dollars(amount)} to ${toAccountId}.`);
      const said = await ask('Do you approve?', ['yes', 'no', 'half of it']);
      confirmations.push(
        transferMoney.restart(part, {
          resumed: { status: said === 'no' ? 'REJECTED' : 'APPROVED' },
          ...(said === 'half of it' ? { replaceInput: { toAccountId, amount: amount / 2 } } : {}),
        }),
      );
    }
    response = await agent.generate({ messages: response.messages, resume: { restart: confirmations } });
  }
  return response.text;
}

willAnswer('yes', 'no', 'half');
console.log(await transfer());
check(balance, 900_000);
if (checking) {
  check(
    await transfer(),
    'The bank says: {"status":"REJECTED","message":"The user rejected the transaction."}',
  );
  check(balance, 900_000);
  await transfer();
  check(balance, 850_000);
}
