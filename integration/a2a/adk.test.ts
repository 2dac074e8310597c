/**
 * `a2aAgent` with `toA2a` of Google's Agent Development Kit, on a model that is a script: two long-running calls in one
 * pause, which want an answer for each.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { LlmRequest, LlmResponse } from '@google/adk';
import {
  A2AAgentExecutor,
  BaseLlm,
  FunctionTool,
  InMemoryRunner,
  LlmAgent,
  LongRunningFunctionTool,
  toA2a,
} from '@google/adk';
import { DefaultRequestHandler, InMemoryTaskStore } from 'a2a-v03/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from 'a2a-v03/server/express';
import express from 'express';
import { z } from 'zod';

import { a2aAgent } from '../../src/a2a/index.ts';
import { cardFacts } from '../../src/elements/interrupt/card-facts.ts';
import { assertNothingLeaked, listen, threadOf } from './thread.ts';

/** A model that calls both tools and then repeats their responses. */
class Script extends BaseLlm {
  readonly told: unknown[] = [];

  constructor() {
    super({ model: 'script' });
  }

  override async *generateContentAsync(request: LlmRequest): AsyncGenerator<LlmResponse, void> {
    const parts = request.contents.flatMap((content) => content.parts ?? []);
    const responses = parts.flatMap(
      ({ functionResponse }) => (functionResponse?.response as object | undefined) ?? [],
    );
    const answered = responses.filter((response) => 'decision' in response);
    if (answered.length === 2) {
      this.told.push(...answered);
      yield { content: { role: 'model', parts: [{ text: 'Both are decided.' }] }, turnComplete: true };
    } else {
      const call = (id: string, name: string) => ({ functionCall: { id, name, args: { amount: 5 } } });
      yield {
        content: { role: 'model', parts: [call('c1', 'refund'), call('c2', 'discount')] },
        turnComplete: true,
      };
    }
  }

  override async connect(): Promise<never> {
    throw new Error('not here');
  }
}

const tool = (name: string) =>
  new LongRunningFunctionTool({
    name,
    description: `Asks for a ${name}.`,
    parameters: z.object({ amount: z.number() }),
    execute: () => undefined,
  });

void test(
  'a2aAgent answers two requests of an ADK agent in one pause',
  { timeout: 60_000 },
  async (context) => {
    const model = new Script();
    const agent = new LlmAgent({
      name: 'shop',
      model,
      description: 'Sells.',
      tools: [tool('refund'), tool('discount')],
    });
    const served = await listen(async (url) => {
      const { hostname, port } = new URL(url);
      return (await toA2a(agent, {
        host: hostname,
        port: Number(port),
        allowUnauthenticated: true,
      })) as never;
    });
    context.after(() => served.close());
    const found = await Promise.all(
      ['/.well-known/agent-card.json', '/a2a/.well-known/agent-card.json'].map(async (path) =>
        (await fetch(`${served.url}${path}`)).ok ? path : undefined,
      ),
    );
    const cardPath = found.find((path) => path !== undefined);
    assert.ok(cardPath !== undefined, 'the ADK serves a card');
    const thread = threadOf(a2aAgent({ url: served.url, cardPath }), 'agui-thread');
    const paused = await thread.say('five off, please');
    assert.equal(paused.outcome, 'interrupt');
    assert.deepEqual(
      paused.interrupts.map(({ message }) => message),
      ['refund asks for input.', 'discount asks for input.'],
    );
    const [first, second] = paused.interrupts;
    const end = await thread.resume([
      { interruptId: first!.id, status: 'resolved', payload: { decision: 'yes' } },
      { interruptId: second!.id, status: 'resolved', payload: { decision: 'no' } },
    ]);
    assert.equal(end.outcome, 'success');
    assert.deepEqual(model.told, [{ decision: 'yes' }, { decision: 'no' }]);
    assert.ok(end.texts.includes('Both are decided.'));
    assertNothingLeaked(served.requests, paused.interrupts);
  },
);

/** A model that calls `transfer` and then repeats the result. */
class Payer extends BaseLlm {
  constructor() {
    super({ model: 'payer' });
  }

  override async *generateContentAsync(request: LlmRequest): AsyncGenerator<LlmResponse, void> {
    const parts = request.contents.flatMap((content) => content.parts ?? []);
    const results = parts.flatMap(({ functionResponse }) =>
      functionResponse?.name === 'transfer' ? [JSON.stringify(functionResponse.response)] : [],
    );
    const isDone = results.some((result) => result.includes('sent') || result.includes('reject'));
    yield isDone
      ? { content: { role: 'model', parts: [{ text: `Result: ${results.at(-1)}` }] }, turnComplete: true }
      : {
          content: {
            role: 'model',
            parts: [{ functionCall: { id: 'c1', name: 'transfer', args: { amount: 5, to: 'Ann' } } }],
          },
          turnComplete: true,
        };
  }

  override async connect(): Promise<never> {
    throw new Error('not here');
  }
}

for (const approved of [true, false]) {
  void test(
    `a2aAgent shows the call of an ADK confirmation, and the call ${approved ? 'runs once when it is approved' : 'does not run when it is rejected'}`,
    { timeout: 60_000 },
    async (context) => {
      const sent: unknown[] = [];
      const transfer = new FunctionTool({
        name: 'transfer',
        description: 'Sends money.',
        parameters: z.object({ amount: z.number(), to: z.string() }),
        requireConfirmation: true,
        execute: (input) => {
          sent.push(input);
          return { status: 'sent' };
        },
      });
      const agent = new LlmAgent({
        name: 'bank',
        model: new Payer(),
        description: 'Pays.',
        tools: [transfer],
      });
      const runner = new InMemoryRunner({ agent, appName: 'bank' });
      const executor = new A2AAgentExecutor({
        runner,
        runConfig: { allowRemoteToolConfirmation: true },
      });
      const served = await listen((url) => {
        const card = {
          name: 'bank',
          description: 'Pays.',
          version: '1.0.0',
          protocolVersion: '0.3.0',
          url: `${url}/rpc`,
          preferredTransport: 'JSONRPC',
          capabilities: { streaming: true },
          defaultInputModes: ['text/plain'],
          defaultOutputModes: ['text/plain'],
          skills: [],
        };
        const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor as never);
        const app = express();
        app.use(
          '/.well-known/agent-card.json',
          agentCardHandler({ agentCardProvider: requestHandler }) as never,
        );
        app.use(
          '/rpc',
          jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }) as never,
        );
        return app;
      });
      context.after(() => served.close());
      const thread = threadOf(a2aAgent({ url: served.url }), 'agui-thread');
      const paused = await thread.say('send five to Ann');
      const [interrupt] = paused.interrupts;
      assert.ok(interrupt, paused.outcome);
      assert.equal(interrupt.reason, 'confirmation');
      const facts = cardFacts(interrupt);
      assert.equal(facts.isApproval, true);
      assert.equal(facts.toolName, 'transfer');
      assert.deepEqual(facts.args, { amount: 5, to: 'Ann' });
      assert.deepEqual(facts.details, {});
      const end = await thread.resume([
        { interruptId: interrupt.id, status: 'resolved', payload: { approved } },
      ]);
      assert.equal(end.outcome, 'success');
      assert.deepEqual(sent, approved ? [{ amount: 5, to: 'Ann' }] : []);
      assertNothingLeaked(served.requests, paused.interrupts);
    },
  );
}
