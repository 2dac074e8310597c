import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Who may import whom: the rooms of the house, as the design draws them. `stream` is a case of its own below. */
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

/** Rooms that may use what only Node has. */
const NODE_ROOMS = ['host/node', 'host/express', 'host/fastify', 'store/sqlite', 'store/postgres', 'cli'];

/** Packages a room may import; any other needs a line here, and a reason. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // re2js matches patterns from outside in linear time.
  core: ['@cfworker/json-schema', '@noble/hashes', 're2js'],
  protocol: ['@ag-ui/core', '@bufbuild/protobuf', 'fast-json-patch'],
  stream: [],
  // AG-UI's own types of an agent's capabilities.
  runs: ['@ag-ui/core'],
  // The router and its Node half; AG-UI's own types of an agent's capabilities.
  host: ['hono', '@hono/node-server', '@ag-ui/core'],
  // Optional, and loaded only by the backend that needs them.
  store: ['libsql', 'pg'],
  // The doctor looks whether they can be loaded.
  cli: ['libsql', 'pg'],
  elements: ['lit'],
  a2a: ['@a2a-js/sdk'],
};

const source = resolve(import.meta.dirname, '../src');

interface SourceFile {
  readonly path: string;
  readonly room: string;
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
      const imports = [...text.matchAll(IMPORT)].map(([, fixed, dynamic]) => fixed ?? dynamic ?? '');
      return { path, room: path.includes('/') ? path.slice(0, path.indexOf('/')) : '', text, imports };
    });
}

const files = readFiles();
const target = (file: SourceFile, specifier: string) =>
  relative(source, resolve(source, dirname(file.path), specifier));
const isOurs = (specifier: string) => specifier.startsWith('.');

describe('the house', () => {
  it('was seen: a check of nothing would pass silently', () => {
    expect(files.length).toBeGreaterThan(60);
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
    expect(new Set(files.map(({ room }) => room))).toContain('protocol');
  });

  it('has only rooms that the plan has', () => {
    const unknown = files.filter(({ room }) => room !== '' && !(room in MAY_IMPORT));
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  it('imports only downwards, by the doors', () => {
    const broken = files.flatMap((file) =>
      file.imports
        .filter(isOurs)
        .map((specifier) => ({ from: file.path, to: target(file, specifier) }))
        .filter(({ to }) => {
          const room = to.slice(0, to.indexOf('/'));
          if (file.room === '' || room === file.room) return false;
          const allowed = MAY_IMPORT[file.room]?.includes(room) ?? false;
          // Tier 1 takes single files, so that nothing comes along that it does not need.
          const byDoor = to.endsWith('/index.ts') || file.room === 'stream';
          return !allowed || !byDoor;
        }),
    );
    expect(broken).toEqual([]);
  });

  it('has files that others in their room import by the right path', () => {
    const known = new Set(files.map(({ path }) => path));
    const missing = files.flatMap((file) =>
      file.imports
        .filter(isOurs)
        .map((specifier) => target(file, specifier))
        .filter((path) => !known.has(path)),
    );
    expect(missing).toEqual([]);
  });

  it('has no import cycles, not even of types', () => {
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

  it('uses Node built-ins only in the rooms that run on Node alone', () => {
    const builtins = new Set(builtinModules);
    const broken = files
      .filter(({ path }) => !NODE_ROOMS.some((room) => path.startsWith(`${room}/`)))
      .flatMap(({ path, imports, text }) => [
        ...imports.filter((specifier) => specifier.startsWith('node:') || builtins.has(specifier)),
        ...(/\b(?:process|Buffer|__dirname|require)\b[.(]/.test(withoutComments(text))
          ? [`a Node global in ${path}`]
          : []),
      ]);
    expect(broken).toEqual([]);
  });

  it('takes packages only where they were decided on', () => {
    const broken = files.flatMap(({ path, room, imports }) =>
      imports
        .filter((specifier) => !isOurs(specifier) && !specifier.startsWith('node:'))
        .filter(
          (specifier) =>
            !PACKAGES[room]?.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
        )
        .map((specifier) => `${path}: ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  it('makes an access without a check only where no caller is served', () => {
    const made = files
      .filter(({ path, text }) => !path.startsWith('ledger/') && /operator(?:Access|Scope)\(/.test(text))
      .map(({ path }) => path);
    expect(made.toSorted()).toEqual([
      // The service itself: what a task waits for, and whether a process is at work on it.
      'a2a/server/agent-executor.ts',
      'a2a/server/context-access.ts',
      'a2a/server/task-request.ts',
      'a2a/server/thread-questions.ts',
      'host/background.ts',
      'host/reconcile.ts',
      'runs/begin-foreign.ts',
      'runs/define-agent.ts',
    ]);
    const routes = files.filter(({ path }) => path.startsWith('host/http/'));
    expect(routes.length).toBeGreaterThan(10);
    expect(
      routes.filter(({ imports }) => imports.some((one) => one.includes('/store/'))).map(({ path }) => path),
    ).toEqual([]);
  });

  it('has a comment on every door that says what the room is for', () => {
    const doors = files.filter(({ path }) => path.endsWith('index.ts'));
    expect(doors.length).toBeGreaterThan(10);
    expect(doors.filter(({ text }) => !text.startsWith('/**')).map(({ path }) => path)).toEqual([]);
  });

  it('has doors that name what they let out', () => {
    const broken = files.filter(({ text }) => /export \*|export default/.test(withoutComments(text)));
    expect(broken.map(({ path }) => path)).toEqual([]);
  });
});

describe('the tests', () => {
  it('draw by the seed of test/size.ts and by nothing else', () => {
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
