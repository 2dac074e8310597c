/** Published clients before AG-UI 1.0, unmodified, against a host over HTTP. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { createEventWriter } from '../../src/protocol/index.ts';
import { arbitraryEvent } from '../../src/protocol/testing-support/arbitrary-events.ts';
import type { OldClient, OldMessage, Shown } from './open-client.ts';
import { loadVersion, openClient } from './open-client.ts';
import { startHost } from './start-host.ts';

/** The versions that answer with `resume`; CopilotKit 1.60 to 1.74 and assistant-ui carry these. */
const RESUME = ['0.0.55', '0.0.56', '0.0.57', '0.0.58', '0.0.59'];
/** The versions that answer with `forwardedProps.command.resume`. */
const COMMAND = ['0.0.45', '0.0.46', '0.0.47', '0.0.48', '0.0.49', '0.0.50', '0.0.51', '0.0.52', '0.0.53'];

const BINARY = { accept: 'application/vnd.ag-ui.event+proto' };
const LOCATE = { name: 'locate', description: 'Where?', parameters: { type: 'object', properties: {} } };
const yes = { approved: true };
const resolved = (interruptId: string | undefined, payload: unknown) => ({
  interruptId,
  status: 'resolved',
  payload,
});

const texts = ({ agent }: OldClient) => agent.messages.map(({ role, content }) => [role, content]);
const last = (client: OldClient) => texts(client).at(-1);

/** A run that the client read to its end. */
function assertRead({ failure, types }: Shown): void {
  assert.equal(failure, undefined);
  assert.equal(types.at(-1), 'RUN_FINISHED');
}

async function setUp(context: TestContext, version: string, dialect: '1.0' | 'command') {
  const host = await startHost(context, dialect);
  const module = await loadVersion(version);
  const open = (
    threadId: string,
    more: { agent?: string; headers?: Readonly<Record<string, string>> } = {},
  ) =>
    openClient(module, {
      url: `${host.url}/agents/${more.agent ?? 'assistant'}`,
      threadId,
      ...(more.headers === undefined ? {} : { headers: more.headers }),
    });
  return { ...host, open };
}

for (const [versions, dialect] of [
  [RESUME, '1.0'],
  [COMMAND, 'command'],
] as const) {
  for (const version of versions) {
    void test(`${version} reads every event that a host sends`, async (context) => {
      const { EventSchemas } = await loadVersion(version);
      fc.assert(
        fc.property(arbitraryEvent(), (event) => {
          for (const one of createEventWriter(dialect, { reader: '0.0' })(event))
            EventSchemas.parse(JSON.parse(JSON.stringify(one)));
        }),
        { numRuns: 2000, seed: 20_261_116 },
      );
      const { open } = await setUp(context, version, dialect);
      const client = open('t', { agent: 'everything' });
      assertRead(await client.run('go'));
      assertRead(await client.run('again'));
    });

    void test(`${version} talks, and runs a frontend tool`, async (context) => {
      const { open } = await setUp(context, version, dialect);
      const client = open('t');
      assertRead(await client.run('weather', { tools: [LOCATE] }));
      assert.deepEqual(last(client), ['assistant', 'Result: sunny in Oslo']);
      assertRead(await client.run('local', { tools: [LOCATE] }));
      const call = client.agent.messages.at(-1)?.toolCalls?.[0];
      assert.equal(call?.function.name, 'locate');
      const result: OldMessage = { id: 'r1', role: 'tool', toolCallId: call.id, content: 'Oslo' };
      client.agent.addMessage(result);
      assertRead(await client.run(undefined, { tools: [LOCATE] }));
      assert.deepEqual(last(client), ['assistant', 'Result: Oslo']);
    });

    void test(`${version} reads the binary form`, async (context) => {
      const { open, url } = await setUp(context, version, dialect);
      const client = open('t', { headers: BINARY });
      assertRead(await client.run('weather'));
      // A snapshot brings the result at the end; clients put a message that is new to them last.
      const contents = new Set(texts(client).map(([, content]) => content));
      assert.ok(contents.has('sunny in Oslo') && contents.has('Result: sunny in Oslo'));
      const { interrupts, asked, failure } = await client.run('choose');
      assert.deepEqual([failure, dialect === 'command' ? asked.length : interrupts.length], [undefined, 1]);
      assertRead(
        await client.run(
          undefined,
          dialect === 'command'
            ? { forwardedProps: { command: { resume: 'red' } } }
            : { resume: [resolved(interrupts[0]?.id, 'red')] },
        ),
      );
      assert.ok(texts(client).some(([, content]) => content === 'Result: red'));
      assertRead(await open('u', { agent: 'everything', headers: BINARY }).run('go'));
      const headers = { ...BINARY, 'content-type': 'application/json' };
      const body = JSON.stringify({ threadId: 'x', runId: 'r', messages: [] });
      const { headers: answered } = await fetch(`${url}/agents/assistant`, { method: 'POST', headers, body });
      assert.equal(answered.get('content-type'), BINARY.accept);
    });

    void test(`${version} reads the end of a cancelled run`, async (context) => {
      const { open, url, begun } = await setUp(context, version, dialect);
      const client = open('t', { agent: 'slow' });
      const run = client.run('go', { runId: 'r' });
      await begun;
      const json = { 'content-type': 'application/json' };
      await fetch(`${url}/threads/t/runs/r/cancel`, { method: 'POST', headers: json, body: '{}' });
      assertRead(await run);
    });
  }
}

for (const version of RESUME) {
  void test(`${version} approves, rejects and answers several interrupts together`, async (context) => {
    const { open, done } = await setUp(context, version, '1.0');
    const client = open('t');
    const [email] = (await client.run('email')).interrupts;
    assertRead(await client.run(undefined, { resume: [resolved(email?.id, yes)] }));
    const [again] = (await client.run('email')).interrupts;
    assertRead(await client.run(undefined, { resume: [resolved(again?.id, { approved: false })] }));
    const { interrupts } = await client.run('both');
    assert.equal(interrupts.length, 2);
    const resume = [resolved(interrupts[0]?.id, yes), resolved(interrupts[1]?.id, 'blue')];
    assertRead(await client.run(undefined, { resume }));
    assert.deepEqual(done, ['a@b.c: hello', 'a@b.c: hello']);
  });

  void test(`${version} sends the result of a frontend tool together with an approval`, async (context) => {
    const { open, done } = await setUp(context, version, '1.0');
    const client = open('t');
    const { interrupts } = await client.run('mixed', { tools: [LOCATE] });
    const call = client.agent.messages.find(({ toolCalls }) => toolCalls !== undefined)?.toolCalls?.[0];
    client.agent.addMessage({ id: 'r1', role: 'tool', toolCallId: call?.id ?? '', content: 'Oslo' });
    assertRead(await client.run(undefined, { tools: [LOCATE], resume: [resolved(interrupts[0]?.id, yes)] }));
    assert.deepEqual(done, ['a@b.c: hello']);
    assert.deepEqual(last(client), ['assistant', 'Result: {"sent":true}']);
  });

  void test(`${version} in a late tab sees the thread and the error, and goes on`, async (context) => {
    const { open, done } = await setUp(context, version, '1.0');
    const [first, late] = [open('t'), open('t')];
    const { interrupts } = await first.run('email');
    // The tab has the card of the same interrupt.
    assert.equal((await late.run()).interrupts[0]?.id, interrupts[0]?.id);
    await first.run(undefined, { resume: [resolved(interrupts[0]?.id, yes)] });
    const refused = await late.run(undefined, { resume: [resolved(interrupts[0]?.id, { approved: false })] });
    assert.equal(refused.code, 'INTERRUPT_CONFLICT');
    assert.deepEqual(last(late), ['assistant', 'Result: {"sent":true}']);
    assertRead(await late.run('hello'));
    assert.deepEqual(done, ['a@b.c: hello']);
  });
}

for (const version of COMMAND) {
  const command = (resume: unknown, more: object = {}) => ({
    forwardedProps: { command: { resume, ...more } },
  });

  void test(`${version} answers by command, with a value or its JSON text`, async (context) => {
    const { open, done } = await setUp(context, version, 'command');
    const client = open('t');
    const shown = await client.run('email');
    assertRead(shown);
    assert.equal(shown.asked.length, 1);
    assertRead(await client.run(undefined, command(yes)));
    const again = await client.run('email');
    assertRead(await client.run(undefined, command(JSON.stringify(yes), { interruptEvent: again.asked[0] })));
    assert.deepEqual(done, ['a@b.c: hello', 'a@b.c: hello']);
    const choice = await client.run('choose');
    assertRead(
      await client.run(undefined, command('"red"', { interruptEvent: JSON.stringify(choice.asked[0]) })),
    );
    assert.deepEqual(last(client), ['assistant', 'Result: red']);
  });

  void test(`${version} answers several interrupts one after the other`, async (context) => {
    const { open, done } = await setUp(context, version, 'command');
    const client = open('t');
    const first = await client.run('both');
    assertRead(first);
    const second = await client.run(undefined, command(yes, { interruptEvent: first.asked[0] }));
    assertRead(second);
    assert.equal(second.asked.length, 1);
    assert.notDeepEqual(second.asked, first.asked);
    const end = await client.run(undefined, command('blue', { interruptEvent: second.asked[0] }));
    assertRead(end);
    assert.deepEqual([end.asked, done], [[], ['a@b.c: hello']]);
  });

  void test(`${version} answers several interrupts by its transcript alone`, async (context) => {
    const { open, done } = await setUp(context, version, 'command');
    const client = open('t');
    await client.run('both');
    assertRead(await client.run(undefined, command(JSON.stringify(yes))));
    assertRead(await client.run(undefined, command('blue')));
    assert.deepEqual(done, ['a@b.c: hello']);
    assert.deepEqual(last(client)?.[0], 'assistant');
  });
}
