/**
 * The server has one tool, which needs an approval; the agent may also call the tools of the client.
 * Run: npx tsx --conditions=holdpoint-source examples/03-client-tools/server.ts
 */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4703;
export const published: string[] = [];

// A client tool of the same name does not bypass the approval.
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text.',
  input: z.object({ text: z.string() }),
  approval: { message: ({ text }) => `Publish “${text}”?` },
  run({ text }) {
    published.push(text);
    return 'It is out in the world.';
  },
});

const model = scriptedModel(({ messages, tools }) => {
  const last = messages.at(-1);
  const text = String(last?.content);
  if (last?.role !== 'tool') {
    const [, name = 'poem'] = /publish (?:the |my )?(\w+)/i.exec(text) ?? [];
    const canRead = tools.some((tool) => tool.name === 'readDraft');
    return canRead
      ? { calls: [{ name: 'readDraft', input: { name } }] }
      : 'This client cannot read drafts to me.';
  }
  const called = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  );
  const { name } = called.find(({ id }) => id === last.toolCallId)?.function ?? {};
  return name === 'readDraft' && last.error === undefined
    ? { calls: [{ name: 'publish', input: { text } }] }
    : text;
});

const agent = defineAgent({ id: 'editor', model, tools: [publish] });

export const start = (at = port) =>
  serve(createHost({ agents: [agent], store: memoryStore() }), { port: at });

if (isMain(import.meta.url)) console.log(`The editor is at ${(await start()).url}/agents/editor`);
