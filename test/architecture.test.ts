import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The modules that each module may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocol: ['core'],
  stream: ['core'],
  content: ['core', 'protocol'],
  store: ['core', 'protocol'],
  ledger: ['core', 'protocol', 'content', 'store'],
  engine: ['core', 'protocol', 'content'],
  runs: ['core', 'protocol', 'content', 'engine', 'store', 'ledger'],
  host: ['core', 'protocol', 'content', 'store', 'ledger', 'engine', 'runs'],
  client: ['core', 'protocol', 'content'],
  a2a: ['core', 'protocol', 'content', 'store', 'ledger', 'engine', 'runs', 'client'],
  adapters: ['core', 'protocol', 'content', 'engine'],
  elements: ['core', 'protocol', 'client'],
  react: ['core', 'protocol', 'client', 'elements'],
  testing: ['core', 'protocol', 'content', 'store', 'ledger', 'engine', 'runs', 'client', 'host'],
  cli: [
    'core',
    'protocol',
    'content',
    'store',
    'ledger',
    'engine',
    'runs',
    'client',
    'host',
    'a2a',
    'testing',
    'adapters',
  ],
};

/** Folders that may use Node built-ins. */
const NODE_FOLDERS = ['host/node', 'host/express', 'host/fastify', 'store/sqlite', 'store/postgres', 'cli'];

/** The packages that each module may import. A new package needs a line here and a reason. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // re2js matches patterns from outside in linear time.
  core: ['@cfworker/json-schema', '@noble/hashes', 're2js'],
  protocol: ['@ag-ui/core', '@bufbuild/protobuf', 'fast-json-patch'],
  stream: [],
  // AG-UI has the types of an agent's capabilities.
  runs: ['@ag-ui/core'],
  // Hono routes and serves; AG-UI has the types of an agent's capabilities.
  host: ['hono', '@hono/node-server', '@ag-ui/core'],
  // Optional; each backend loads its own driver.
  store: ['libsql', 'pg'],
  // `holdpoint doctor` checks that they load.
  cli: ['libsql', 'pg'],
  elements: ['lit'],
  // Optional; `@lit/react` sets properties and events of elements in React 18 and 19.
  react: ['react', '@lit/react'],
  a2a: ['@a2a-js/sdk'],
};

/**
 * Modules that may import single files of others. A bundler that splits puts everything behind an `index.ts` into one
 * chunk, so a page would load the parts that it needs later or never.
 */
const BY_FILE = new Set(['stream', 'content', 'client', 'elements']);

const source = resolve(import.meta.dirname, '../src');

interface SourceFile {
  readonly path: string;
  readonly module: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?\s*'([^']+)'|import\(\s*'([^']+)'\s*\)/g;

function readFiles(): SourceFile[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .filter((path) => !/\.test\.tsx?$/.test(path) && !path.includes('testing-support'))
    .map((path) => {
      const text = readFileSync(join(source, path), 'utf8');
      // An `@example` imports the package by its name.
      const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
      const imports = [...code.matchAll(IMPORT)].map(([, fixed, dynamic]) => fixed ?? dynamic ?? '');
      return { path, module: path.includes('/') ? path.slice(0, path.indexOf('/')) : '', text, imports };
    });
}

const files = readFiles();
const target = (file: SourceFile, specifier: string) =>
  relative(source, resolve(source, dirname(file.path), specifier));
const isOurs = (specifier: string) => specifier.startsWith('.');

describe('the modules of src', () => {
  it('the modules of src are all found by these tests', () => {
    expect(files.length).toBeGreaterThan(60);
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
    expect(new Set(files.map(({ module }) => module))).toContain('protocol');
  });

  it('the modules of src are all in the list of allowed imports', () => {
    const unknown = files.filter(({ module }) => module !== '' && !(module in MAY_IMPORT));
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  it('import only allowed modules, through index.ts', () => {
    const broken = files.flatMap((file) =>
      file.imports
        .filter(isOurs)
        .map((specifier) => ({ from: file.path, to: target(file, specifier) }))
        .filter(({ to }) => {
          const module = to.slice(0, to.indexOf('/'));
          if (file.module === '' || module === file.module) return false;
          const allowed = MAY_IMPORT[file.module]?.includes(module) ?? false;
          const byEntry = to.endsWith('/index.ts') || BY_FILE.has(file.module);
          return !allowed || !byEntry;
        }),
    );
    expect(broken).toEqual([]);
  });

  it('import only files that exist', () => {
    const known = new Set(files.map(({ path }) => path));
    const missing = files.flatMap((file) =>
      file.imports
        .filter(isOurs)
        .map((specifier) => target(file, specifier))
        .filter((path) => !known.has(path)),
    );
    expect(missing).toEqual([]);
  });

  it('the modules of src have no import cycles, types included', () => {
    const edges = new Map(
      files.map((file) => [
        file.path,
        file.imports.filter(isOurs).map((specifier) => target(file, specifier)),
      ]),
    );
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]) => {
      if (state.get(path) === 'done') return;
      if (state.get(path) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
        return;
      }
      state.set(path, 'open');
      for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
      state.set(path, 'done');
    };
    for (const path of edges.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('use Node built-ins only in folders that run on Node', () => {
    const builtins = new Set(builtinModules);
    const broken = files
      .filter(({ path }) => !NODE_FOLDERS.some((folder) => path.startsWith(`${folder}/`)))
      .flatMap(({ path, imports, text }) => [
        ...imports.filter((specifier) => specifier.startsWith('node:') || builtins.has(specifier)),
        ...(/\b(?:process|Buffer|__dirname|require)\b[.(]/.test(withoutComments(text))
          ? [`a Node global in ${path}`]
          : []),
      ]);
    expect(broken).toEqual([]);
  });

  it('import only packages in the list', () => {
    const broken = files.flatMap(({ path, module, imports }) =>
      imports
        .filter((specifier) => !isOurs(specifier) && !specifier.startsWith('node:'))
        .filter(
          (specifier) =>
            !PACKAGES[module]?.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
        )
        .map((specifier) => `${path}: ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  it('call operatorAccess only in files that serve no caller', () => {
    const made = files
      .filter(({ path, text }) => !path.startsWith('ledger/') && /operator(?:Access|Scope)\(/.test(text))
      .map(({ path }) => path);
    expect(made.toSorted()).toEqual([
      // These read the open interrupts and the lease of a task for the service itself.
      'a2a/server/agent-executor.ts',
      'a2a/server/context-access.ts',
      'a2a/server/task-request.ts',
      'a2a/server/thread-interrupts.ts',
      'host/background.ts',
      'host/reconcile.ts',
      'runs/begin-foreign.ts',
      'runs/define-agent.ts',
      // It tells the application, not a caller.
      'runs/notify-interrupts.ts',
    ]);
    const routes = files.filter(({ path }) => path.startsWith('host/http/'));
    expect(routes.length).toBeGreaterThan(10);
    expect(
      routes.filter(({ imports }) => imports.some((one) => one.includes('/store/'))).map(({ path }) => path),
    ).toEqual([]);
  });

  it('the modules of src have a doc comment at the top of every index.ts', () => {
    const entries = files.filter(({ path }) => path.endsWith('index.ts'));
    expect(entries.length).toBeGreaterThan(10);
    expect(entries.filter(({ text }) => !text.startsWith('/**')).map(({ path }) => path)).toEqual([]);
  });

  it('export names, without export * and export default', () => {
    const broken = files.filter(({ text }) => /export \*|export default/.test(withoutComments(text)));
    expect(broken.map(({ path }) => path)).toEqual([]);
  });
});

describe('the tests', () => {
  it('the tests do not call Math.random', () => {
    const drawing = ['src', 'test'].flatMap((folder) =>
      readdirSync(resolve(source, '..', folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.test.ts') || folder === 'test' || path.includes('testing-support'))
        .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
        .filter((path) => path !== 'architecture.test.ts')
        .filter((path) => readFileSync(resolve(source, '..', folder, path), 'utf8').includes('Math.random'))
        .map((path) => `${folder}/${path}`),
    );
    expect(drawing).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
