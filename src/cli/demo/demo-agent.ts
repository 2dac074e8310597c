import { createIds } from '../../core/index.ts';
import type { ChatModel } from '../../engine/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { defineAgent } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { openBank } from './bank.ts';
import { demoModel } from './model.ts';
import { PHRASES } from './phrases.ts';
import { DEMO_ROLES } from './roles.ts';
import { demoTools } from './tools.ts';

/** The agent of the demo, with its bank and outbox in the store. Default model: `demoModel`. */
export function demoAgent(store: Store, model?: ChatModel): GeneratingAgent {
  const newId = createIds();
  return defineAgent({
    id: 'assistant',
    name: 'Assistant',
    description: 'A demo of every way an agent can ask a person. Transfers above $100 need an approval.',
    metadata: {
      suggestions: PHRASES.map(({ example }) => example),
      roles: DEMO_ROLES.map(({ id, label, suggestions }) => ({ id, label, suggestions })),
    },
    instructions: 'You help with a small bank. Amounts in tools are in cents.',
    model: model ?? demoModel(newId),
    tools: demoTools(openBank(store, newId)),
  });
}
