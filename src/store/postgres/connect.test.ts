import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStore } from './index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-without-pg-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('an installation without pg', () => {
  it('an installation without pg can import the store, and gets the install command on first use', async () => {
    const outfile = join(folder, 'store.mjs');
    await build({
      entryPoints: [resolve(import.meta.dirname, 'index.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['pg'],
    });
    const script = `
      import { postgresStore } from ${JSON.stringify(pathToFileURL(outfile).href)};
      const error = await postgresStore('postgres://127.0.0.1/none').now().catch((error) => error);
      console.log(JSON.stringify([error.code, error.message, error.cause.code]));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { cwd: folder },
    );
    expect(JSON.parse(stdout)).toEqual([
      'STORE_FAILED',
      'The PostgreSQL store needs the package "pg": npm install pg.',
      'ERR_MODULE_NOT_FOUND',
    ]);
  });
});

const ONCE = { patienceMs: 0 };

it.each([
  ['a connection string', (url: string) => postgresStore(url, ONCE)],
  ['a pool of the caller', (url: string) => postgresStore(new Pool({ connectionString: url }), ONCE)],
])(
  'does not crash the process when a server ends a connection in its first packet, with %s',
  async (_with, open) => {
    const message = (type: string, ...parts: readonly Buffer[]) => {
      const body = Buffer.concat(parts);
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length + 4);
      return Buffer.concat([Buffer.from(type), length, body]);
    };
    const goodbye = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.end(
          Buffer.concat([
            message('R', Buffer.alloc(4)),
            message('Z', Buffer.from('I')),
            message('E', goodbye),
          ]),
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const store = open(`postgres://nobody@127.0.0.1:${port}/none`);
    try {
      await expect(store.now()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    } finally {
      await store.close();
      server.close();
    }
  },
);
