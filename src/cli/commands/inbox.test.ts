import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../../test/processes/free-port.ts';
import { createClient } from '../../client/index.ts';
import { defineTool } from '../../engine/index.ts';
import { createHost } from '../../host/index.ts';
import type { HostOptions } from '../../host/index.ts';
import { serve } from '../../host/node/index.ts';
import type { RunAgentInput } from '../../protocol/index.ts';
import { defineAgent } from '../../runs/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { demoAgent } from '../demo/demo-agent.ts';
import { converse } from '../testing-support/converse.ts';
import { run, start } from '../testing-support/run-command.ts';
import { startDemo } from '../testing-support/start-demo.ts';

/** Long enough for a busy machine. */
const SOON = { timeout: 20_000 };

let folder = '';
let url = '';
let port = 0;
let stop: () => Promise<unknown> = () => Promise.resolve();
const boot = async () => {
  ({ url, stop } = await startDemo(join(folder, 'demo.db'), port));
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-inbox-'));
  port = await freePort();
  await boot();
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const inbox = (...words: string[]) => run('inbox', ...words, '--url', url);
const ask = async (phrase: string, threadId: string = phrase) => {
  const { interrupts } = await converse(url, threadId).say(phrase);
  return interrupts.map(({ id }) => id);
};
const askMany = (threads: number) =>
  Promise.all(Array.from({ length: threads }, (_, thread) => ask('ask me', `t-${thread}`)));
/** The last message of a thread. */
const ending = async (threadId: string): Promise<unknown> => {
  const response = await fetch(`${url}/threads/${encodeURIComponent(threadId)}`);
  const { messages = [] } = (await response.json()) as { messages?: { content?: unknown }[] };
  return messages.at(-1)?.content;
};

it('show names the arguments that the tool does not get, and says that it converts the others', async () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number(), at: z.string().transform((text) => new Date(text)) }),
    approval: true,
    run: () => 'paid',
  });
  const given = { amount: 5, at: '2026-01-01', currency: 'JPY' };
  const model = scriptedModel([{ calls: [{ name: 'pay', input: given }] }, 'Done.']);
  const host = createHost({
    agents: [defineAgent({ id: 'clerk', model, tools: [pay] })],
    store: memoryStore(),
    logger: false,
  });
  const server = await serve(host, { port: 0 });
  try {
    const client = createClient({ url: `${server.url}/agents/clerk` });
    const { interrupts } = await client.run({ messages: 'Pay.' }).finished;
    const { out } = await run('inbox', 'show', interrupts[0]!.id, '--url', server.url);
    expect(out).toContain('  dropped: /currency "JPY" (the tool does not get it)\n');
    expect(out).toContain('  converted by the tool: it reads the arguments in its own form\n');
    expect(out).not.toContain('schemaEffect');
  } finally {
    await server.close();
  }
});

describe('holdpoint inbox', () => {
  it('show prints an interrupt with metadata and answer schema, by its id or the start of its id', async () => {
    const [id = ''] = await ask('delete old users', 't');
    const byPrefix = await inbox('show', id.slice(0, 8));
    expect(byPrefix).toMatchObject({ code: 0, err: '' });
    for (const part of [
      'Delete 42 users who have not signed in since 2023?\n',
      '  reason  database_modification\n',
      '  agent   assistant\n',
      '  thread  t\n',
      `  id      ${id}\n`,
      'Restore from the snapshot of last night',
      'answer schema: {',
    ]) {
      expect(byPrefix.out).toContain(part);
    }
    expect((await inbox('show', id)).out).toBe(byPrefix.out);
    expect((await inbox('show', `t/${id}`)).out).toBe(byPrefix.out);
    expect(JSON.parse((await inbox('show', id, '--json')).out)).toMatchObject({
      threadId: 't',
      status: 'pending',
      interrupt: { id },
    });
  });

  it('reject sends the reason to the agent', async () => {
    const [email = ''] = await ask('email a@b.com hello', 't');
    const args = '{"to":"a@b.com","subject":"A message from the demo","body":"hello"}';
    expect(await inbox('reject', email, 'not', 'today')).toEqual({
      code: 0,
      err: '',
      out: `Rejected “Send an e-mail to a@b.com”, sendEmail ${args}. The agent goes on.\n`,
    });
    await expect
      .poll(() => ending('t'), SOON)
      .toBe('It was rejected, so nothing was done. The reason: not today');
    const [transfer = ''] = await ask('transfer 1000 to ABC123', 'u');
    await inbox('reject', transfer);
    await expect.poll(() => ending('u'), SOON).toBe('The user rejected the transaction.');
    expect((await inbox()).out).toBe('Nothing waits for an answer.\n');
  });

  it('answer takes JSON or text and prints why an answer is invalid', async () => {
    const [id = ''] = await ask('sign me up', 't');
    const wrong = await inbox('answer', id, '{"email":"ana"}');
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringContaining('does not fit at /email') });
    const asJson = JSON.parse((await inbox('answer', id, '{"email":"ana"}', '--json')).err) as unknown;
    expect(asJson).toMatchObject({ error: { code: 'ANSWER_INVALID', issues: [{ pointer: '/email' }] } });
    for (const word of ['approve', 'reject']) {
      expect(await inbox(word, id)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`holdpoint inbox answer ${id}`),
      });
    }
    expect(await inbox('answer', id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Give an answer'),
    });
    expect(await inbox('answer', id, '{"email":"a@b.com"')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/looks like JSON but does not parse: .* quote it to send it as text: "\{/),
    });
    expect(await inbox('answer', id, '{"email":"a@b.com","email":"c@d.com"}')).toMatchObject({
      code: 2,
      err: expect.stringContaining('at /email: expected the member once'),
    });
    expect((await inbox('answer', id, '{"email":"a@b.com"}')).code).toBe(0);
    await expect.poll(() => ending('t'), SOON).toContain('a@b.com');
    const [choice = ''] = await ask('ask me', 'u');
    expect((await inbox('answer', choice, 'The', 'sea')).code).toBe(0);
    await expect.poll(() => ending('u'), SOON).toContain('The sea');
  });

  it('cancel closes an interrupt; an unknown action exits with 2', async () => {
    const [id = ''] = await ask('upload', 't');
    expect(await inbox('cancel', id)).toMatchObject({ code: 0, out: expect.stringMatching(/^Cancelled “/) });
    expect((await inbox()).out).toBe('Nothing waits for an answer.\n');
    expect(await inbox('cancel')).toMatchObject({ code: 2, err: expect.stringContaining('Give the id') });
    expect(await inbox('shred', id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('no `inbox shred`'),
    });
  });

  it('--as plays a role: the list names the approvers, the CFO approves, and the asker withdraws', async () => {
    const askAs = async (phrase: string) =>
      (await converse(url, crypto.randomUUID(), 'asker').say(phrase)).interrupts[0]?.id ?? '';
    const id = await askAs('pay 2500 to ACME');
    expect((await inbox()).out).toBe('Nothing waits for an answer.\n');
    expect((await inbox('--as', 'reviewer')).out).toBe('Nothing waits for an answer.\n');
    expect((await inbox('--as', 'asker')).out).toContain(' · waits for finance');
    expect((await inbox('show', id, '--as', 'asker')).out).toContain('  waits   for finance\n');
    expect(await inbox('approve', id, '--as', 'asker')).toMatchObject({
      code: 1,
      err: expect.stringContaining('asker may not answer this: it needs the role finance.'),
    });
    expect((await inbox('--as', 'cfo')).out).not.toContain('waits for');
    expect(await inbox('approve', id, '--as', 'cfo')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Approved “Pay $2,500 to ACME”'),
    });
    await expect
      .poll(async () => (await converse(url, 'b').say('balance')).text, SOON)
      .toBe('The balance is $7,500.');
    const other = await askAs('publish the price list');
    expect(await inbox('withdraw', other, 'not', 'yet', '--as', 'asker')).toMatchObject({
      code: 0,
      out: 'Withdrew “Publish the price list”, publish {"document":"price list"}. The agent goes on.\n',
    });
    expect((await inbox('--as', 'reviewer')).out).toBe('Nothing waits for an answer.\n');
    expect(await inbox('--as', 'king')).toMatchObject({
      code: 2,
      err: expect.stringContaining('The demo has no role king. Choose one of: owner, asker, reviewer, cfo.'),
    });
  });

  it('an approver who asked reads in the list, in show and for each answer that another person has to answer', async () => {
    const { interrupts } = await converse(url, 'p', 'cfo').say('pay 35 to ACME');
    const id = interrupts[0]?.id ?? '';
    const waits = 'another person of finance, because you asked';
    expect((await inbox('--as', 'cfo')).out).toContain(` · waits for ${waits}`);
    const shown = await inbox('show', id, '--as', 'cfo');
    expect(shown.out).toContain(`  asked   by you\n`);
    expect(shown.out).toContain(`  waits   for ${waits}\n`);
    for (const words of [['approve'], ['reject'], ['cancel'], ['answer', '{"approved":true}']]) {
      const [action = '', ...answer] = words;
      expect(await inbox(action, id, ...answer, '--as', 'cfo')).toEqual({
        code: 1,
        out: '',
        err: `“Pay $35 to ACME” waits for ${waits}. \`holdpoint inbox withdraw ${id}\` takes it back.\n`,
      });
    }
    const asJson = await inbox('approve', id, '--as', 'cfo', '--json');
    expect(JSON.parse(asJson.err)).toMatchObject({ error: { code: 'ANSWER_FORBIDDEN' } });
    const order = await converse(url, 'o', 'asker').say('order a laptop');
    expect((await inbox('--as', 'asker')).out).toContain(' · waits for another person, because you asked');
    expect((await inbox('--as', 'reviewer')).out).toContain(' · asked by asker · ');
    expect((await inbox('approve', order.interrupts[0]?.id ?? '', '--as', 'reviewer')).code).toBe(0);
  });

  it('the list and show say that an interrupt has expired', async () => {
    const store = memoryStore();
    const agents = { demo: demoAgent(store) };
    const host = createHost({ logger: false, agents, store, interrupts: { ttlMs: 1 }, sweepMs: 5 });
    const served = await serve(host, { port: 0 });
    const { interrupts } = await converse(served.url, 't').say('email a@b.com hello');
    const list = async () => (await run('inbox', '--url', served.url)).out;
    await expect.poll(list, SOON).toMatch(/  expired \d{4}-\d\d-\d\dT\S+Z\n$/);
    const shown = await run('inbox', 'show', interrupts[0]?.id ?? '', '--url', served.url);
    expect(shown.out).toMatch(/\n  expired \d{4}-\d\d-\d\dT\S+Z\n/);
    await served.close();
  });

  it('approve prints how many answers of the batch are missing, as text and as JSON', async () => {
    const [first = '', second = ''] = await ask('do both', 't');
    const list = JSON.parse((await inbox('--json')).out) as { interrupt: { id: string } }[];
    expect(list.map(({ interrupt }) => interrupt.id)).toEqual([first, second]);
    expect((await inbox('approve', first)).out).toMatch(
      /^Approved “.*\. 1 more to answer before the agent goes on\.\n$/,
    );
    expect(JSON.parse((await inbox('approve', second, '--json')).out)).toEqual({
      state: 'continued',
      open: [],
      threadId: 't',
      interruptId: second,
      title: expect.stringContaining('ABC123'),
      toolName: 'transferMoney',
      arguments: expect.objectContaining({ toAccountId: 'ABC123' }),
    });
  });

  it('lists and finds interrupts of later pages', async () => {
    await askMany(202);
    const [last = ''] = await ask('ask me', 'last');
    const lines = (await inbox()).out.trimEnd().split('\n');
    expect(lines).toHaveLength(203);
    const shown = lines.map((line) => line.split(' ', 1)[0] ?? '');
    expect(new Set(shown).size).toBe(203);
    expect(last.startsWith(shown[202] ?? '?')).toBe(true);
    expect((await inbox('show', shown[202] ?? '')).out).toContain('  thread  last\n');
  }, 60_000);

  it('show escapes control characters', async () => {
    const [id = ''] = await ask('email a@b.com \u001B[2Jhello\u009B2J', 't');
    const { out } = await inbox('show', id);
    expect(out).toContain('hello');
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});

describe('the id argument of holdpoint inbox', () => {
  it('rejects a position in the list, and approve confirms with the title and the call', async () => {
    const [first = ''] = await ask('transfer 300 to ABC123', 'a');
    const [second = ''] = await ask('transfer 400 to XYZ789', 'b');
    await ask('transfer 500 to EVE666', 'c');
    const { out } = await inbox();
    expect(out.split('\n')[1]).toMatch(new RegExp(`^${second.slice(0, 18)}\\w*  .*XYZ789`));
    expect((await inbox('reject', first)).code).toBe(0);
    for (const place of ['1', '2', '02', '019']) {
      const refused = await inbox('approve', place);
      expect(refused).toMatchObject({ code: 2, out: '' });
      expect(refused.err).toContain(`${second} (Send $400 to XYZ789)`);
      expect(refused.err.trimEnd().split('\n')).toHaveLength(1);
    }
    const approved = await inbox('approve', out.split('\n')[1]?.split(' ', 1)[0] ?? '');
    expect(approved.out).toContain('Approved “Send $400 to XYZ789”, transferMoney {');
    expect(approved.out).toContain('"amount":40000');
    await expect.poll(() => ending('b'), SOON).toContain('$9,600.');
  });

  it('lists the candidates if the id is unknown or matches several', async () => {
    expect((await inbox('show', 'something')).err).toBe(
      'No open interrupt has an id that starts with something. Nothing waits for an answer.\n',
    );
    const { served } = await asker('address-of-home', 'address-of-work');
    await converse(served.url, 't').say('hello');
    const candidates = 'Open: t/address-of-home (Your e-mail?), t/address-of-work (Your e-mail?).\n';
    expect(await run('inbox', 'cancel', 'address-of', '--url', served.url)).toEqual({
      code: 2,
      out: '',
      err: `address-of matches 2 interrupts. ${candidates}`,
    });
    expect(await run('inbox', 'cancel', 'something', '--url', served.url)).toEqual({
      code: 1,
      out: '',
      err: `No open interrupt has an id that starts with something. ${candidates}`,
    });
    expect((await run('inbox', 'cancel', 'address-of-h', '--url', served.url)).code).toBe(0);
    await served.close();
  });

  /** A foreign agent that raises interrupts without a schema, under these ids. */
  const asker = async (...ids: readonly string[]) => {
    const store = memoryStore();
    const inputs: RunAgentInput[] = [];
    const interrupts = ids.map((id) => ({ id, reason: 'input_required', message: 'Your e-mail?' }));
    const run = async function* (input: RunAgentInput) {
      inputs.push(input);
      const { threadId, runId, resume } = input;
      yield { type: 'RUN_STARTED', threadId, runId };
      const outcome = { type: 'interrupt', interrupts };
      yield { type: 'RUN_FINISHED', threadId, runId, ...(resume === undefined ? { outcome } : {}) };
    };
    const served = await serve(createHost({ agents: { demo: { run } }, store }), { port: 0 });
    return { served, inputs };
  };

  it('approve and reject exit with 2 for an input interrupt without a schema', async () => {
    const { served, inputs } = await asker('email');
    await converse(served.url, 't').say('hello');
    for (const word of ['approve', 'reject']) {
      expect(await run('inbox', word, 'email', '--url', served.url)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining('holdpoint inbox answer email'),
      });
    }
    expect((await run('inbox', 'answer', 'email', 'a@b.com', '--url', served.url)).code).toBe(0);
    await expect.poll(() => inputs.at(-1)?.resume?.[0]?.payload, SOON).toBe('a@b.com');
    await served.close();
  });

  it('answer sends JSON to an interrupt without a schema, and text for a quoted or other value', async () => {
    const values = { a: 'false', b: '{"n":1}', c: '"42"', d: 'four' };
    const { served, inputs } = await asker(...Object.keys(values));
    await converse(served.url, 't').say('hello');
    for (const [id, value] of Object.entries(values)) {
      expect((await run('inbox', 'answer', id, value, '--url', served.url)).code).toBe(0);
    }
    const sent = () => inputs.at(-1)?.resume?.map(({ payload }) => payload as unknown);
    await expect.poll(sent, SOON).toEqual([false, { n: 1 }, '42', 'four']);
    await served.close();
  });

  it('tells apart two threads that use the same id', async () => {
    const { served } = await asker('email');
    for (const thread of ['a', 'b']) await converse(served.url, thread).say('hello');
    const listed = await run('inbox', '--url', served.url);
    expect(listed.out).toMatch(/^a\/email  .*\nb\/email  /);
    const ambiguous = await run('inbox', 'answer', 'email', 'x', '--url', served.url);
    expect(ambiguous).toMatchObject({ code: 2, err: expect.stringContaining('a/email (Your e-mail?)') });
    expect((await run('inbox', 'answer', 'b/email', 'x', '--url', served.url)).code).toBe(0);
    expect((await run('inbox', '--url', served.url)).out).toMatch(/^a\/email  /);
    await served.close();
  });
});

describe('holdpoint inbox watch', () => {
  it.each([[[]], [['--json']]])(
    'prints each interrupt once, over a restart of the host %j',
    async (flags) => {
      const [first = ''] = await ask('ask me', 'a');
      const watching = start(['inbox', 'watch', '--url', url, ...flags]);
      const shown = () => watching.out().trimEnd().split('\n');
      await expect.poll(() => watching.out(), SOON).not.toBe('');
      await ask('sign me up', 'b');
      await expect.poll(() => shown().length, SOON).toBe(2);
      await stop();
      await boot();
      await ask('upload', 'c');
      await expect.poll(() => shown().length, SOON).toBe(3);
      const json = flags.length > 0;
      expect(shown()[0]).toContain(json ? `"id":"${first}"` : `${first.slice(0, 18)}  Where shall we go?`);
      expect(shown()[2]).toContain(json ? '"threadId":"c"' : '  Please upload the signed contract.');
      expect(await watching.stop()).toMatchObject({ code: 0, err: '' });
    },
  );

  it('prints an interrupt beyond the first page', async () => {
    await askMany(60);
    const watching = start(['inbox', 'watch', '--url', url]);
    await expect.poll(() => watching.out().split('\n').length - 1, SOON).toBe(60);
    await ask('sign me up', 'b');
    await expect.poll(() => watching.out(), SOON).toContain('  Sign up');
    await watching.stop();
  }, 30_000);

  it('exits with 1 if no host answers', async () => {
    expect(await run('inbox', 'watch', '--url', 'http://127.0.0.1:9')).toMatchObject({
      code: 1,
      err: expect.stringContaining('No host answers'),
    });
  });
});

describe('control characters in the text of an agent', () => {
  // ESC to set the title, hide text and clear the screen; a C1 CSI, a bell, a bare CR; direction marks; a lone surrogate.
  const HOSTILE =
    '\u001B]0;owned\u0007\u001B[8m\u001B[2J\u001B[31m\u009B2J\u0085\u007F\rnew\u202E\u2066\u200F\u061C\u2028\uD800';
  const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;
  // oxlint-disable-next-line no-control-regex
  const OURS = /\u001B\[(?:0|1|2|33|36)m/g;

  const serveText = async (answer: () => unknown, status = 200) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer()));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    return { at, close };
  };
  const item = {
    threadId: HOSTILE,
    agent: HOSTILE,
    raisedAt: HOSTILE,
    status: 'pending',
    interrupt: {
      id: HOSTILE,
      reason: HOSTILE,
      message: `${HOSTILE}\n  2  Approve this`,
      expiresAt: HOSTILE,
      responseSchema: { title: HOSTILE },
      metadata: { [HOSTILE]: HOSTILE, deep: { [HOSTILE]: [HOSTILE] } },
    },
  };

  it.each([
    ['list', ['list']],
    ['show', ['show', HOSTILE]],
    ['list as JSON', ['list', '--json']],
    ['show as JSON', ['show', HOSTILE, '--json']],
    ['approve, refused', ['approve', HOSTILE]],
    ['approve of no id, with the candidates', ['approve', '1']],
  ])('are escaped by %s', async (_name, words) => {
    const { at, close } = await serveText(() => ({ interrupts: [item] }));
    for (const isTty of [false, true]) {
      const { out, err } = await start(['inbox', ...words, '--url', at], { isTty }).ended;
      const shown = isTty ? `${out}${err}`.replaceAll(OURS, '').replaceAll('\u001B[31m', '') : `${out}${err}`;
      expect(UNSAFE.exec(shown)?.[0].codePointAt(0)).toBeUndefined();
      // Only errors of the command are red.
      expect(out).not.toContain('\u001B[31m');
    }
    close();
  });

  it('mean the same in JSON output', async () => {
    const { at, close } = await serveText(() => ({ interrupts: [item] }));
    const { out } = await run('inbox', '--json', '--url', at);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify([item])));
    close();
  });

  it('control characters in the text of an agent cannot start another line of the list', async () => {
    const { at, close } = await serveText(() => ({ interrupts: [item] }));
    const { out } = await run('inbox', '--url', at);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    close();
  });

  it('control characters in the text of an agent are escaped in the error message of a host', async () => {
    const refusal = { error: { code: 'FORBIDDEN', message: HOSTILE } };
    const { at, close } = await serveText(() => refusal, 403);
    expect(UNSAFE.test((await run('inbox', '--url', at)).err)).toBe(false);
    const { err } = await run('inbox', '--url', at, '--json');
    expect([UNSAFE.test(err), JSON.parse(err)]).toEqual([false, refusal]);
    close();
  });
});

describe('an error of the host', () => {
  /** A host with the demo agent and these options. */
  const hostWith = async (options: Partial<HostOptions>) => {
    const store = memoryStore();
    return serve(createHost({ logger: false, agents: [demoAgent(store)], store, ...options }), { port: 0 });
  };

  it.each<[string, Partial<HostOptions>, RegExp]>([
    ['ANSWER_FORBIDDEN', { interrupts: { mayAnswer: () => false } }, /may not/],
    ['INTERRUPT_EXPIRED', { interrupts: { ttlMs: 1 } }, /expired/],
  ])('%s keeps its code and message, and the exit code is 1', async (code, options, sentence) => {
    const served = await hostWith(options);
    const agentUrl = `${served.url}/agents/assistant`;
    const told = await fetch(agentUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        threadId: 't',
        runId: 'r',
        messages: [{ id: 'm', role: 'user', content: 'email a@b.com hello' }],
        tools: [],
        context: [],
        state: {},
      }),
    }).then((response) => response.text());
    const id = /"interrupts":\[\{"id":"([^"]+)"/.exec(told)?.[1] ?? '';
    const words = ['inbox', 'approve', id, '--url', served.url];
    expect(await run(...words)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(sentence) });
    const { err } = await run(...words, '--json');
    expect(JSON.parse(err)).toMatchObject({ error: { code, message: expect.stringMatching(sentence) } });
    await served.close();
  });

  it('UNAUTHENTICATED keeps its code', async () => {
    const served = await hostWith({ authenticate: () => null });
    const { code, err } = await run('inbox', '--url', served.url, '--json');
    expect([code, JSON.parse(err)]).toMatchObject([1, { error: { code: 'UNAUTHENTICATED' } }]);
    await served.close();
  });

  it.each([
    [400, 'INPUT_INVALID'],
    [403, 'FORBIDDEN'],
    [404, 'INTERRUPT_UNKNOWN'],
    [409, 'INTERRUPT_CONFLICT'],
    [410, 'INTERRUPT_EXPIRED'],
    [429, 'RATE_LIMITED'],
    [503, 'STORE_FAILED'],
  ])('with status %i exits with 1, not with 2', async (status, code) => {
    const message = `The host says ${code}.`;
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code, message } }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await run('inbox', '--url', at)).toEqual({ code: 1, out: '', err: `${message}\n` });
    const { err } = await run('inbox', 'watch', '--url', at, '--json');
    expect(JSON.parse(err)).toEqual({ error: { code, message } });
    server.closeAllConnections();
    server.close();
  });
});
