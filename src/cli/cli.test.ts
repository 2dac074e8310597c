import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../host/index.ts';
import { folderFiles } from '../host/node/index.ts';
import { defineAgent } from '../runs/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { converse } from './testing-support/converse.ts';
import { run, start } from './testing-support/run-command.ts';
import { startDemo } from './testing-support/start-demo.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the demo', () => {
  const say = (url: string, threadId: string, content: string) => converse(url, threadId).say(content);

  it('asks before money moves, keeps the question over a restart, and moves it once', async () => {
    const db = join(folder, 'demo.db');
    const first = await startDemo(db);
    const { interrupts } = await say(first.url, 't', 'Transfer $1000 to account ABC123');
    expect(interrupts).toMatchObject([
      { reason: 'confirmation', message: expect.stringContaining('$1,000.00') },
    ]);
    expect(await first.stop()).toBe(0);
    const second = await startDemo(db);
    const listed = await run('inbox', '--url', second.url);
    expect(listed.out).toContain('Send $1,000.00 to ABC123');
    const id = interrupts[0]?.id ?? '';
    const approved = await run('inbox', 'approve', id, '--url', second.url);
    expect(approved).toMatchObject({ code: 0, out: expect.stringContaining('Send $1,000.00 to ABC123') });
    const again = await run('inbox', 'approve', id, '--url', second.url);
    expect(again.code).toBe(1);
    await expect
      .poll(async () => (await say(second.url, 'other', 'balance')).text)
      .toBe('The balance is $9,000.00.');
    expect(await second.stop()).toBe(0);
  });

  it.each([
    ['weather in Seattle', [], 'It is sunny in Seattle, 21 °C.'],
    ['email a@b.com hello', ['tool_call'], undefined],
    ['sign me up', ['input_required'], undefined],
    ['ask me', ['input_required'], undefined],
    ['delete old users', ['database_modification'], undefined],
    ['onboard me', ['input_required'], undefined],
    ['do both', ['tool_call', 'confirmation'], undefined],
    ['break it', ['error_recovery'], undefined],
    ['upload', ['upload_required'], undefined],
    ['outbox', [], 'Nothing was sent yet.'],
    ['something else', [], expect.stringContaining('- transfer 1000 to ABC123')],
  ])('understands “%s”', async (phrase, reasons, text) => {
    const { url, stop } = await startDemo(join(folder, 'demo.db'));
    const answered = await say(url, 't', phrase);
    expect(answered.interrupts.map(({ reason }) => reason)).toEqual(reasons);
    if (text !== undefined) expect(answered.text).toEqual(text);
    await stop();
  });
});

describe('the command line', () => {
  it('says what there is, and what was not understood', async () => {
    expect((await run('--help')).out).toContain('inbox');
    expect(await run('nonsense')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no command nonsense'),
    });
    expect(await run('prune', '--db', join(folder, 'a.db'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('--older-than 90d'),
    });
    expect(await run('inbox', '--colour')).toMatchObject({ code: 2 });
    expect((await run('audit', '--help')).out).toContain('--format');
  });

  it('says in one sentence that nobody is there', async () => {
    const { err, code } = await run('inbox', '--url', 'http://127.0.0.1:9');
    expect(code).toBe(1);
    expect(err).toBe(
      'Nobody answers at http://127.0.0.1:9: is the host running? Start one with `holdpoint demo`.\n',
    );
  });

  it('checks, migrates, verifies and exports a database', async () => {
    const db = join(folder, 'a.db');
    expect(await run('migrate', '--db', db)).toMatchObject({ code: 0, out: `${db} is up to date.\n` });
    const { out: migrated } = await run('migrate', '--db', db, '--json');
    expect(JSON.parse(migrated)).toEqual({ database: db, upToDate: true });
    const earlier = join(folder, 'earlier.db');
    copyFileSync(join(import.meta.dirname, '../store/sqlite/testing-support/schema-2.sqlite'), earlier);
    expect(await start(['migrate', '--db', earlier], { errIsTty: true }).ended).toMatchObject({
      code: 0,
      out: `${earlier} is up to date.\nIt is as it was in ${earlier}.schema-2.\n`,
      err: expect.stringContaining('rows moved'),
    });
    expect(await run('doctor', '--db', db)).toMatchObject({ code: 0 });
    expect(await run('audit', 'verify', '--db', db, '--json')).toMatchObject({
      out: '{"checked":0,"broken":[]}\n',
    });
    expect((await run('audit', 'export', '--format', 'csv', '--db', db)).out).toContain('"what"');
    expect(await run('prune', '--older-than', '1d', '--db', db)).toMatchObject({
      out: 'Removed 0 threads.\n',
    });
  });

  it('removes the uploads of threads with them, from the folder that it is told', async () => {
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
      'Removed 1 threads.\n',
    );
    expect(await files.list(key)).toEqual({ files: [] });
  });

  it('does not say that a database is fine which it could not open', async () => {
    const other = join(folder, 'other.db');
    writeFileSync(other, 'Dear diary, this is no database. '.repeat(100));
    for (const command of [['migrate'], ['audit', 'verify'], ['prune', '--older-than', '1d']]) {
      const { code, out, err } = await run(...command, '--db', other);
      expect([command, code, out, err.includes('is not an SQLite database')]).toEqual([command, 1, '', true]);
    }
    expect(await run('migrate', '--db', join(folder, 'no/such/folder/x.db'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be opened'),
    });
    const { code, out } = await run('doctor', '--db', other);
    expect([code, out.includes('opens, its schema fits')]).toEqual([1, false]);
  });

  it('does not make a database that is only to be looked at', async () => {
    const mistyped = join(folder, 'holdpiont.db');
    const looks = [['audit', 'verify'], ['audit', 'export'], ['prune', '--older-than', '1d'], ['doctor']];
    for (const command of looks) {
      const { code, out, err } = await run(...command, '--db', mistyped);
      expect([command, code]).toEqual([command, 1]);
      expect(`${out}${err}`).toMatch(new RegExp(`no database at ${mistyped}.*holdpoint migrate`, 's'));
      expect([command, readdirSync(folder)]).toEqual([command, []]);
    }
  });

  it('says in one sentence what a wrong word was, and what to do', async () => {
    const db = join(folder, 'a.db');
    const taken = await startDemo(db);
    const port = new URL(taken.url).port;
    const said = [
      await run('serve', './nowhere.js'),
      await run('demo', '--port', 'abc', '--db', db),
      await run('demo', '--port', port, '--db', db),
      await run('inbox', 'approve', 'something', '--url', taken.url),
    ].map(({ code, err }) => [code, err]);
    expect(said).toEqual([
      [2, 'There is no file ./nowhere.js.\n'],
      [2, '--port is a whole number, not abc.\n'],
      [2, `The port ${port} is taken: give another --port.\n`],
      [1, 'No open interrupt has an id that begins with something. Nothing waits for an answer.\n'],
    ]);
    await taken.stop();
  });
});
