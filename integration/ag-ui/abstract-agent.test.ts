/** An agent of ours as an `AbstractAgent` of the official client, in process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AbstractAgent } from '@ag-ui/client';
import { Observable } from 'rxjs';

import { toAbstractAgent } from '../../src/adapters/ag-ui/index.ts';
import { createPayer } from './agents.ts';

void test('an agent of ours runs as an AbstractAgent, and its interrupts are pending there', async () => {
  const paid: number[] = [];
  const payer = createPayer({ pay: async (amount) => `paid ${paid.push(amount)}` }, 'payer');
  const agent = toAbstractAgent(payer, { AbstractAgent, Observable });
  agent.addMessage({ id: 'm', role: 'user', content: 'hello' });
  await agent.runAgent({});
  assert.equal(agent.messages.at(-1)?.content, 'You said hello.');
  agent.addMessage({ id: 'n', role: 'user', content: 'pay 7' });
  await agent.runAgent({});
  assert.equal(agent.pendingInterrupts.length, 1);
  assert.equal(agent.agentId, 'payer');
  assert.deepEqual(paid, []);
});
