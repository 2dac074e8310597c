import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, '.cache/docs');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
].filter((path) => path.endsWith('.md') && !/node_modules|\.site\/|decisions\//.test(path));
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('testing-support'))
  .map((path) => `src/${path}`);

interface Example {
  readonly page: string;
  /** `ts` or `tsx`. */
  readonly kind: string;
  readonly line: number;
  readonly code: string;
}

/** The `ts` and `tsx` blocks, each with the hidden declarations of the `<!-- given … -->` comment before it. */
function examplesOf(page: string): Example[] {
  const text = read(page);
  const blocks = text.matchAll(/(?:<!-- given\n([\s\S]*?)-->\s*)?```(tsx?)(?: run)?\n([\s\S]*?)```/g);
  return [...blocks].map(([whole, given = '', kind = 'ts', code = ''], index) => ({
    page,
    kind,
    line: text.slice(0, text.indexOf(whole)).split('\n').length,
    code: `${given}\nexport {};\n${code}\nexport const example${index} = true;\n`,
  }));
}

/** The names that an `@example` may use without defining them. */
const GIVEN = {
  bytes: 'Uint8Array',
  client: "import('holdpoint/client').Client",
  event: "import('holdpoint/protocol').AgentStreamEvent",
  events: "import('holdpoint/protocol').AgentStreamEvent[]",
  frame: "import('holdpoint/protocol').SseFrame",
  frames: "import('holdpoint/protocol').SseFrame[]",
  input: "import('holdpoint/protocol').RunAgentInput",
  interrupt: "import('holdpoint/protocol').Interrupt",
  interrupts: "import('holdpoint/protocol').Interrupt[]",
  message: "import('holdpoint/protocol').Message",
  request: 'Request',
  resume: "import('holdpoint/protocol').ResumeEntry[]",
  run: "import('holdpoint/client').Run",
  socket: '{ send(text: string): void }',
  threadId: 'string',
  url: 'string',
  askModel: '(prompt: string, options: { signal: AbortSignal }) => AsyncIterable<string>',
  reconnect: '() => void',
  agent: 'object',
  ai: "{ generateStream(options: object): import('holdpoint/genkit').GenkitStream }",
  assistant: "import('holdpoint').Agent",
  graph: "import('holdpoint/langgraph').LangGraph",
  mastraAgent: "import('holdpoint/mastra').MastraAgent",
  model: 'object',
  sdk: "import('holdpoint/openai-agents').OpenAiAgentsSdk",
  store: "import('holdpoint/host').HostOptions['store']",
  streamText: "(options: object) => import('holdpoint/ai-sdk').AiSdkStream",
  tools: 'object',
};
/** A package that an example imports and the tests do not install. */
const OPENAI = `declare module '@ai-sdk/openai' {
  export function openai(model: string): import('holdpoint/ai-sdk').AiSdkModel;
}`;

/** Every `@example` of a source file, in a block, so that it may define a given name itself. */
function docExamplesOf(page: string): Example[] {
  const text = read(page);
  return [...text.matchAll(/@example\n((?: *\*.*\n)*?) *\* ```\n/g)].map((block) => {
    const lines = (block[1] ?? '').split('\n').map((line) => line.replace(/^ *\* ?/, ''));
    const isImport = (line: string) => line.startsWith('import ');
    const body = lines.filter((line) => line !== '```ts' && !isImport(line)).join('\n');
    const code = [
      `import { ${Object.keys(GIVEN).join(', ')} } from './given.js';`,
      ...lines.filter(isImport),
      `{\n${body.replaceAll(/^export /gm, '')}\n}\n`,
    ].join('\n');
    return { page, kind: 'ts', line: text.slice(0, block.index).split('\n').length, code };
  });
}

const examples = pages.flatMap(examplesOf);
const docExamples = sources.flatMap(docExamplesOf);

describe('the documentation', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('hides only declarations, no code', () => {
    for (const { page, line, code } of examples)
      expect([page, line, code.includes('/src/')]).toEqual([page, line, false]);
  });

  it('contains only code that compiles, in the pages and in the comments of src', () => {
    expect(examples.length).toBeGreaterThan(3);
    expect(docExamples.length).toBeGreaterThan(60);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    [...examples, ...docExamples].forEach(({ page, kind, line, code }) => {
      writeFileSync(join(folder, `${page.replaceAll(/\W/g, '-')}-${line}.${kind}`), code);
    });
    const given = Object.entries(GIVEN).map(([name, type]) => `export declare const ${name}: ${type};\n`);
    writeFileSync(join(folder, 'given.d.ts'), given.join(''));
    writeFileSync(join(folder, 'openai.d.ts'), OPENAI);
    const config = {
      extends: '../../tsconfig.json',
      compilerOptions: { jsx: 'react-jsx', noUnusedLocals: false, noUnusedParameters: false },
      include: ['*.ts', '*.tsx', '../../src/**/*.d.ts'],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compile = () =>
      execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    let output = '';
    try {
      output = compile();
    } catch (error) {
      output = String((error as { stdout?: string }).stdout);
    }
    expect(output).toBe('');
  });

  const ENTRIES = [
    '',
    'a2a/',
    'client/',
    'content/',
    'host/',
    'host/node/',
    'protocol/',
    'react/',
    'store/memory/',
    'store/postgres/',
    'store/sqlite/',
    'store/testing/',
    'stream/',
    'testing/',
  ];
  it.each(ENTRIES)(
    'comments every export of src/%sindex.ts and shows an example of every function',
    (entry) => {
      const exported = exportsOf(`src/${entry}index.ts`).filter(({ file }) => file.startsWith('src/'));
      expect(exported.length).toBeGreaterThan(0);
      const found = exported.map(({ file, name }) => ({ name, ...commentOf(file, name) }));
      // One list shows both defects at once.
      const defects = found.flatMap(({ name, kind, comment }) => {
        if (comment === '') return [`${name} has no comment`];
        return kind === 'function' && !comment.includes('@example') ? [`${name} has no example`] : [];
      });
      expect(defects).toEqual([]);
    },
  );

  it('comments every member of an exported interface of options or limits', () => {
    const names = new Set(
      ENTRIES.flatMap((entry) => exportsOf(`src/${entry}index.ts`)).map(({ name }) => name),
    );
    const bare = sources.flatMap((file) =>
      [...read(file).matchAll(/^export interface (\w+(?:Options|Limits))\b[^{]*\{\n([\s\S]*?)^\}/gm)].flatMap(
        ([, name = '', body = '']) => {
          const lines = body.split('\n');
          const isBare = (line: string, at: number) =>
            /^ {2}(?:readonly )?\w+\??[:(<]/.test(line) && !lines[at - 1]?.endsWith('*/');
          return names.has(name) ? lines.filter(isBare).map((line) => `${name}: ${line.trim()}`) : [];
        },
      ),
    );
    expect(bare).toEqual([]);
  });

  it('has a row for every option of createHost', () => {
    const bodies = ['src/host/host-options.ts', 'src/ledger/gate.ts'].map(
      (file) =>
        /^export interface (?:Host|Access)Options\b[^{]*\{\n([\s\S]*?)^\}/m.exec(read(file))?.[1] ?? '',
    );
    // Members of `interrupts` have rows of their own, members of `limits` another table.
    const members = bodies.flatMap((body) =>
      [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, name = '']) =>
        name === 'interrupts' ? 'interrupts.' : name,
      ),
    );
    expect(members.length).toBeGreaterThan(25);
    const page = read('docs/host.md');
    expect(members.filter((name) => !page.includes(`| \`${name}${name.endsWith('.') ? '' : '`'}`))).toEqual(
      [],
    );
  });

  it('shows files of the examples as they are', () => {
    const shown = pages.flatMap((page) =>
      [...read(page).matchAll(/```\w+ (examples\/\S+)\n([\s\S]*?)```/g)].map(([, path = '', code = '']) => ({
        path,
        code,
      })),
    );
    expect(shown.length).toBeGreaterThan(5);
    for (const { path, code } of shown) expect({ path, code }).toEqual({ path, code: read(path) });
  });

  it('contains only links to existing files and headings', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .filter(([, link = '', heading]) => {
          const path = link === '' ? join(root, page) : resolve(root, page, '..', link);
          return !exists(path) || (heading !== undefined && !headingsOf(path).includes(heading));
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('names only existing files in the glossary, the architecture and the promises of SECURITY.md', () => {
    for (const page of ['docs/glossary.md', 'docs/architecture.md', 'SECURITY.md']) {
      const text = readFileSync(join(root, page), 'utf8');
      const paths = [...text.matchAll(/([a-z0-9]+\/[a-z0-9/-]+\.(?:test\.)?(?:ts|mjs))\b/g)].map(
        ([, path = '']) => path,
      );
      expect(paths.length).toBeGreaterThan(10);
      const missing = paths.filter(
        (path) => !existsSync(join(root, 'src', path)) && !existsSync(join(root, path)),
      );
      expect([page, missing]).toEqual([page, []]);
    }
  });

  it('names only existing tests in the table of the screens', () => {
    const rows = [...read('test/browser/README.md').matchAll(/^\|[^|]+\| (\S+\.test\.ts) +\| (.+?) +\|$/gm)];
    expect(rows.length).toBeGreaterThan(50);
    const missing = rows.filter(([, file = '', name = '']) => !read(`test/browser/${file}`).includes(name));
    expect(missing.map(([row]) => row)).toEqual([]);
  });

  it('the documentation has a README of at most 150 lines', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThan(150);
  });
});

/** The names that a file exports, with the file that declares each. */
function exportsOf(path: string): { readonly file: string; readonly name: string }[] {
  return [...read(path).matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)].flatMap(
    ([, names = '', from = '']) => {
      const file = from.startsWith('.') ? relative(root, resolve(root, path, '..', from)) : from;
      return names.split(',').flatMap((part) => {
        const name = part.trim();
        if (name === '') return [];
        const inner = file.endsWith('/index.ts')
          ? exportsOf(file).find((one) => one.name === name)
          : undefined;
        return [inner ?? { file, name }];
      });
    },
  );
}

/** The kind of a declaration and the doc comment before it; empty without one. */
function commentOf(path: string, name: string): { readonly kind: string; readonly comment: string } {
  const text = read(path);
  const declaration = new RegExp(
    `^export (?:async )?(function|const|interface|type|class)\\*? ${name}\\b`,
    'm',
  );
  const [, kind = ''] = declaration.exec(text) ?? [];
  const before = text.slice(0, text.search(declaration));
  return { kind, comment: /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(before)?.[0] ?? '' };
}

/** The names by which links reach the headings of a page. */
function headingsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EISDIR';
  }
}
