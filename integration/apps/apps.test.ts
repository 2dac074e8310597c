import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from '../../test/browser/browser-types.ts';
import { startBrowser } from '../../test/browser/start-browser.ts';
import type { TestPostgres } from '../../test/postgres/start-postgres.ts';
import { startPostgres } from '../../test/postgres/start-postgres.ts';
import { freePort } from '../../test/processes/free-port.ts';
import { driveChat, HOLDPOINT_CHAT, LIBRARY_CHAT } from './drive-chat.ts';

const root = resolve(import.meta.dirname, '../..');
const apps = readdirSync(join(root, 'examples/apps'));
/** The apps whose chat is of another library. */
const LIBRARIES = new Set(['assistant-ui', 'copilotkit']);
const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Each app as a new user has it: copied, installed with the packed package, started with one command, driven in a browser. */
void describe('the apps of examples/apps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-apps-'));
  let tarball = '';
  let browser: Browser | undefined;
  let postgres: TestPostgres | undefined;

  before(async () => {
    npm(['run', 'build'], root);
    tarball = join(folder, npm(['pack', '--silent', '--pack-destination', folder], root).trim());
    [browser, postgres] = await Promise.all([startBrowser(), startPostgres()]);
  });
  after(async () => {
    await browser?.close();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const app of apps) {
    const title =
      'approves, rejects, edits, answers two at once, survives a reload, shares tabs, shows a lost race';
    void it(`${app} ${title}`, async () => {
      const copy = join(folder, app);
      cpSync(join(root, 'examples/apps', app), copy, { recursive: true });
      const manifest = readFileSync(join(copy, 'package.json'), 'utf8');
      writeFileSync(
        join(copy, 'package.json'),
        manifest.replace(/"holdpoint": "[^"]+"/, `"holdpoint": "file:${tarball}"`),
      );
      npm(['install', '--no-audit', '--no-fund'], copy);
      const port = String(await freePort());
      const env = { ...process.env, PORT: port, DATABASE_URL: postgres?.url ?? '' };
      const child = spawn('npm', ['start'], {
        cwd: copy,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      try {
        await isListening(child, `http://127.0.0.1:${port}`);
        const chat = LIBRARIES.has(app) ? LIBRARY_CHAT : HOLDPOINT_CHAT;
        if (browser !== undefined) await driveChat(browser, `http://127.0.0.1:${port}/`, chat);
        execFileSync('npm', ['run', 'check'], { cwd: copy, env, stdio: ['ignore', 'ignore', 'inherit'] });
      } finally {
        await stop(child);
      }
    });
  }
});

/** Waits until the app answers; throws with its output if it ends before. */
async function isListening(child: ChildProcess, url: string): Promise<void> {
  let said = '';
  child.stdout?.on('data', (piece: Buffer) => (said += piece.toString()));
  child.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
  while (child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer !== undefined) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`The app did not start. It said:\n${said}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  // npm starts the server as a child of its own.
  process.kill(-child.pid, 'SIGTERM');
  await gone;
}
