import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { converse } from '../testing-support/converse.ts';
import { run } from '../testing-support/run-command.ts';
import { startDemo } from '../testing-support/start-demo.ts';
import { backUp } from '../../store/sqlite/testing-support/execute.ts';

let folder = '';
let db = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-restore-'));
  db = join(folder, 'a.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Listed {
  readonly interrupts: readonly {
    readonly state: string;
    readonly interrupt: { readonly id: string; readonly message?: string; readonly metadata?: object };
  }[];
}

/** The pending interrupts of a host. Repeats the request until the host notices the replaced file. */
async function pendingAt(url: string): Promise<Listed> {
  for (;;) {
    const found = (await (await fetch(`${url}/interrupts?status=pending`)).json()) as Listed;
    if (found.interrupts.length > 0) return found;
  }
}

describe('holdpoint restore', () => {
  it('replaces the file under two running hosts, which then warn that the call may have run', async () => {
    const hosts = [await startDemo(db), await startDemo(db)];
    const [one, other] = hosts.map(({ url }) => url);
    const thread = converse(one ?? '', 't');
    const { interrupts } = await thread.say('email a@b.com hello');
    const id = interrupts[0]?.id ?? '';
    const backup = join(folder, 'backup.db');
    backUp(db, backup);
    await thread.answer({ interruptId: id, status: 'resolved', payload: { approved: true } });
    expect(await run('restore', backup, '--db', db)).toMatchObject({
      code: 0,
      out:
        `${db} is restored. 1 thread with calls that may already have run: a person decides about them.\n` +
        `Previous file: ${db}.replaced\n`,
    });
    let asked = '';
    for (const url of [one, other]) {
      const found = await pendingAt(url ?? '');
      expect(found.interrupts).toHaveLength(1);
      expect(JSON.stringify(found.interrupts)).toContain('its call may already have run');
      expect(JSON.stringify(found.interrupts)).toContain('"mayHaveRun":true');
      asked = found.interrupts[0]?.interrupt.id ?? '';
    }
    const approve = (url: string | undefined, interruptId: string) =>
      fetch(`${url}/threads/t/interrupts/${interruptId}/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ status: 'resolved', payload: { approved: true } }),
      });
    expect((await approve(one, id)).status).toBe(409);
    // An approval that is given in both counts once.
    const answers = await Promise.all([one, other].map((url) => approve(url, asked)));
    expect(answers.map(({ ok }) => ok)).toContain(true);
    for (const host of hosts) expect(await host.stop()).toBe(0);
    expect(await run('audit', 'verify', '--db', db)).toMatchObject({ code: 0 });
  });

  it('refuses an empty file with exit code 1, and leaves the database as it is', async () => {
    writeFileSync(db, 'what was there');
    const empty = join(folder, 'empty.db');
    writeFileSync(empty, '');
    expect(await run('restore', empty, '--db', db)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not a Holdpoint database'),
    });
    expect([readFileSync(db, 'utf8'), existsSync(`${db}.replaced`)]).toEqual(['what was there', false]);
  });

  it('changes nothing without a backup file or with a missing one', async () => {
    expect(await run('restore', '--db', db)).toMatchObject({
      code: 2,
      err: 'Give the backup file: holdpoint restore <backup>.\n',
    });
    expect(await run('restore', join(folder, 'none.db'), '--db', db)).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no backup at'),
    });
    expect(existsSync(db)).toBe(false);
    expect(await run('restore', 'a.db', '--db', 'postgres://x@127.0.0.1:1/none')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Restore PostgreSQL with its own tools first'),
    });
  });
});
