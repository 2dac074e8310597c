import express from 'express';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toExpress } from '../../src/host/express/index.ts';
import type { Host } from '../../src/host/index.ts';
import { createHost } from '../../src/host/index.ts';
import { staticPages } from '../../src/host/node/index.ts';
import { memoryStore } from '../../src/store/memory/index.ts';
import { browserAgent } from './agent.ts';
import { useApp } from './use-app.ts';

const app = useApp();
const folder = mkdtempSync(join(tmpdir(), 'mounted-'));
let host: Host;
let server: Server;
let url: string;

/** An application with a login of its own and the pages below `/ai`. */
beforeAll(async () => {
  host = createHost({
    agents: [browserAgent(join(folder, 'outside'))],
    store: memoryStore(),
    logger: false,
    pages: staticPages(app.server.pages),
    authenticate: ({ headers }) =>
      headers.get('cookie')?.includes('session=ana') === true ? { id: 'ana', scope: 's' } : null,
    signIn: '/login?next={path}',
  });
  const application = express();
  application.use('/ai', toExpress(host));
  application.get('/login', (request, response) => {
    response
      .cookie('session', 'ana', { httpOnly: true, sameSite: 'lax' })
      .redirect(String(request.query['next']));
  });
  server = createServer(application).listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await host.close({ withinMs: 100 });
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it('lets a person sign in, ask, approve and look back below the path of an application', async () => {
  const page = await app.open(`${url}/ai/inbox?order=newest`);
  await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
  expect(await page.getByText('cannot be reached').count()).toBe(0);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.waitForURL(/\/ai\/inbox\?order=newest$/);
  await page.getByRole('link', { name: 'Chat' }).click();
  await page.waitForURL(/\/ai\/$/);
  await page.getByLabel('Message', { exact: true }).fill('transfer');
  await page.keyboard.press('Enter');
  await page.locator('.hp-card').waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/ai\/chat\/./);
  await page.reload();
  await page.locator('.hp-card').waitFor();
  await page.getByRole('link', { name: /Inbox/ }).click();
  await page.waitForURL(/\/ai\/inbox/);
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.waitForURL(/\/ai\/audit$/);
  // The session ends while the page is open.
  await page.context().clearCookies();
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
});
