import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Part } from '@a2a-js/sdk';
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGate } from '../../host/testing-support/host-client.ts';
import { defineAgent } from '../../runs/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { toA2a } from '../index.ts';
import { a2aMessage, dataPart, filePart, textOf, textPart } from '../parts.ts';
import type { Binding } from '../testing-support/a2a-server.ts';
import { cardFor } from '../testing-support/a2a-server.ts';
import { createWire } from '../testing-support/a2a-wire.ts';
import type { Check, Scene, Subject } from '../testing-support/conformance-checks.ts';
import { CHECKS } from '../testing-support/conformance-checks.ts';
import { ASKS, DONE, executor, WORKING } from '../testing-support/executors.ts';
import { serveFetch } from '../testing-support/serve-fetch.ts';

const BINDINGS: readonly Binding[] = ['JSONRPC', 'HTTP+JSON'];
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
});

/** Opens once for each wait; `open` ends all waits so far. */
function createWaits() {
  let gate = createGate();
  return {
    wait: () => gate.opened,
    release() {
      gate.open();
      gate = createGate();
    },
  };
}

const FILE = { bytes: btoa('file'), filename: 'output.txt', mediaType: 'text/plain' };
const FILE_URL = { url: 'https://example.com/output.txt', filename: 'output.txt', mediaType: 'text/plain' };
const DATA = { key: 'value', count: 42 };

async function startOurs(): Promise<Subject> {
  const waits = createWaits();
  const agent = defineAgent({
    id: 'subject',
    async run({ text }, { say, ask, emit }) {
      const artifact = (part: object) => emit.activity('artifact', 'ARTIFACT', { part });
      switch (text as Scene) {
        case 'ask':
          await ask('more', { message: 'What else?', schema: { type: 'string' } });
          break;
        case 'wait':
          await waits.wait();
          break;
        case 'file':
          return artifact({ type: 'file', ...FILE });
        case 'file-url':
          return artifact({ type: 'file', ...FILE_URL });
        case 'data':
          return artifact({ type: 'data', data: DATA });
        default:
      }
      await say('Hello.');
    },
  });
  const start = async (replies: 'task' | 'message') => {
    const served = await serveFetch(toA2a(agent, { store: memoryStore(), replies }).fetch);
    closers.push(() => served.close());
    return { JSONRPC: served.url, 'HTTP+JSON': served.url };
  };
  const urls = await start('task');
  const cardUrl = `${urls.JSONRPC}/.well-known/agent-card.json`;
  return { cardUrl, urls, messageUrls: await start('message'), release: waits.release };
}

/** The server that the SDK has, with an agent that does the same. */
async function startSdk(): Promise<Subject> {
  const waits = createWaits();
  const agent = executor(async ({ request, task, artifact, status }) => {
    const scene = textOf(request.userMessage.parts) as Scene;
    const isAnswer = request.task !== undefined;
    task(WORKING);
    if (scene === 'ask' && !isAnswer) return status(ASKS, [textPart('What else?')]);
    if (scene === 'wait') await waits.wait();
    const parts: Partial<Record<Scene, Part>> = {
      file: filePart(FILE),
      'file-url': filePart(FILE_URL),
      data: dataPart(DATA),
    };
    artifact({ artifactId: 'artifact', parts: [parts[scene] ?? textPart('Hello.')] });
    status(DONE);
  });
  const replying = executor(({ request: { contextId }, bus }) => {
    const message = a2aMessage({ messageId: 'reply', contextId, role: 'agent' }, [textPart('Hello.')]);
    bus.publish(AgentEvent.message(message));
  });
  const start = async (of: typeof agent) => {
    const app = express();
    const server = createServer(app);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const at = (protocolBinding: Binding, path: string) => ({
      url: `${url}${path}`,
      protocolBinding,
      tenant: '',
      protocolVersion: '1.0',
    });
    const interfaces = [at('JSONRPC', '/rpc'), at('HTTP+JSON', '/rest')];
    const card = {
      ...cardFor(url),
      supportedInterfaces: duplicateInterfacesForLegacy(interfaces, ['JSONRPC']),
    };
    const none = undefined;
    const store = new InMemoryTaskStore();
    const requestHandler = new DefaultRequestHandler(card, store, of, none, none, none, none, none, {
      validateInputModes: true,
    });
    const legacyCompat = { enabled: true };
    const given = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat };
    app.use(
      '/.well-known/agent-card.json',
      agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }),
    );
    app.use('/rpc', jsonRpcHandler(given));
    app.use('/rest', restHandler(given));
    closers.push(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });
    return { JSONRPC: `${url}/rpc`, 'HTTP+JSON': `${url}/rest` };
  };
  const urls = await start(agent);
  const cardUrl = new URL('/.well-known/agent-card.json', urls.JSONRPC).href;
  return { cardUrl, urls, messageUrls: await start(replying), release: waits.release };
}

const CASES = CHECKS.flatMap((check) =>
  BINDINGS.filter((binding) => check.only === undefined || check.only === binding).map((binding) => ({
    check,
    binding,
    title: `${check.name} (section ${check.section}, ${binding})`,
  })),
);
const runCheck = async (check: Check, binding: Binding, subject: Subject) =>
  check.run(createWire(binding, subject.urls[binding]), subject);

describe('toA2a as A2A 1.0 requires', () => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await startOurs();
  });

  it.each(CASES.map((one) => [one.title, one] as const))('%s', (_title, { check, binding }) =>
    runCheck(check, binding, subject),
  );
});

/** Requirements that the server of the SDK itself breaks. */
const BROKEN_BY_THE_SDK: readonly string[] = [
  'a part of an unknown media type is rejected (section 3.1.1, HTTP+JSON)',
  'CancelTask of a completed task is not possible (section 3.1.5, HTTP+JSON)',
  'the patch number of a version does not count (section 3.6, JSONRPC)',
  'the patch number of a version does not count (section 3.6, HTTP+JSON)',
  'a body that is no JSON-RPC request is an invalid request (section 9.5, JSONRPC)',
  'a body of another content type is rejected (section 9.1, HTTP+JSON)',
  'a malformed path is the error of the client (section 11.3, HTTP+JSON)',
];

describe('the server of the SDK', () => {
  it('the server of the SDK passes the same checks, except these', async () => {
    const silent = (['error', 'warn'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => undefined),
    );
    const subject = await startSdk();
    const broken: string[] = [];
    for (const { check, binding, title } of CASES)
      await runCheck(check, binding, subject).catch(() => broken.push(title));
    for (const spy of silent) spy.mockRestore();
    expect(broken).toEqual(BROKEN_BY_THE_SDK);
  });
});
