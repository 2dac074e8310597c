import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { converse } from '../testing-support/converse.ts';
import { run } from '../testing-support/run-command.ts';
import { startDemo } from '../testing-support/start-demo.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('holdpoint demo', () => {
  const say = (url: string, threadId: string, content: string) => converse(url, threadId).say(content);

  it('raises an interrupt before a transfer, keeps it over a restart, and transfers once', async () => {
    const db = join(folder, 'demo.db');
    const first = await startDemo(db);
    const { interrupts } = await say(first.url, 't', 'Transfer $1000 to account ABC123');
    expect(interrupts).toMatchObject([
      { reason: 'confirmation', message: expect.stringContaining('$1,000') },
    ]);
    expect(await first.stop()).toBe(0);
    const second = await startDemo(db);
    const listed = await run('inbox', '--url', second.url);
    expect(listed.out).toContain('Send $1,000 to ABC123');
    const id = interrupts[0]?.id ?? '';
    const approved = await run('inbox', 'approve', id, '--url', second.url);
    expect(approved).toMatchObject({ code: 0, out: expect.stringContaining('Send $1,000 to ABC123') });
    const again = await run('inbox', 'approve', id, '--url', second.url);
    expect(again.code).toBe(1);
    await expect
      .poll(async () => (await say(second.url, 'other', 'balance')).text)
      .toBe('The balance is $9,000.');
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
  ])('maps the phrase “%s” to its interrupts', async (phrase, reasons, text) => {
    const { url, stop } = await startDemo(join(folder, 'demo.db'));
    const answered = await say(url, 't', phrase);
    expect(answered.interrupts.map(({ reason }) => reason)).toEqual(reasons);
    if (text !== undefined) expect(answered.text).toEqual(text);
    await stop();
  });
});
