import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/processes/free-port.ts';
import { createHost } from '../../host/index.ts';
import type { HostOptions } from '../../host/index.ts';
import { serve } from '../../host/node/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { demoAgent } from '../demo/demo-agent.ts';
import { converse } from '../testing-support/converse.ts';
import { run, start } from '../testing-support/run-command.ts';
import { startDemo } from '../testing-support/start-demo.ts';

/** On a machine that has much else to do, too. */
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
/** What the thread says when the agent has gone on from an answer. */
const ending = async (threadId: string): Promise<unknown> => {
  const response = await fetch(`${url}/threads/${encodeURIComponent(threadId)}`);
  const { messages = [] } = (await response.json()) as { messages?: { content?: unknown }[] };
  return messages.at(-1)?.content;
};

describe('the inbox on a terminal', () => {
  it('shows one question by its number or its id, with what it is about and what an answer looks like', async () => {
    const [id = ''] = await ask('delete old users', 't');
    const byNumber = await inbox('show', '1');
    expect(byNumber).toMatchObject({ code: 0, err: '' });
    for (const part of [
      'Delete 42 users who have not signed in since 2023?\n',
      '  reason  database_modification\n',
      '  agent   assistant\n',
      '  thread  t\n',
      `  id      ${id}\n`,
      'Restore from the snapshot of last night',
      'an answer looks like: {',
    ]) {
      expect(byNumber.out).toContain(part);
    }
    expect((await inbox('show', id)).out).toBe(byNumber.out);
    expect(JSON.parse((await inbox('show', '1', '--json')).out)).toMatchObject({
      threadId: 't',
      status: 'pending',
      interrupt: { id },
    });
  });

  it('rejects with a reason that reaches the agent', async () => {
    await ask('email a@b.com hello', 't');
    expect(await inbox('reject', '1', 'not', 'today')).toEqual({
      code: 0,
      err: '',
      out: 'Answered; the agent goes on.\n',
    });
    await expect.poll(() => ending('t'), SOON).toBe('Tool call invocation rejected. not today');
    await ask('transfer 1000 to ABC123', 'u');
    await inbox('reject', '1');
    await expect.poll(() => ending('u'), SOON).toBe('The user rejected the transaction.');
    expect((await inbox()).out).toBe('Nothing waits for an answer.\n');
  });

  it('answers with JSON or text, and says what does not fit', async () => {
    await ask('sign me up', 't');
    const wrong = await inbox('answer', '1', '{"email":"nobody"}');
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringContaining('does not fit at /email') });
    const asJson = JSON.parse((await inbox('answer', '1', '{"email":"nobody"}', '--json')).err) as unknown;
    expect(asJson).toMatchObject({ error: { code: 'ANSWER_INVALID', issues: [{ pointer: '/email' }] } });
    expect(await inbox('approve', '1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is no yes or no'),
    });
    expect(await inbox('answer', '1')).toMatchObject({ code: 2, err: expect.stringContaining('Say what') });
    expect(await inbox('answer', '1', '{"email":"a@b.com"')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/begins like JSON and is none: .* write text as JSON: "\{/),
    });
    expect((await inbox('answer', '1', '{"email":"a@b.com"}')).code).toBe(0);
    await expect.poll(() => ending('t'), SOON).toContain('a@b.com');
    await ask('ask me', 'u');
    expect((await inbox('answer', '1', 'The', 'sea')).code).toBe(0);
    await expect.poll(() => ending('u'), SOON).toContain('The sea');
  });

  it('cancels', async () => {
    await ask('upload', 't');
    expect(await inbox('cancel', '1')).toMatchObject({ code: 0 });
    expect((await inbox()).out).toBe('Nothing waits for an answer.\n');
    expect(await inbox('cancel')).toMatchObject({ code: 2, err: expect.stringContaining('Say which') });
    expect(await inbox('shred', '1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no `inbox shred`'),
    });
  });

  it('says how many answers are left, to people and to programs', async () => {
    const [first = '', second] = await ask('do both', 't');
    const list = JSON.parse((await inbox('--json')).out) as { interrupt: { id: string } }[];
    expect(list.map(({ interrupt }) => interrupt.id)).toEqual([first, second]);
    expect((await inbox('approve', '1')).out).toBe('Answered; 1 more to answer before the agent goes on.\n');
    expect(JSON.parse((await inbox('approve', '1', '--json')).out)).toEqual({ state: 'continued', open: [] });
  });

  it('lists and finds what is on a later page', async () => {
    await askMany(202);
    await ask('ask me', 'last');
    expect((await inbox()).out.trimEnd().split('\n')).toHaveLength(203);
    expect((await inbox('show', '203')).out).toContain('  thread  last\n');
  }, 60_000);

  it('writes nothing that would steer the terminal', async () => {
    await ask('email a@b.com \u001B[2Jhello\u009B2J', 't');
    const { out } = await inbox('show', '1');
    expect(out).toContain('hello');
    expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});

describe('holdpoint inbox watch', () => {
  it.each([[[]], [['--json']]])('shows each question once, over a restart of the host %j', async (flags) => {
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
    expect(shown()[0]).toContain(json ? `"id":"${first}"` : '  1  Where shall we go?');
    expect(shown()[2]).toContain(json ? '"threadId":"c"' : '  3  Please upload the signed contract.');
    expect(await watching.stop()).toMatchObject({ code: 0, err: '' });
  });

  it('shows what comes behind a full page', async () => {
    await askMany(60);
    const watching = start(['inbox', 'watch', '--url', url]);
    await expect.poll(() => watching.out().split('\n').length - 1, SOON).toBe(60);
    await ask('sign me up', 'b');
    await expect.poll(() => watching.out(), SOON).toContain(' 61  Sign up');
    await watching.stop();
  }, 30_000);

  it('says so where nobody is', async () => {
    expect(await run('inbox', 'watch', '--url', 'http://127.0.0.1:9')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nobody answers'),
    });
  });
});

describe('text of an agent that would steer a terminal', () => {
  // ESC to set the title, to hide text and to clear the screen; CSI of C1, a bell, a bare CR; marks of direction; half a character.
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
    ['show', ['show', '1']],
    ['list as JSON', ['list', '--json']],
    ['show as JSON', ['show', '1', '--json']],
    ['approve, refused', ['approve', '1']],
  ])('is escaped by %s', async (_name, words) => {
    const { at, close } = await serveText(() => ({ interrupts: [item] }));
    for (const isTty of [false, true]) {
      const { out, err } = await start(['inbox', ...words, '--url', at], { isTty }).ended;
      const shown = isTty ? `${out}${err}`.replaceAll(OURS, '').replaceAll('\u001B[31m', '') : `${out}${err}`;
      expect(UNSAFE.exec(shown)?.[0].codePointAt(0)).toBeUndefined();
      // The only red is ours, of an error.
      expect(out).not.toContain('\u001B[31m');
    }
    close();
  });

  it('is the same in JSON, with escapes', async () => {
    const { at, close } = await serveText(() => ({ interrupts: [item] }));
    const { out } = await run('inbox', '--json', '--url', at);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify([item])));
    close();
  });

  it('does not look like another line of the list', async () => {
    const { at, close } = await serveText(() => ({ interrupts: [item] }));
    const { out } = await run('inbox', '--url', at);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    close();
  });

  it('is escaped in the sentence of a host that refuses', async () => {
    const refusal = { error: { code: 'FORBIDDEN', message: HOSTILE } };
    const { at, close } = await serveText(() => refusal, 403);
    expect(UNSAFE.test((await run('inbox', '--url', at)).err)).toBe(false);
    const { err } = await run('inbox', '--url', at, '--json');
    expect([UNSAFE.test(err), JSON.parse(err)]).toEqual([false, refusal]);
    close();
  });
});

describe('a host that refuses', () => {
  /** The demo's agent behind a host with rules. */
  const hostWith = async (options: Partial<HostOptions>) => {
    const store = memoryStore();
    return serve(createHost({ logger: false, agents: [demoAgent(store)], store, ...options }), { port: 0 });
  };

  it.each<[string, Partial<HostOptions>, RegExp]>([
    ['ANSWER_FORBIDDEN', { interrupts: { mayAnswer: () => false } }, /may not/],
    ['INTERRUPT_EXPIRED', { interrupts: { ttlMs: 1 } }, /expired/],
  ])('keeps its code %s and its sentence, and the exit code is 1', async (code, options, sentence) => {
    const served = await hostWith(options);
    const agentUrl = `${served.url}/agents/assistant`;
    await fetch(agentUrl, {
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
    const words = ['inbox', 'approve', '1', '--url', served.url];
    expect(await run(...words)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(sentence) });
    const { err } = await run(...words, '--json');
    expect(JSON.parse(err)).toMatchObject({ error: { code, message: expect.stringMatching(sentence) } });
    await served.close();
  });

  it('that knows nobody is told by its own sentence', async () => {
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
  ])('with %i is not one that was misunderstood', async (status, code) => {
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
