import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, test } from 'vitest';
import { IS_DEEP } from '../../test/size.ts';

const folder = new URL('../../examples/01-stream-text/', import.meta.url);
const children: ChildProcess[] = [];

/** Starts a program of the example in its own process. */
function start(program: string, ...args: string[]): ChildProcess {
  const file = fileURLToPath(new URL(program, folder));
  const flags = ['--import', 'tsx', '--conditions=holdpoint-source'];
  const child = spawn(process.execPath, [...flags, file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

interface Ended {
  readonly code: unknown;
  readonly output: string;
  readonly errors: string;
}

async function finished(child: ChildProcess): Promise<Ended> {
  if (child.stdout === null || child.stderr === null) throw new Error('The program has no output.');
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, output, errors };
}

/** The URL that the server prints once it is ready. */
async function readyAt(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The program has no output.');
  const [line] = await once(child.stdout, 'data');
  const url = /^Holdpoint demo on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(String(line))?.[1];
  if (url === undefined) throw new Error(`The server said: ${String(line)}`);
  return url;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The page and its files have a strict content security policy; other paths and bodies are rejected. */
async function checkPage(url: string): Promise<void> {
  const page = await fetch(url);
  expect(page.headers.get('content-security-policy')).toBe("default-src 'self'");
  const html = await page.text();
  expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
  for (const [, path] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect((await fetch(new URL(path ?? '', url))).status).toBe(200);
  }
  expect((await fetch(`${url}/server.ts`)).status).toBe(404);
  expect((await fetch(`${url}/agent`, { method: 'POST', body: 'no JSON' })).status).toBe(400);
}

test('the server serves a safe page, the client checks its answer, and the server closes cleanly', async () => {
  const server = start('server.ts', '--port', '0');
  const url = await readyAt(server);
  await checkPage(url);
  const client = start('client.ts', '--url', `${url}/agent`, '--check', 'is', 'anybody', 'there?');
  expect(await finished(client)).toMatchObject({ code: 0, errors: '' });
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
});

test('the client starts a server if none runs', async () => {
  const { code, output, errors } = await finished(start('client.ts', '--check', 'hello'));
  expect([code, errors]).toEqual([0, '']);
  expect(output).toMatch(/^OK: /);
});

test('SIGINT closes the server in the middle of a response', async () => {
  const server = start('server.ts', '--port', '0');
  const url = await readyAt(server);
  const response = await fetch(`${url}/agent`, { method: 'POST', body: '{}' });
  server.kill('SIGINT');
  expect(await once(server, 'exit')).toEqual([0, null]);
  await expect(response.text()).rejects.toThrow('terminated');
});

test('a busy default port makes the server take the next free port', async () => {
  const busy = createServer().listen(4680, '127.0.0.1');
  // The port may be busy already, which serves the test as well.
  await Promise.race([once(busy, 'listening'), once(busy, 'error')]).catch(() => {});
  const url = await readyAt(start('server.ts'));
  expect(Number(new URL(url).port)).toBeGreaterThan(4680);
  busy.close();
});

describe('invalid arguments', () => {
  const more = IS_DEEP ? [['--port'], ['--port', 'http'], ['4680']] : [];
  test.each([['--prot', '1'], ['--port', '70000'], ...more])(
    'server.ts %s %s prints one sentence and ends with exit code 2',
    async (...args) => {
      expect(await finished(start('server.ts', ...args))).toEqual({
        code: 2,
        output: '',
        errors: 'The only option is --port, with a number from 0 to 65535.\n',
      });
    },
  );

  test('a busy requested port ends the server with exit code 1', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    const { code, errors } = await finished(start('server.ts', '--port', String(port)));
    busy.close();
    expect(code).toBe(1);
    expect(errors).toMatch(/^The server could not start: .*EADDRINUSE.*\n$/);
  });

  test('a client without a server prints a sentence and ends with exit code 1', async () => {
    const { code, errors } = await finished(start('client.ts', '--url', 'http://127.0.0.1:1', '--check'));
    expect(code).toBe(1);
    expect(errors).toMatch(/^Failed: .+$/m);
  });
});
