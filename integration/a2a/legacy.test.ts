/**
 * `a2aAgent` with the servers of A2A before 1.0: `@a2a-js/sdk` 0.3.14 and 0.2.5, as they were published, through the
 * compatibility layer of 1.x.
 */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test } from 'node:test';

import type { AgentCard as CardV02 } from 'a2a-v02';
import {
  A2AExpressApp as AppV02,
  DefaultRequestHandler as HandlerV02,
  InMemoryTaskStore as StoreV02,
} from 'a2a-v02/server';
import type { AgentCard as CardV03 } from 'a2a-v03';
import { DefaultRequestHandler as HandlerV03, InMemoryTaskStore as StoreV03 } from 'a2a-v03/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from 'a2a-v03/server/express';
import express from 'express';

import { createConnector } from '../../src/a2a/agent/connect.ts';
import { a2aAgent } from '../../src/a2a/index.ts';
import { createHost } from '../../src/host/index.ts';
import { answer, createHostClient } from '../../src/host/testing-support/host-client.ts';
import { memoryStore } from '../../src/store/memory/index.ts';
import type { LegacyAgent } from './legacy-agent.ts';
import { legacyAgent } from './legacy-agent.ts';
import { assertNothingLeaked, listen, threadOf } from './thread.ts';

const described = {
  name: 'helper',
  description: 'Helps.',
  version: '1.0.0',
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

type Make = (agent: LegacyAgent, url: string) => RequestListener;

const v03 =
  (transport: 'JSONRPC' | 'HTTP+JSON', streaming: boolean): Make =>
  (agent, url) => {
    const path = transport === 'JSONRPC' ? '/rpc' : '/rest';
    const card: CardV03 = {
      ...described,
      protocolVersion: '0.3.0',
      url: `${url}${path}`,
      preferredTransport: transport,
      capabilities: { streaming },
    };
    const requestHandler = new HandlerV03(card, new StoreV03(), agent);
    const given = { requestHandler, userBuilder: UserBuilder.noAuthentication };
    const app = express();
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }) as never);
    app.use('/rpc', jsonRpcHandler(given) as never);
    app.use('/rest', restHandler(given) as never);
    return app;
  };

const v02 =
  (streaming: boolean): Make =>
  (agent, url) => {
    const card: CardV02 = { ...described, url: `${url}/`, capabilities: { streaming } };
    const app = express();
    new AppV02(new HandlerV02(card, new StoreV02(), agent)).setupRoutes(app as never);
    return app;
  };

const SERVERS: Readonly<Record<string, Make>> = {
  '0.3.14, JSON-RPC, streaming': v03('JSONRPC', true),
  '0.3.14, JSON-RPC, polling': v03('JSONRPC', false),
  '0.3.14, HTTP+JSON, streaming': v03('HTTP+JSON', true),
  '0.3.14, HTTP+JSON, polling': v03('HTTP+JSON', false),
  '0.2.5, JSON-RPC, streaming': v02(true),
  '0.2.5, JSON-RPC, polling': v02(false),
};

/** A host with the agent. `beforeAnswer` is called right before an answer is sent. */
async function behindHost(make: Make, beforeAnswer?: (url: string, taskId: string) => Promise<void>) {
  const agent = legacyAgent();
  const served = await listen((url) => make(agent, url));
  const store = memoryStore();
  const bridge = a2aAgent({
    url: served.url,
    store,
    timing: { pollMs: 50 },
    async fetch(input, init) {
      const taskId = /"task_?id":"([^"]+)"/i.exec(String(init?.body))?.[1];
      if (taskId !== undefined) await beforeAnswer?.(served.url, taskId);
      return fetch(input, init);
    },
  });
  const host = createHost({ agents: { assistant: bridge }, store, logger: false, sweepMs: 0 });
  return { agent, served, host, client: createHostClient(host.fetch) };
}

for (const [name, make] of Object.entries(SERVERS)) {
  void describe(`a server of ${name}`, { timeout: 30_000 }, () => {
    void test('is asked, answered once, and shown once', async (context) => {
      const agent = legacyAgent();
      const served = await listen((url) => make(agent, url));
      context.after(() => served.close());
      const bridge = a2aAgent({ url: served.url, timing: { pollMs: 50 } });
      const thread = threadOf(bridge, 'agui-thread');
      const paused = await thread.say('sign me up');
      assert.equal(paused.outcome, 'interrupt');
      assert.equal(paused.interrupts[0]?.message, 'Which e-mail address?');
      const { id } = paused.interrupts[0];
      const wrong = await thread.resume([{ interruptId: id, status: 'resolved', payload: { email: 1 } }]);
      assert.match(wrong.outcome, /^ANSWER_INVALID/);
      const end = await thread.resume([{ interruptId: id, status: 'resolved', payload: { email: 'a@b.c' } }]);
      assert.equal(end.outcome, 'success');
      const response = { type: 'a2a.input.response', requestId: 'mail', values: { email: 'a@b.c' } };
      assert.deepEqual(agent.taken, [response]);
      // A server of 0.2 does not keep its status messages.
      const kept = end.texts.filter((text) => text !== 'One moment.');
      assert.deepEqual(kept.toSorted(), ['Done.', 'Signed up.', 'Which e-mail address?']);
      assert.ok(end.texts.length - kept.length <= 2);
      assertNothingLeaked(served.requests, paused.interrupts);
    });

    void test('that is down leaves the interrupt open; it takes another answer when it is back', async (context) => {
      const { agent, served, host, client } = await behindHost(make);
      context.after(() => Promise.all([host.close({ withinMs: 0 }), served.close()]));
      const { interrupts } = await client.run({ say: 'sign me up' });
      await served.stop();
      const failed = await client.run({ resume: [answer(interrupts[0], { email: 'no@b.c' })] });
      assert.equal(failed.error?.code, 'AGENT_UNKNOWN');
      const { body } = await client.get('/interrupts');
      assert.match(body.interrupts[0].interrupt.metadata.notDelivered, /cannot be reached/);
      await served.start();
      const end = await client.run({ resume: [answer(interrupts[0], { email: 'a@b.c' })] });
      assert.equal(end.outcome, 'success');
      assert.deepEqual(
        agent.taken.map(({ values }) => values),
        [{ email: 'a@b.c' }],
      );
    });

    void test('that refuses an answer to a task that has ended closes the interrupt', async (context) => {
      let isCancelled = false;
      const { agent, served, host, client } = await behindHost(make, async (url, taskId) => {
        if (isCancelled) return;
        isCancelled = true;
        const { client: other } = await createConnector({ url })();
        await other.cancelTask({ tenant: '', id: taskId, metadata: undefined });
      });
      context.after(() => Promise.all([host.close({ withinMs: 0 }), served.close()]));
      const { interrupts } = await client.run({ say: 'sign me up' });
      const refused = await client.run({ resume: [answer(interrupts[0], { email: 'a@b.c' })] });
      // Over HTTP+JSON with streaming, the server answers 500, which is no refusal; the task itself tells its end.
      assert.match(refused.error?.code ?? refused.outcome, /^(?:INTERRUPT_UNKNOWN|cancelled)$/);
      assert.deepEqual((await client.get('/interrupts')).body.interrupts, []);
      assert.deepEqual(agent.taken, []);
      assert.equal((await client.run({ say: 'again' })).interrupts.length, 1);
    });

    void test('cancels its task after a cancelled answer', async (context) => {
      const agent = legacyAgent();
      const served = await listen((url) => make(agent, url));
      context.after(() => served.close());
      const thread = threadOf(a2aAgent({ url: served.url, timing: { pollMs: 50 } }), 'agui-thread');
      const paused = await thread.say('sign me up');
      const end = await thread.resume([{ interruptId: paused.interrupts[0]!.id, status: 'cancelled' }]);
      assert.equal(end.outcome, 'cancelled');
      assert.deepEqual(agent.taken, []);
    });
  });
}
