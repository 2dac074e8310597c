import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHost } from '../../src/host/index.ts';
import { serve, staticPages } from '../../src/host/node/index.ts';
import { defineAgent, defineTool } from '../../src/index.ts';
import type { Tool } from '../../src/index.ts';
import { memoryStore } from '../../src/store/memory/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import type { Browser, BrowserContext, Page } from './browser-types.ts';
import { accessibilityProblems, startBrowser } from './start-browser.ts';
import { button, card, say } from './use-app.ts';

/** The screens of the five seeds: a person in front of plain AG-UI servers, and cards for answers of every form. */
const folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.seeds-'));
let browser: Browser | undefined;
let contexts: BrowserContext[] = [];
let closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  await build({
    stdin: {
      contents:
        "import { defineElements } from 'holdpoint/elements'; import 'holdpoint/elements.css'; defineElements();",
      resolveDir: resolve(import.meta.dirname, '../..'),
    },
    outfile: join(folder, 'assets/app.js'),
    bundle: true,
    format: 'esm',
    conditions: ['holdpoint-source'],
  });
  writeFileSync(join(folder, 'index.html'), pageWith(''));
}, 180_000);
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  contexts = [];
  for (const close of closers.splice(0)) await close();
  closers = [];
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function pageWith(body: string): string {
  return `<!doctype html><html lang="en"><head><title>Chat</title><link rel="icon" href="data:," />
    <link rel="stylesheet" href="/assets/app.css" /><style>holdpoint-chat { display: block; height: 600px; }</style></head>
    <body><main><h1>Chat</h1><div id="place">${body}</div></main><script type="module" src="/assets/app.js"></script></body></html>`;
}

async function open(url: string): Promise<Page> {
  if (browser === undefined) throw new Error('no browser');
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

type Json = Readonly<Record<string, unknown>>;

/** A plain AG-UI server and its page: one route for runs, perhaps one that shows the thread, and nothing else. */
async function plainServer({ shows = false, dialect = '' } = {}) {
  const requests: string[] = [];
  const inputs: Json[] = [];
  const said = new Map<unknown, Json[]>();
  const pages = staticPages(folder);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const { method = 'GET' } = request;
    if (method === 'GET' && path === '/') {
      const attributes = `url="/api" thread-id="t1" ${dialect === '' ? '' : `dialect="${dialect}"`}`;
      return response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(pageWith(`<holdpoint-chat ${attributes}></holdpoint-chat>`));
    }
    if (path.startsWith('/assets/')) {
      void pages(new Request(new URL(path, 'http://localhost'))).then(async (file) => {
        if (file === undefined) return response.writeHead(404).end();
        response.writeHead(200, Object.fromEntries(file.headers));
        return response.end(Buffer.from(await file.arrayBuffer()));
      });
      return undefined;
    }
    requests.push(`${method} ${path}`);
    const isConnect = shows && path === '/api/connect';
    if (path !== '/api' && !isConnect) return response.writeHead(404).end();
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const input = JSON.parse(body) as Json;
      const ids = { threadId: input['threadId'], runId: input['runId'] };
      const kept = said.get(ids.threadId) ?? [];
      const message = (content: string): Json => ({ id: `m${kept.length}`, role: 'assistant', content });
      if (!isConnect) {
        inputs.push(input);
        const sent = (input['messages'] as Json[]).filter((one) => !kept.some(({ id }) => id === one['id']));
        kept.push(...sent, message(input['resume'] === undefined ? 'Shall I?' : 'Sent.'));
        said.set(ids.threadId, kept);
      }
      const waits = input['resume'] === undefined && !isConnect;
      const end = waits
        ? {
            outcome: 'interrupt',
            interrupt: { id: 'i1', reason: 'human_approval', payload: { proposal: { tool: 'sendEmail' } } },
          }
        : { outcome: 'success' };
      const events = [
        { type: 'RUN_STARTED', ...ids },
        { type: 'MESSAGES_SNAPSHOT', messages: kept },
        { type: 'RUN_FINISHED', ...ids, ...end },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
    return undefined;
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closers.push(
    () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests, inputs };
}

describe('<holdpoint-chat> in front of a plain AG-UI server that is no host', () => {
  it('asks for no route that is not there, and answers in the dialect of its attribute', async () => {
    const { url, requests, inputs } = await plainServer({ dialect: 'draft' });
    const page = await open(url);
    await say(page, 'Send it');
    await card(page).waitFor();
    await button(page, /^Approve/).click();
    await page.getByText('Sent.').waitFor();
    expect(inputs.at(-1)?.['resume']).toEqual({ interruptId: 'i1', payload: { approved: true } });
    expect(requests).toEqual(['POST /api/connect', 'POST /api', 'POST /api']);
    await expect
      .poll(() => page.evaluate(`document.querySelector('holdpoint-composer textarea').disabled`))
      .toBe(false);
  });

  it('shows the last conversation after a reload where the server can show it', async () => {
    const { url, requests } = await plainServer({ shows: true });
    const page = await open(url);
    await say(page, 'Send it');
    await card(page).waitFor();
    await button(page, /^Approve/).click();
    await page.getByText('Sent.').waitFor();
    await page.reload();
    await page.getByText('Send it').waitFor();
    await page.getByText('Sent.').waitFor();
    expect(requests.filter((one) => one !== 'POST /api' && one !== 'POST /api/connect')).toEqual([]);
  });

  it('is ready after a reload without a route that shows the thread', async () => {
    const { url } = await plainServer();
    const page = await open(url);
    await say(page, 'Send it');
    await card(page).waitFor();
    await page.reload();
    await expect.poll(() => page.evaluate(`document.body.textContent.includes('Loading')`)).toBe(false);
    // The browser keeps the open request.
    await card(page).waitFor();
  });
});

/** A chat on a host with one tool; the model says the result of its call. */
async function chatWith(tool: Tool, input: Json) {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool'
      ? `The result is ${String(last.content)}`
      : { calls: [{ name: tool.name, input }] };
  });
  const agents = [defineAgent({ id: 'a', model, tools: [tool] })];
  const host = createHost({
    agents,
    store: memoryStore(),
    logger: false,
    sweepMs: 50,
    pages: staticPages(folder),
  });
  const { url, close } = await serve(host, { port: 0 });
  closers.push(close);
  const page = await open(url);
  await page.evaluate(`(() => {
    const chat = document.createElement('holdpoint-chat');
    chat.url = '/agents/a';
    document.querySelector('#place').append(chat);
  })()`);
  await say(page, 'Go');
  await card(page).waitFor();
  return { page, url };
}

describe('a card for the two answers of ctx.interrupt', () => {
  const OUTPUT = z.object({ job: z.string() });
  const RESUME = z.object({ status: z.enum(['APPROVED', 'REJECTED']) });
  const input = z.object({ name: z.string() });
  const about = { name: 'job', description: 'Starts a job.', input };

  it('has two verbs where both are declared', async () => {
    const runs: unknown[] = [];
    const run = (
      _input: unknown,
      ctx: { resumed: unknown; interrupt(options: object): never },
    ): { job: string } => {
      runs.push(ctx.resumed ?? null);
      if (ctx.resumed !== undefined) return { job: 'from the body' };
      return ctx.interrupt({ message: 'Start it?' });
    };
    const tool = defineTool({ ...about, output: OUTPUT, resume: RESUME, run });
    const { page } = await chatWith(tool, { name: 'night' });
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Give the result instead').click();
    await page.getByText('The call does not run again.').waitFor();
    await button(page, 'Back').click();
    await button(page, 'Give the result instead').click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Job').fill('given');
    await button(page, 'Send the result').click();
    await page.getByText('The result is {"job":"given"}').waitFor();
    expect(runs).toEqual([null]);
    await say(page, 'Again');
    await button(page, 'Approve').click();
    await page.getByText('from the body').last().waitFor();
    expect(runs).toEqual([null, null, { status: 'APPROVED' }]);
  });

  it('asks for the output of a tool without resume, and the body does not run again', async () => {
    let runs = 0;
    const tool = defineTool({
      ...about,
      output: z.string(),
      run(_input, ctx): string {
        runs += 1;
        return ctx.interrupt({ message: 'How did it end?' });
      },
    });
    const { page } = await chatWith(tool, { name: 'night' });
    await page.locator('[data-form="form"] input').fill('well');
    await button(page, 'Send answer').click();
    await page.getByText('The result is well').waitFor();
    expect([runs, await card(page).count()]).toEqual([1, 0]);
  });

  it('reads plain words as text where neither is declared, and has both verbs', async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      ...about,
      run(_input, ctx) {
        seen.push(ctx.resumed ?? null);
        return ctx.resumed === 'APPROVED' ? 'done' : ctx.interrupt({ message: 'Go on?' });
      },
    });
    const { page } = await chatWith(tool, { name: 'night' });
    const box = page.locator('[data-form="form"] textarea');
    await box.fill('APPROVED');
    await page.getByText('Sent as text.').waitFor();
    await box.fill('{"status": "APPROVED"}');
    await page.getByText('Sent as JSON.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await box.fill('APPROVED');
    await button(page, 'Run again with this answer').click();
    await page.getByText('The result is done').waitFor();
    expect(seen).toEqual([null, 'APPROVED']);
  });
});

/** Shows a card without a server, and returns the answers that it sends. */
async function show(interrupt: Json) {
  const page = await open((await plainServer()).url);
  await page.evaluate(`(() => {
    window.answers = [];
    const one = document.createElement('holdpoint-interrupt');
    one.level = 2;
    one.interrupt = ${JSON.stringify({ id: 'q', ...interrupt })};
    one.addEventListener('holdpoint-answer', ({ detail }) => window.answers.push(detail.entry.payload));
    document.querySelector('#place').replaceChildren(one);
  })()`);
  return { page, answers: () => page.evaluate<unknown>('window.answers') };
}

describe('the answer box of a card', () => {
  it.each([
    ['retry', 'retry'],
    ['{"again": true}', { again: true }],
  ])('takes %s for a draft error recovery without a schema', async (typed, payload) => {
    const { page, answers } = await show({
      reason: 'error_recovery',
      metadata: { payload: { error: 'It failed.' } },
    });
    await page.locator('textarea').fill(typed);
    await button(page, 'Send answer').click();
    await expect.poll(answers).toEqual([payload]);
  });

  it('has a list and “Other …” for choices with write-ins', async () => {
    const responseSchema = { anyOf: [{ enum: ['Vertigo', 'Psycho'] }, { type: 'string' }] };
    const { page, answers } = await show({
      reason: 'input_required',
      message: 'Which film?',
      responseSchema,
    });
    await page.getByLabel('Psycho').waitFor();
    await page.getByText('Other …').click();
    await button(page, 'Send answer').click();
    await page.getByText('Fill this in.').waitFor();
    await page.locator('.hp-other').fill('Rear Window');
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Send answer').click();
    await expect.poll(answers).toEqual(['Rear Window']);
  });

  it('has a form for the modifications that a draft payload proposes', async () => {
    const payload = { action: 'DELETE', table: 'users', modifications: { batchSize: 50, dryRun: false } };
    const { page, answers } = await show({ reason: 'database_modification', metadata: { payload } });
    await page.getByLabel('Batch size').fill('10');
    await page.locator('[data-form="extras"] select').selectOption('yes');
    await button(page, /^(Approve|Run as a trial)/).click();
    await expect.poll(answers).toEqual([{ approved: true, modifications: { batchSize: 10, dryRun: true } }]);
  });

  it('takes the modifications of the example of the draft as JSON', async () => {
    const payload = { action: 'DELETE', table: 'users', affectedRows: 42, riskLevel: 'high' };
    const { page, answers } = await show({ reason: 'database_modification', metadata: { payload } });
    await page.getByLabel(/Modifications/).fill('{"batchSize": 10, "dryRun": true}');
    await button(page, /^(Approve|Run as a trial)/).click();
    await expect.poll(answers).toEqual([{ approved: true, modifications: { batchSize: 10, dryRun: true } }]);
  });
});
