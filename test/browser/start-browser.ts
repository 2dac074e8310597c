import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { oneAtATime } from '../postgres/one-at-a-time.ts';
import type { Browser, Page } from './browser-types.ts';
import { installPackages } from '../processes/install-packages.ts';

/** The part of the packages that is used here. */
interface Playwright {
  readonly chromium: { launch(options: object): Promise<Browser> };
}
interface Axe {
  readonly AxeBuilder: new (options: { readonly page: Page }) => {
    analyze(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
  };
}

const folder = import.meta.dirname;
const LOCK = join(tmpdir(), 'holdpoint-browser.lock');
const SYSTEM = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Starts the browser of the system, else the one of `@sparticuz/chromium`. Installs the packages of this folder if they are missing.
 * Throws with the next step if no browser can run.
 */
export async function startBrowser(): Promise<Browser> {
  await oneAtATime(LOCK, installOnce);
  const { chromium } = await load<Playwright>('playwright-core/index.mjs');
  const failures: string[] = [];
  const attempts = [
    ...SYSTEM.map((path) => async () => ({ path, libraries: undefined })),
    async () => ({ path: await bundledChromium(), libraries: undefined }),
    // The package also contains the shared libraries that the browser needs.
    async () => ({ path: await bundledChromium(), libraries: await bundledLibraries() }),
  ];
  for (const attempt of attempts) {
    try {
      const { path, libraries } = await attempt();
      if (path === undefined || !existsSync(path)) continue;
      return await chromium.launch({
        executablePath: path,
        args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
        ...(libraries === undefined ? {} : { env: { ...process.env, LD_LIBRARY_PATH: libraries } }),
      });
    } catch (error) {
      failures.push(String(error).split('\n').slice(0, 3).join(' '));
    }
  }
  throw new Error(
    `No browser could be started, so the pages are not tested. Install Chromium (apt-get install chromium) or set ` +
      `CHROMIUM_PATH.\n${failures.join('\n')}`,
  );
}

/** The axe violations of a page, one line for each element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const { AxeBuilder } = await load<Axe>('@axe-core/playwright/dist/index.mjs');
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function bundledLibraries(): Promise<string> {
  const { inflate } = await load<{ inflate(path: string): Promise<string> }>(
    '@sparticuz/chromium/build/esm/index.js',
  );
  const packed = join(folder, 'node_modules/@sparticuz/chromium/bin/al2023.tar.br');
  return join(await oneAtATime(LOCK, () => inflate(packed)), 'lib');
}

/** Unpacks the browser under the lock: a process must not start a file that another one still writes. */
async function bundledChromium(): Promise<string> {
  const { default: chromium } = await load<{ default: { executablePath(): Promise<string> } }>(
    '@sparticuz/chromium/build/esm/index.js',
  );
  return oneAtATime(LOCK, () => chromium.executablePath());
}

/** Imports a package of this folder. */
async function load<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(join(folder, 'node_modules', path)).href)) as Module;
}

async function installOnce(): Promise<void> {
  if (existsSync(join(folder, 'node_modules/playwright-core/index.mjs'))) return;
  await installPackages('browser', 'what drives a browser');
}
