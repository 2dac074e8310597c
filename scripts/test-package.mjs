// Packs the package as npm would publish it, installs it in an empty folder and uses every entry point from there: at run time
// on this Node and on Node 24, and by the types with the oldest and the newest TypeScript.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installedPackages, isPermissive } from './list-licences.mjs';
import { deadLinks, stagePackage } from './stage-package.mjs';

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
  const staged = stagePackage();
  const [{ filename, files, size }] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', folder], staged),
  );
  console.log(`packed ${filename}: ${files.length} files, ${Math.round(size / 1024)} kB`);
  check('the tarball holds no tests and no test support', () => {
    const stray = files.filter(({ path }) => /\.test\.|testing-support/.test(path));
    if (stray.length > 0) throw new Error(stray.map(({ path }) => path).join('\n'));
  });

  check('the tarball has at most 1.2 MB, no source maps and no sources of the code', () => {
    if (size > 1_200_000) throw new Error(`It has ${size} bytes.`);
    const stray = files.filter(({ path }) => /\.map$|^src\/.*\.ts$/.test(path));
    if (stray.length > 0) throw new Error(stray.map(({ path }) => path).join('\n'));
  });
  check('every link of its pages leads to a file of the tarball', () => {
    const dead = deadLinks(staged);
    if (dead.length > 0) throw new Error(dead.join('\n'));
  });

  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  check('it installs in an empty folder', () =>
    run('npm', ['install', '--no-audit', '--no-fund', `./${filename}`]),
  );

  check('docs/licences.md names every package that came with it, and every licence is permissive', () => {
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    const listed = installedPackages(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
    const installed = Object.keys(packages).filter((path) => !['', 'node_modules/holdpoint'].includes(path));
    if (installed.length === 0) throw new Error('Nothing was installed.');
    for (const path of installed) {
      const name = path.split('node_modules/').at(-1);
      if (!listed.some((entry) => entry.name === name)) throw new Error(`${name} is not listed.`);
      if (!isPermissive(packages[path].license)) throw new Error(`${name}: ${packages[path].license}`);
    }
  });
  check('the web app names the licence of every package in it, and every licence is permissive', () => {
    const text = readFileSync(join(staged, 'dist/ui/assets/licenses.txt'), 'utf8');
    const parts = text.split(`\n${'-'.repeat(80)}\n\n`).map((part) => /^(\S+) \S+ \((.+)\)\n/.exec(part));
    if (parts.length < 3) throw new Error(text);
    for (const part of parts)
      if (!isPermissive(part?.[2])) throw new Error(`${part?.[1] ?? text}: ${part?.[2] ?? 'no licence'}`);
  });

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
  /** A Node of this major version: this one, or one from npm. */
  const nodeOf = (major) => {
    if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
    const place = join(folder, `node-${major}`);
    if (!existsSync(place)) {
      mkdirSync(place);
      writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true }));
      run('npm', ['install', '--no-audit', '--no-fund', `node@${major}`], place);
    }
    return join(place, 'node_modules/.bin/node');
  };
  for (const major of [20, 24]) {
    check(`every entry imports on Node ${major}`, () => {
      const all = entries.map((entry) => `await import('${entry.replace('.', manifest.name)}');`).join('\n');
      const said = run(nodeOf(major), ['--input-type=module', '-e', `${all}\nconsole.log(process.version);`]);
      if (!said.startsWith(`v${major}.`)) throw new Error(`It ran on ${said}`);
    });
  }
  check('holdpoint serve takes a TypeScript file on Node 24, and says what to do on Node 20', () => {
    const host = `import { defineAgent } from 'holdpoint';
      import { createHost } from 'holdpoint/host';
      import { memoryStore } from 'holdpoint/store/memory';
      import { scriptedModel } from 'holdpoint/testing';
      const model = scriptedModel(['Hello.'] as string[]);
      export default createHost({ agents: [defineAgent({ id: 'a', model })], store: memoryStore() });`;
    writeFileSync(join(folder, 'host.ts'), host);
    const serve = (node) => {
      const watcher = `
        import { spawn } from 'node:child_process';
        const args = ['node_modules/holdpoint/dist/cli/main.js', 'serve', './host.ts', '--port', '0'];
        const served = spawn(process.argv[1], args);
        let said = '';
        for (const stream of [served.stdout, served.stderr])
          stream.on('data', (piece) => {
            said += piece;
            if (said.includes('Holdpoint on')) served.kill();
          });
        served.on('close', () => console.log(said));`;
      return run('node', ['--input-type=module', '-e', watcher, node]);
    };
    const onNew = serve(nodeOf(24));
    if (!onNew.includes('Holdpoint on http')) throw new Error(onNew);
    const onOld = serve(nodeOf(20));
    if (!onOld.includes('--import tsx')) throw new Error(onOld);
  });
  check('the command holdpoint runs, and its demo serves its pages', () => {
    const command = join(folder, 'node_modules/.bin/holdpoint');
    run(command, ['--help']);
    const version = run('npx', ['holdpoint', '--version']).trim();
    if (version !== manifest.version) throw new Error(`--version says ${version}.`);
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
        const { info } = await (await fetch(url + '/openapi.json')).json();
        demo.kill();
        const isRight = page.includes('<title>') && agents[0].id === 'assistant' && info.version === '${manifest.version}';
        process.exit(isRight ? 0 : 1);
      });`;
    run('node', ['--input-type=module', '-e', program]);
  });
  mkdirSync(join(folder, 'types'));
  const lines = entries.map(
    (entry, index) => `import * as e${index} from '${entry.replace('.', manifest.name)}';`,
  );
  check('TypeScript 5.4 installs', () =>
    run('npm', ['install', '--no-audit', '--no-fund', 'typescript-5-4@npm:typescript@5.4']),
  );
  const newest = join(root, 'node_modules/.bin/tsc');
  const oldest = join(folder, 'node_modules/typescript-5-4/bin/tsc');
  const withDom = ['es2022', 'dom'];
  for (const { version, tsc, module, moduleResolution, lib } of [
    { version: '7', tsc: newest, module: 'nodenext', moduleResolution: 'nodenext', lib: withDom },
    { version: '7', tsc: newest, module: 'esnext', moduleResolution: 'bundler', lib: withDom },
    { version: '7', tsc: newest, module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022'] },
    { version: '5.4', tsc: oldest, module: 'nodenext', moduleResolution: 'nodenext', lib: withDom },
    { version: '5.4', tsc: oldest, module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022'] },
  ]) {
    check(`types resolve in TypeScript ${version} with ${moduleResolution} and ${lib.join(', ')}`, () => {
      // The elements and their React components are for pages.
      const isForPages = (line) => /\/(elements|react)'/.test(line);
      const used = lines.filter((line) => lib.includes('dom') || !isForPages(line));
      const names = used.map((line) => /as (e\d+)/.exec(line)[1]).join(', ');
      writeFileSync(join(folder, 'types/use.ts'), `${used.join('\n')}\nexport const all = [${names}];\n`);
      const options = {
        module,
        moduleResolution,
        target: 'es2022',
        lib,
        strict: true,
        types: ['node'],
      };
      const config = {
        compilerOptions: { ...options, noEmit: true, skipLibCheck: false },
        include: ['use.ts'],
      };
      writeFileSync(join(folder, 'types/tsconfig.json'), JSON.stringify(config));
      try {
        run(tsc, ['-p', 'types/tsconfig.json']);
      } catch (error) {
        // Types of hono need a newer TypeScript than ours do.
        const ours = error.stdout
          .split('\n')
          .filter((line) => /error/.test(line) && !line.startsWith('node_modules/hono/'));
        if (ours.length > 0) throw new Error(ours.join('\n'), { cause: error });
      }
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
