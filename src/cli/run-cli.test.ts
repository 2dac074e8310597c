import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../host/index.ts';
import { folderFiles } from '../host/node/index.ts';
import { defineAgent } from '../runs/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { run, start } from './testing-support/run-command.ts';
import { startDemo } from './testing-support/start-demo.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the command holdpoint', () => {
  it('prints help with --help, and exits with 2 for an unknown command or flag', async () => {
    expect((await run('--help')).out).toContain('inbox');
    expect(await run('nonsense')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no command nonsense'),
    });
    expect(await run('migrate', '--db', 'mysql://db/app')).toMatchObject({
      code: 2,
      err: 'mysql:// is not supported. --db is a SQLite file or postgres://…\n',
    });
    expect(await run('prune', '--db', join(folder, 'a.db'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('--older-than 90d'),
    });
    expect(await run('inbox', '--colour')).toMatchObject({ code: 2 });
    expect((await run('audit', '--help')).out).toContain('--format');
  });

  it('prints the version of the package with --version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('inbox exits with 1 and one sentence if no host answers', async () => {
    const { err, code } = await run('inbox', '--url', 'http://127.0.0.1:9');
    expect(code).toBe(1);
    expect(err).toBe(
      'No host answers at http://127.0.0.1:9. Start one with `holdpoint demo`, or give another --url.\n',
    );
  });

  it('migrate, doctor, audit and prune work on one database', async () => {
    const db = join(folder, 'a.db');
    expect(await run('migrate', '--db', db)).toMatchObject({ code: 0, out: `${db} is up to date.\n` });
    const { out: migrated } = await run('migrate', '--db', db, '--json');
    expect(JSON.parse(migrated)).toEqual({ database: db, upToDate: true });
    const earlier = join(folder, 'earlier.db');
    copyFileSync(join(import.meta.dirname, '../store/sqlite/testing-support/schema-2.sqlite'), earlier);
    expect(await start(['migrate', '--db', earlier], { errIsTty: true }).ended).toMatchObject({
      code: 0,
      out: `${earlier} is up to date.\nBackup of the earlier version: ${earlier}.schema-2\n`,
      err: expect.stringContaining('rows moved'),
    });
    expect(await run('doctor', '--db', db)).toMatchObject({ code: 0 });
    expect(await run('audit', 'verify', '--db', db, '--json')).toMatchObject({
      out: '{"checked":0,"findings":[],"unanchored":[]}\n',
    });
    expect((await run('audit', 'export', '--format', 'csv', '--db', db)).out).toContain('"what"');
    expect(await run('prune', '--older-than', '1d', '--db', db)).toMatchObject({
      out: 'Removed 0 threads.\n',
    });
  });

  it('prune removes the uploads of removed threads from the folder of --files', async () => {
    const agent = defineAgent({ id: 'echo', model: scriptedModel(['Hello.']) });
    const [db, uploads] = [join(folder, 'files.db'), join(folder, 'uploads')];
    const store = sqliteStore(db, { clock: { now: () => Date.now() - 3 * 86_400_000 } });
    const files = folderFiles(uploads);
    const host = createHost({
      logger: false,
      agents: { echo: agent },
      store,
      files: { store: files },
      sweepMs: 0,
    });
    const post = (path: string, body: object) =>
      host.fetch(
        new Request(`http://localhost${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
    const messages = [{ id: 'm', role: 'user', content: 'hello' }];
    const input = { threadId: 't', runId: 'r', messages, tools: [], context: [], state: {} };
    await (await post('/agents/echo', input)).text();
    expect((await post('/threads/t/files', {})).status).toBe(201);
    await host.close();
    await store.close();
    const key = { scope: 'default', thread: 't' };
    expect((await files.list(key)).files).toHaveLength(1);
    expect((await run('prune', '--older-than', '1d', '--db', db, '--files', uploads)).out).toBe(
      'Removed 1 thread.\n',
    );
    expect(await files.list(key)).toEqual({ files: [] });
  });

  it('migrate, audit, prune and doctor exit with 1 for a database that cannot be opened', async () => {
    const other = join(folder, 'other.db');
    writeFileSync(other, 'Dear diary, this is not a database. '.repeat(100));
    for (const command of [['migrate'], ['audit', 'verify'], ['prune', '--older-than', '1d']]) {
      const { code, out, err } = await run(...command, '--db', other);
      expect([command, code, out, err.includes('is not an SQLite database')]).toEqual([command, 1, '', true]);
    }
    expect(await run('migrate', '--db', join(folder, 'no/such/folder/x.db'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be opened'),
    });
    const { code, out } = await run('doctor', '--db', other);
    expect([code, out.includes('its schema is current')]).toEqual([1, false]);
  });

  it('audit, prune and doctor do not create a missing database', async () => {
    const mistyped = join(folder, 'holdpiont.db');
    const commands = [['audit', 'verify'], ['audit', 'export'], ['prune', '--older-than', '1d'], ['doctor']];
    for (const command of commands) {
      const { code, out, err } = await run(...command, '--db', mistyped);
      expect([command, code]).toEqual([command, 1]);
      expect(`${out}${err}`).toMatch(new RegExp(`no database at ${mistyped}.*holdpoint migrate`, 's'));
      expect([command, readdirSync(folder)]).toEqual([command, []]);
    }
  });

  it('prints one sentence with the problem and the next step for a wrong argument', async () => {
    const db = join(folder, 'a.db');
    const taken = await startDemo(db);
    const port = new URL(taken.url).port;
    const outputs = [
      await run('serve', './nowhere.js'),
      await run('demo', '--port', 'abc', '--db', db),
      await run('demo', '--port', port, '--db', db),
      await run('inbox', 'approve', 'something', '--url', taken.url),
    ].map(({ code, err }) => [code, err]);
    expect(outputs).toEqual([
      [2, 'There is no file ./nowhere.js.\n'],
      [2, '--port must be a whole number, not abc.\n'],
      [2, `The port ${port} is in use. Give another --port.\n`],
      [1, 'No open interrupt has an id that starts with something. Nothing waits for an answer.\n'],
    ]);
    await taken.stop();
  });
});
