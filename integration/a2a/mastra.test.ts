/** `a2aAgent` with the A2A server of Mastra, on a model that is a script: a tool that waits for an approval, and one that asks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import type { HonoBindings, HonoVariables } from '@mastra/hono';
import { MastraServer } from '@mastra/hono';
import { InMemoryTaskStore } from '@mastra/server/a2a/store';
import { Hono } from 'hono';
import { z } from 'zod';

import { a2aAgent } from '../../src/a2a/index.ts';
import { cardFacts } from '../../src/elements/interrupt/card-facts.ts';
import { serveFetch } from '../../src/a2a/testing-support/serve-fetch.ts';
import { assertNothingLeaked, threadOf } from './thread.ts';

process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
process.env['MASTRA_OFFLINE'] = '1';

interface PromptMessage {
  readonly role: string;
  readonly content: readonly { readonly text?: string; readonly output?: unknown }[];
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that calls `pay` or `askEmail` by the user's words, and then repeats the result. */
function partsFor(prompt: readonly PromptMessage[]): object[] {
  const lastUser = prompt.findLastIndex(({ role }) => role === 'user');
  const said = prompt[lastUser]?.content.at(-1)?.text ?? '';
  const results = prompt.slice(lastUser + 1).filter(({ role }) => role === 'tool');
  const finish = (unified: string) => ({ type: 'finish', usage, finishReason: { unified, raw: undefined } });
  const start = { type: 'stream-start', warnings: [] };
  if (results.length > 0) {
    const delta = `Result: ${JSON.stringify(results.flatMap(({ content }) => content.map(({ output }) => output)))}`;
    const text = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta },
      { type: 'text-end', id: '1' },
    ];
    return [start, ...text, finish('stop')];
  }
  const isPayment = said.startsWith('pay');
  const call = {
    type: 'tool-call',
    toolCallId: `call-${prompt.length}`,
    toolName: isPayment ? 'pay' : 'askEmail',
    input: JSON.stringify(isPayment ? { amount: 5, to: 'Ann' } : {}),
  };
  return [start, call, finish('tool-calls')];
}

const model = {
  specificationVersion: 'v4',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: async ({ prompt }: { prompt: PromptMessage[] }) => {
    const parts = partsFor(prompt) as { type: string; delta?: string; finishReason?: object }[];
    const content = parts.flatMap((part) => {
      if (part.type === 'tool-call') return [part];
      return part.type === 'text-delta' ? [{ type: 'text', text: part.delta }] : [];
    });
    return { content, usage, finishReason: parts.at(-1)?.finishReason, warnings: [] };
  },
  doStream: async ({ prompt }: { prompt: PromptMessage[] }) => {
    const parts = partsFor(prompt);
    const stream = new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    return { stream };
  },
};

async function serveMastra() {
  const paid: unknown[] = [];
  const emails: unknown[] = [];
  const payer = new Agent({
    id: 'payer',
    name: 'payer',
    instructions: 'Pays.',
    model: model as never,
    tools: {
      pay: createTool({
        id: 'pay',
        description: 'Pays.',
        inputSchema: z.object({ amount: z.number(), to: z.string() }),
        requireApproval: true,
        execute: async (input) => {
          paid.push(input);
          return `paid ${input.amount}`;
        },
      }),
      askEmail: createTool({
        id: 'askEmail',
        description: 'Asks.',
        inputSchema: z.object({}),
        resumeSchema: z.object({ email: z.string() }),
        suspendSchema: z.object({ message: z.string(), for: z.string() }),
        execute: async (_input, context) => {
          const { resumeData, suspend } = context.agent ?? {};
          if (resumeData === undefined) return suspend?.({ message: 'Your email?', for: 'the newsletter' });
          emails.push(resumeData);
          return 'signed up';
        },
      }),
    },
  });
  const mastra = new Mastra({ agents: { payer }, storage: new InMemoryStore(), logger: false });
  const app = new Hono<{ Bindings: HonoBindings; Variables: HonoVariables }>();
  await new MastraServer({ app, mastra, taskStore: new InMemoryTaskStore() }).init();
  const served = await serveFetch(async (request) => app.fetch(request));
  const agent = a2aAgent({
    url: served.url,
    cardPath: '/api/.well-known/payer/agent-card.json',
    timing: { pollMs: 50 },
  });
  return { served, paid, emails, thread: threadOf(agent, 'agui-thread') };
}

void describe('a2aAgent with the A2A server of Mastra', { timeout: 120_000 }, () => {
  for (const approved of [true, false]) {
    void test(`shows the call of an approval and ${approved ? 'runs it once when it is approved' : 'does not run it when it is rejected'}`, async (context) => {
      const { served, paid, thread } = await serveMastra();
      context.after(() => served.close());
      const paused = await thread.say('pay Ann');
      assert.equal(paused.outcome, 'interrupt');
      const [interrupt] = paused.interrupts;
      assert.ok(interrupt);
      assert.equal(interrupt.reason, 'confirmation');
      assert.equal(interrupt.message, 'May pay go ahead?');
      const facts = cardFacts(interrupt);
      assert.equal(facts.isApproval, true);
      assert.equal(facts.toolName, 'pay');
      assert.deepEqual(facts.args, { amount: 5, to: 'Ann' });
      assert.deepEqual(facts.details, {});
      const payload = { approved, reason: 'because' };
      const end = await thread.resume([{ interruptId: interrupt.id, status: 'resolved', payload }]);
      assert.equal(end.outcome, 'success');
      assert.deepEqual(paid, approved ? [{ amount: 5, to: 'Ann' }] : []);
      assertNothingLeaked(served.requests, paused.interrupts);
    });
  }

  void test('asks with a form and details, and gets the answer once', async (context) => {
    const { served, emails, thread } = await serveMastra();
    context.after(() => served.close());
    const paused = await thread.say('sign up');
    const [interrupt] = paused.interrupts;
    assert.ok(interrupt);
    assert.equal(interrupt.message, 'Your email?');
    assert.deepEqual(cardFacts(interrupt).details, { for: 'the newsletter' });
    const { id: interruptId } = interrupt;
    const wrong = await thread.resume([{ interruptId, status: 'resolved', payload: { email: 1 } }]);
    assert.match(wrong.outcome, /^ANSWER_INVALID/);
    const end = await thread.resume([{ interruptId, status: 'resolved', payload: { email: 'a@b.c' } }]);
    assert.equal(end.outcome, 'success');
    assert.deepEqual(emails, [{ email: 'a@b.c' }]);
  });
});
