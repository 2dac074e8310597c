// Packs the package as npm would publish it, installs it in an empty folder and uses every entry point from
// there: at run time, and by the types under both kinds of module resolution.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.keys(manifest.exports).filter((entry) => !/\.(json|css)$/.test(entry));
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-package-'));
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' });

let passed = 0;
let failed = 0;
function check(what, action) {
  try {
    action();
    passed += 1;
    console.log(`ok      ${what}`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED  ${what}\n${error.stdout ?? ''}${error.stderr ?? error.stack}`);
  }
}

try {
  const [{ filename, files, size }] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', folder], root),
  );
  console.log(`packed ${filename}: ${files.length} files, ${Math.round(size / 1024)} kB`);
  check('the tarball holds no tests and no test support', () => {
    const stray = files.filter(({ path }) => /\.test\.|testing-support/.test(path));
    if (stray.length > 0) throw new Error(stray.map(({ path }) => path).join('\n'));
  });

  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  check('it installs in an empty folder', () =>
    run('npm', ['install', '--no-audit', '--no-fund', `./${filename}`]),
  );

  /** Entries that need optional peers; checked after their peers are installed. */
  const peersOf = new Map([
    ['./a2a', ['@a2a-js/sdk', '@types/node']],
    ['./react', ['react', '@lit/react', '@types/react']],
  ]);
  const sorted = entries.toSorted((one, other) => Number(peersOf.has(one)) - Number(peersOf.has(other)));
  for (const entry of sorted) {
    const name = entry.replace('.', manifest.name);
    const peers = (peersOf.get(entry) ?? []).map((peer) => `${peer}@${manifest.devDependencies[peer]}`);
    if (peers.length > 0) {
      check(`its optional peers install: ${peers.join(', ')}`, () =>
        run('npm', ['install', '--no-audit', '--no-fund', ...peers]),
      );
    }
    check(`${name} imports`, () => {
      const count = run('node', ['-e', `import('${name}').then((m) => console.log(Object.keys(m).length))`]);
      if (Number(count) < 1) throw new Error('it exports nothing');
    });
  }
  check('every entry shares one HoldpointError', () => {
    const program = `
      import { HoldpointError } from 'holdpoint';
      import { decodeEvent } from 'holdpoint/protocol';
      try { decodeEvent(1); } catch (error) { if (error instanceof HoldpointError) process.exit(0); }
      process.exit(1);`;
    run('node', ['--input-type=module', '-e', program]);
  });
  check('a text stream becomes a response', () => {
    const program = `
      import { toAguiResponse } from 'holdpoint/stream';
      const text = await toAguiResponse(['Hello ', 'world']).text();
      if (!text.includes('"delta":"Hello "') || !text.includes('RUN_FINISHED')) process.exit(1);`;
    run('node', ['--input-type=module', '-e', program]);
  });
  check('another process answers a stored interrupt', () => {
    const cycle = (rest) => `
      import { approve, defineAgent, defineTool } from 'holdpoint';
      import { sqliteStore } from 'holdpoint/store/sqlite';
      import { scriptedModel } from 'holdpoint/testing';
      const pay = defineTool({ name: 'pay', description: 'pays', input: { type: 'object' }, approval: true, run: () => 'paid' });
      const model = scriptedModel(({ messages }) => messages.at(-1).role === 'tool' ? messages.at(-1).content : { calls: [{ name: 'pay' }] });
      const agent = defineAgent({ id: 'a', model, tools: [pay] });
      const given = { store: sqliteStore('kept.db'), threadId: 't' };
      ${rest}`;
    run('node', ['--input-type=module', '-e', cycle(`await agent.generate({ ...given, prompt: 'go' });`)]);
    const answered = `
      const { interrupts } = await agent.generate(given);
      const { text } = await agent.generate({ ...given, resume: [approve(interrupts[0])] });
      process.exit(text === 'paid' ? 0 : 1);`;
    run('node', ['--input-type=module', '-e', cycle(answered)]);
  });
  check('the command holdpoint runs, and its demo serves its pages', () => {
    const command = join(folder, 'node_modules/.bin/holdpoint');
    run(command, ['--help']);
    run(command, ['migrate', '--db', 'demo.db']);
    run(command, ['doctor', '--db', 'demo.db']);
    const program = `
      import { spawn } from 'node:child_process';
      const demo = spawn(${JSON.stringify(command)}, ['demo', '--port', '0', '--db', 'demo.db']);
      let said = '';
      demo.stdout.on('data', async (piece) => {
        said += piece;
        const url = /demo on (http:\\S+)/.exec(said)?.[1];
        if (url === undefined) return;
        const page = await (await fetch(url)).text();
        const { agents } = await (await fetch(url + '/agents')).json();
        demo.kill();
        process.exit(page.includes('<title>') && agents[0].id === 'assistant' ? 0 : 1);
      });`;
    run('node', ['--input-type=module', '-e', program]);
  });
  mkdirSync(join(folder, 'types'));
  const lines = entries.map(
    (entry, index) => `import * as e${index} from '${entry.replace('.', manifest.name)}';`,
  );
  const uses = entries.map((_, index) => `e${index}`).join(', ');
  writeFileSync(join(folder, 'types/use.ts'), `${lines.join('\n')}\nexport const all = [${uses}];\n`);
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    check(`types resolve with ${moduleResolution}`, () => {
      const options = {
        module,
        moduleResolution,
        target: 'es2022',
        lib: ['es2022', 'dom'],
        strict: true,
        types: ['node'],
      };
      const config = {
        compilerOptions: { ...options, noEmit: true, skipLibCheck: false },
        include: ['use.ts'],
      };
      writeFileSync(join(folder, 'types/tsconfig.json'), JSON.stringify(config));
      run(join(root, 'node_modules/.bin/tsc'), ['-p', 'types/tsconfig.json']);
    });
  }
  check('publint has nothing to say', () =>
    run(join(root, 'node_modules/.bin/publint'), ['--strict', filename]),
  );
  check('arethetypeswrong has nothing to say', () =>
    run(join(root, 'node_modules/.bin/attw'), [
      '--profile',
      'esm-only',
      '--exclude-entrypoints',
      'elements.css',
      '--',
      filename,
    ]),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
