/**
 * Counts the files of `src` and their lines that are neither comment nor blank, by module, without tests and test helpers.
 * `npx tsx scripts/count-lines.ts` counts the working tree, `npx tsx scripts/count-lines.ts <revision>` an earlier one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Modules and adapters that are younger than the limit of 33,000 lines. */
const NEW = [
  'src/react/',
  'src/testing/',
  'src/adapters/ag-ui/',
  'src/adapters/genkit/',
  'src/adapters/langgraph/',
  'src/adapters/mastra/',
  'src/adapters/openai-agents/',
  'src/host/http/openapi.ts',
];
const TEST = /\.test\.ts$|\/testing-support\/|\/fixtures\//;

const [revision = ''] = process.argv.slice(2);
const git = (...words: readonly string[]) =>
  execFileSync('git', words, { encoding: 'utf8', maxBuffer: 1 << 28 });
const listed =
  revision === '' ? git('ls-files', 'src') : git('ls-tree', '-r', '--name-only', revision, 'src');
const paths = listed
  .split('\n')
  .filter((path) => path.endsWith('.ts') && !TEST.test(path))
  .filter((path) => revision !== '' || existsSync(path));

/** The lines that hold code. A comment ends on the line that has its end. */
function codeLines(text: string): number {
  let isComment = false;
  return text.split('\n').filter((line) => {
    const code = line.trim();
    const wasComment = isComment;
    if (isComment || code.startsWith('/*')) isComment = !code.includes('*/');
    const isCode = code !== '' && !code.startsWith('//') && !code.startsWith('/*');
    return isCode && !wasComment;
  }).length;
}

const counts = new Map<string, { files: number; lines: number }>();
function add(name: string, lines: number): void {
  const count = counts.get(name) ?? { files: 0, lines: 0 };
  counts.set(name, { files: count.files + 1, lines: count.lines + lines });
}
for (const path of paths) {
  const lines = codeLines(revision === '' ? readFileSync(path, 'utf8') : git('show', `${revision}:${path}`));
  add(path.split('/')[1] ?? '', lines);
  add('all', lines);
  if (NEW.some((start) => path.startsWith(start))) add('of these, new', lines);
}
for (const [name, { files, lines }] of counts) console.log(`${name}: ${files} files, ${lines} lines`);
