/**
 * Approval without interrupts: the instructions tell the agent to call `request_approval`, a client tool, before it
 * acts.
 * Run: npx tsx --conditions=holdpoint-source examples/04-tool-based-approval/server.ts
 *
 * When to use which? This works with every AG-UI client that can run tools. But the server does not enforce it: a
 * model that does not ask simply acts, the client decides the answer, no other person can give it, and no interrupt
 * is in the inbox. For actions that must not happen without an approval, use `approval` and interrupts
 * (09-interrupts-approval): the server holds the call, checks the answer, and uses it once.
 */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4704;
export const archived: string[] = [];

const archive = defineTool({
  name: 'archive',
  description: 'Moves old mail to the archive.',
  input: z.object({ folder: z.string() }),
  run({ folder }) {
    archived.push(folder);
    return `${folder} is archived.`;
  },
});

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  const text = String(last?.content);
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  const [, folder = 'newsletters'] = /archive (?:the |my )?(\w+)/i.exec(String(turn[0]?.content)) ?? [];
  if (last?.role !== 'tool') {
    const request = { approval_id: crypto.randomUUID(), function_name: 'archive' };
    const input = { request: { ...request, function_arguments: { folder } } };
    return { calls: [{ name: 'request_approval', input }] };
  }
  if (turn.length > 3) return text; // the answer, and then the result of `archive`
  const { approved } = JSON.parse(text) as { approved?: unknown };
  return approved === true ? { calls: [{ name: 'archive', input: { folder } }] } : `I left ${folder} alone.`;
});

const agent = defineAgent({
  id: 'mail',
  model,
  instructions: 'Before you call archive, call request_approval, and go on only if it was approved.',
  tools: [archive],
});

export const start = (at = port) =>
  serve(createHost({ agents: [agent], store: memoryStore() }), { port: at });

if (isMain(import.meta.url)) console.log(`The mail agent is at ${(await start()).url}/agents/mail`);
