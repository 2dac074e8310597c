/** AG-UI agents behind a host: a server by its address, in 1.0 and in the draft, and the official `HttpAgent`. */
import { HttpAgent } from '@ag-ui/client';

import { fromAgUi } from '../../src/adapters/ag-ui/index.ts';
import { createHost } from '../../src/host/index.ts';
import { serve } from '../../src/host/node/index.ts';
import { defineAgent, defineInterrupt, defineTool } from '../../src/index.ts';
import { sqliteStore } from '../../src/store/sqlite/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import type { CreateAgents } from '../serve.ts';
import type { World } from '../world.ts';
import { EMAIL_SCHEMA, nextTurn } from '../world.ts';

/** The agent of the server: a model with tools. */
export function createPayer(world: World, id: string, dialect: 'draft' | '1.0' = '1.0') {
  return defineAgent({
    id,
    dialect,
    model: scriptedModel(({ messages }) => {
      const lastUser = messages.findLastIndex(({ role }) => role === 'user');
      const resultsIn = (from: number) =>
        messages.slice(from).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
      const turn = nextTurn(messages[lastUser]?.content, resultsIn(lastUser + 1), resultsIn(0));
      if ('text' in turn) return turn.text;
      const calls = turn.calls.map(({ name, args }, index) => ({
        id: `call-${messages.length}-${index}-${String(args['amount'] ?? name)}`,
        name,
        input: args,
      }));
      return { calls };
    }),
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays.',
        input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
        approval: { editable: true },
        run: (input) => world.pay((input as { amount: number }).amount),
      }),
      defineInterrupt({
        name: 'askEmail',
        description: 'Your email?',
        input: { type: 'object' },
        response: EMAIL_SCHEMA,
      }),
    ],
  });
}

export const createAgents: CreateAgents = async (world, folder, { leaseMs }) => {
  // Each process has a server of its own over one database: it is killed with the process.
  const host = createHost({
    agents: [createPayer(world, 'payer'), createPayer(world, 'draft', 'draft')],
    store: sqliteStore(`${folder}/server.db`),
    sweepMs: 100,
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  const { url } = await serve(host, { port: 0 });
  return {
    url: fromAgUi(`${url}/agents/payer`),
    draft: fromAgUi(`${url}/agents/draft`, { dialect: 'draft' }),
    abstract: fromAgUi(new HttpAgent({ url: `${url}/agents/payer` })),
  };
};
