import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../processes/free-port.ts';

const script = join(import.meta.dirname, '../../scripts/demo.mjs');

it('scripts/demo.mjs starts again on its port after it was killed with SIGKILL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'));
  const args = [script, '--db', join(folder, 'demo.db'), '--port', String(await freePort())];
  try {
    for (let start = 1; start <= 2; start += 1) {
      const demo = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = once(demo, 'exit');
      let said = '';
      for (const output of [demo.stdout, demo.stderr])
        output.setEncoding('utf8').on('data', (text: string) => (said += text));
      await expect.poll(() => said).toMatch(/Holdpoint demo on http:\S+[^]*data/);
      const [, url = ''] = /Holdpoint demo on (http:\S+)/.exec(said) ?? [];
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      demo.kill('SIGKILL');
      await ended;
      await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
