import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { converse } from '../testing-support/converse.ts';
import { run, start } from '../testing-support/run-command.ts';
import { startDemo } from '../testing-support/start-demo.ts';

interface Database {
  prepare(sql: string): { run(...values: unknown[]): { changes: number } };
  close(): void;
}
const Database = createRequire(import.meta.url)('libsql') as new (path: string) => Database;

let folder = '';
let db = '';
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-audit-'));
  db = join(folder, 'a.db');
  const demo = await startDemo(db);
  for (const threadId of ['one', 'two']) {
    const thread = converse(demo.url, threadId);
    const { interrupts } = await thread.say('email a@b.com hello');
    const payload = { approved: threadId === 'one', reason: 'I say so.' };
    await thread.answer({ interruptId: interrupts[0]?.id ?? '', status: 'resolved', payload });
  }
  await demo.stop();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Changes the database past the store. */
function tamper(sql: string): void {
  const database = new Database(db);
  expect(database.prepare(sql).run().changes).toBe(1);
  database.close();
}

const AT = /, of \d{4}-[\d-]+T[\d:.]+Z/g;

describe('holdpoint audit verify', () => {
  it('exits with 0 for an unchanged history', async () => {
    const { code, out } = await run('audit', 'verify', '--db', db);
    expect([code, out.replace(AT, '')]).toEqual([
      0,
      'Verified 2 threads: no entry and no row was changed, removed or moved.\n' +
        'The chain of anchors ends with entry 1.\n',
    ]);
  });

  it('names the thread and the entry that was changed', async () => {
    tamper(
      `UPDATE history SET doc = replace(doc, '"approved":false', '"approved":true')
       WHERE thread = 'two' AND doc LIKE '%"approved":false%'`,
    );
    const { code, out } = await run('audit', 'verify', '--db', db);
    expect([code, out.replace(AT, '')]).toEqual([
      1,
      'changed default/two: Entry 2 of the history was changed, moved, or an entry before it was removed.\n' +
        'Found 1 difference in 2 threads. Compare with a backup.\n' +
        'The chain of anchors ends with entry 1.\n',
    ]);
    const json = await run('audit', 'verify', '--db', db, '--json');
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      1,
      {
        checked: 2,
        findings: [{ key: { scope: 'default', thread: 'two' }, index: 1 }],
        anchor: { count: 1 },
      },
    ]);
    expect(await run('audit', 'verify', '--db', db, '--thread', 'one')).toMatchObject({ code: 0 });
  });

  it('names the interrupt and the member of its row that was changed', async () => {
    tamper(
      `UPDATE interrupts SET doc = replace(doc, '"approved":false', '"approved":true') WHERE thread = 'two'`,
    );
    const { code, out } = await run('audit', 'verify', '--db', db);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^changed default\/two: The interrupt \S+ has another answer payload in its row than in the history\.\n/,
    );
  });

  it('names the position of a removed entry', async () => {
    tamper(`DELETE FROM history WHERE thread = 'one' AND sequence = 1`);
    const { code, out } = await run('audit', 'verify', '--db', db);
    expect([code, out]).toEqual([1, expect.stringContaining('changed default/one: Entry 1 of the history')]);
  });
});

describe('holdpoint audit anchor', () => {
  it('prints the end of the chain, which verify compares with the database', async () => {
    const { code, out } = await run('audit', 'anchor', '--db', db);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { count: 1, hash: expect.stringMatching(/^[\da-f]{64}$/) },
    ]);
    const file = join(folder, 'anchors.jsonl');
    writeFileSync(file, out + out);
    const verified = await run('audit', 'verify', '--db', db, '--anchor', file);
    expect([verified.code, verified.out.replace(AT, '')]).toEqual([
      0,
      expect.stringContaining('The chain of anchors ends with entry 1, compared with 2 kept ends.\n'),
    ]);
  });

  it('exits with 1 for a database without a history', async () => {
    const empty = join(folder, 'empty.db');
    await run('migrate', '--db', empty);
    const { code, err } = await run('audit', 'anchor', '--db', empty);
    expect([code, err]).toEqual([1, 'There is no history to anchor yet.\n']);
  });
});

/** Control characters but line feeds, and a mark of text direction. */
const UNSAFE = /(?!\n)[\p{Cc}\u202E]/u;

describe('holdpoint audit export', () => {
  it.each([true, false])(
    'writes the control characters of a reason as text, so that it cannot rewrite its line (terminal: %s)',
    async (isTty) => {
      const demo = await startDemo(db);
      const { interrupts } = await converse(demo.url, 'three').say('email a@b.com hello');
      const reason = 'no\r\u001B[Kapproved\u001B[31m\u009B2J\u202Eby cfo\r\nnext "line"';
      await fetch(`${demo.url}/threads/three/interrupts/${interrupts[0]?.id}/withdraw`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reason }),
      });
      await demo.stop();
      const words = ['audit', 'export', '--db', db, '--thread', 'three'];
      const csv = (await start([...words, '--format', 'csv'], { isTty, errIsTty: false }).ended).out;
      expect(csv).toContain('"no\\u000d\\u001b[Kapproved\\u001b[31m\\u009b2J\\u202eby cfo\r\nnext ""line"""');
      expect(csv.replaceAll('\r\n', '')).not.toMatch(UNSAFE);
      const lines = (await start(words, { isTty, errIsTty: false }).ended).out;
      expect(lines).not.toMatch(UNSAFE);
      const reasons = lines
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { reason?: string }).reason);
      expect(reasons).toContain(reason);
    },
  );

  it('prints progress on stderr only', async () => {
    const words = ['audit', 'export', '--db', db];
    const { out: quiet, err: nothing } = await run(...words);
    expect([quiet.trimEnd().split('\n').length, nothing]).toEqual([8, '']);
    const { out, err } = await start(words, { errIsTty: true }).ended;
    expect(out).toBe(quiet);
    const clear = '\r\u001B[K';
    expect([err.startsWith(`${clear}entries written 4`), err.endsWith(clear)]).toEqual([true, true]);
    const both = await start(words, { isTty: true }).ended;
    expect(both.out).toBe(quiet);
    expect(both.err).toContain('entries written');
  });
});

describe('holdpoint erase', () => {
  const answered = () => run('audit', 'export', '--db', db).then(({ out }) => out);

  it('erases a thread or a person after --yes, and audit verify finds no change', async () => {
    expect(await answered()).toContain('I say so.');
    expect((await run('erase', '--thread', 'one', '--db', db)).code).toBe(2);
    expect((await run('erase', '--yes', '--db', db)).code).toBe(2);
    const thread = await run('erase', '--thread', 'one', '--db', db, '--yes');
    expect([thread.code, thread.out]).toEqual([0, 'Erased the thread one.\n']);
    const left = (await answered()).split('\n').filter((line) => line.includes('"thread":"one"'));
    expect(left.join('')).not.toContain('I say so.');
    const person = await run('erase', '--person', 'owner', '--db', db, '--yes', '--json');
    expect(JSON.parse(person.out)).toMatchObject({ threads: 2, busy: [] });
    expect(await answered()).not.toMatch(/I say so\.|owner/);
    expect((await run('audit', 'verify', '--db', db)).code).toBe(0);
  });
});
