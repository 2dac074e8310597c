/**
 * Makes the same mistakes with Holdpoint and its peers, each act in a process of its own that is killed afterwards, and prints what
 * happened. Fails if docs/comparison.md says something else; --write writes the table into the page. Names of peers run only those:
 * `npm test` checks the row of Holdpoint, because a race of a peer can end well by chance.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { countPayments } from './world.mjs';

const PAGE = resolve(import.meta.dirname, '../../docs/comparison.md');
const PEERS = [
  { peer: 'holdpoint', title: 'Holdpoint' },
  { peer: 'langgraph', title: 'LangGraph', package: '@langchain/langgraph' },
  { peer: 'langgraph-by-id', title: 'LangGraph, answers by id', package: '@langchain/langgraph' },
  {
    peer: 'langgraph-server',
    title: 'LangGraph development server',
    package: '@langchain/langgraph-api',
    serve: 'serve-langgraph.mjs',
  },
  { peer: 'mastra', title: 'Mastra', package: '@mastra/core' },
  { peer: 'ai-sdk', title: 'AI SDK', package: 'ai' },
  { peer: 'openai-agents', title: 'OpenAI Agents', package: '@openai/agents', takesNoInput: true },
  { peer: 'genkit', title: 'Genkit', package: 'genkit' },
];
const RACES = 3;
const APPROVE = { approved: true };

/** Starts a process for one act. */
function start(setting) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'act.mjs'), JSON.stringify(setting)], {
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'pipe', process.env['DEBUG'] === '1' ? 'inherit' : 'ignore'],
  });
  const said = [];
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise((done) => {
    lines.on('line', (line) => {
      if (!line.startsWith('{')) return;
      said.push(JSON.parse(line));
      done();
    });
  });
  const ended = once(child, 'close').then(() => said.findLast((result) => result.ready === undefined));
  return { ready, go: () => child.stdin.end(), ended };
}

const act = (setting) => start(setting).ended;

/** Starts the server of a peer. It is killed, never stopped. */
async function startServer(file, folder) {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
    env: { ...process.env, PROBE_FOLDER: folder },
    stdio: ['ignore', 'ignore', process.env['DEBUG'] === '1' ? 'inherit' : 'ignore', 'ipc'],
  });
  const died = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    died.then(() => Promise.reject(new Error(`${file} did not start.`))),
  ]);
  return {
    async kill() {
      child.kill('SIGKILL');
      await died;
    },
  };
}

/** Each probe gets a peer with a folder of its own, and returns the words of a cell. */
const PROBES = [
  {
    title: '`kill -9` while the call waits, then approve',
    async run({ peer, folder, restart }) {
      const { waiting } = await act({ peer, folder, action: 'ask', thread: 'kill', prompt: 'pay 10' });
      await restart();
      const before = countPayments(folder, 10);
      await act({ peer, folder, action: 'answer', thread: 'kill', waiting, value: APPROVE });
      return before === 0 && countPayments(folder, 10) === 1 ? 'runs once' : 'lost';
    },
  },
  {
    title: 'two processes approve at once',
    async run({ peer, folder }) {
      const counts = [];
      for (let race = 0; race < RACES; race += 1) {
        const amount = 100 + race;
        const thread = `race-${race}`;
        const { waiting } = await act({ peer, folder, action: 'ask', thread, prompt: `pay ${amount}` });
        const both = [1, 2].map(() =>
          start({ peer, folder, action: 'answer', thread, waiting, value: APPROVE, gate: true }),
        );
        await Promise.all(both.map(({ ready }) => ready));
        for (const { go } of both) go();
        await Promise.all(both.map(({ ended }) => ended));
        counts.push(countPayments(folder, amount));
      }
      if (process.env['DEBUG'] === '1') console.error(peer, 'races', counts);
      return times(Math.max(...counts));
    },
  },
  {
    title: 'approve again after the call ran',
    async run({ peer, folder }) {
      const { waiting } = await act({ peer, folder, action: 'ask', thread: 'late', prompt: 'pay 20' });
      const answer = { peer, folder, action: 'answer', thread: 'late', waiting, value: APPROVE };
      await act(answer);
      const again = await act(answer);
      debug(peer, 'late', again);
      return times(countPayments(folder, 20));
    },
  },
  {
    title: 'an old approval arrives while the next call waits',
    async run({ peer, folder }) {
      const place = { peer, folder, thread: 'stale' };
      const { waiting } = await act({ ...place, action: 'ask', prompt: 'pay 31 then 32' });
      const next = await act({ ...place, action: 'answer', waiting, value: APPROVE });
      if (next.waiting?.length !== 1) throw new Error(`${peer} did not ask twice: ${JSON.stringify(next)}`);
      const stale = await act({ ...place, action: 'answer', waiting, value: APPROVE });
      debug(peer, 'stale', stale, [countPayments(folder, 31), countPayments(folder, 32)]);
      if (countPayments(folder, 32) > 0) return 'approves the next call';
      return countPayments(folder, 31) > 1 ? 'runs the old call again' : 'approves nothing';
    },
  },
  {
    title: 'an answer of the wrong type, then the right one',
    async run({ peer, folder, takesNoInput }) {
      if (takesNoInput) return 'takes approvals only';
      const place = { peer, folder, thread: 'wrong' };
      const { waiting } = await act({ ...place, action: 'ask', prompt: 'sign up' });
      const wrong = await act({ ...place, action: 'answer', waiting, value: { email: 42 } });
      const right = await act({ ...place, action: 'answer', waiting, value: { email: 'ada@example.com' } });
      debug(peer, 'wrong', wrong, right);
      const isClosed = wrong.error === undefined && wrong.waiting.length === 0;
      if (isClosed && /error/i.test(wrong.text)) return 'the model gets an error; the right one is lost';
      if (isClosed) return 'the model gets the wrong value';
      const isOpen = right.text?.includes('ada@example.com') === true;
      return isOpen ? 'rejected; the right one counts' : 'rejected; the right one is lost';
    },
  },
  {
    title: '`kill -9` inside the call, then approve again',
    async run({ peer, folder, restart }) {
      const place = { peer, folder, thread: 'inside' };
      const { waiting } = await act({ ...place, action: 'ask', prompt: 'pay 40' });
      const answer = { ...place, action: 'answer', waiting, value: APPROVE };
      writeFileSync(join(folder, 'kill'), '');
      await act(answer);
      rmSync(join(folder, 'kill'));
      await restart();
      const again = await act(answer);
      debug(peer, 'inside', again);
      if (countPayments(folder, 40) > 1) return 'starts it again';
      return again.waiting?.some(({ reason }) => reason === 'error_recovery')
        ? 'asks a person'
        : 'does not start it';
    },
  },
];

function times(count) {
  return count === 1 ? 'runs once' : count === 2 ? 'runs twice' : `runs ${count} times`;
}

function debug(...values) {
  if (process.env['DEBUG'] === '1') console.error(...values.map((value) => JSON.stringify(value)));
}

const only = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const chosen = PEERS.filter(({ peer }) => only.length === 0 || only.includes(peer));
const columns = [];
for (const entry of chosen) {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-comparison-'));
  const startOwn = () => (entry.serve === undefined ? undefined : startServer(entry.serve, folder));
  let server = await startOwn();
  const restart = async () => {
    await server?.kill();
    server = await startOwn();
  };
  try {
    const cells = [];
    for (const { run } of PROBES) cells.push(await run({ ...entry, folder, restart }));
    columns.push({ ...entry, cells });
  } finally {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const versionOf = (name) =>
  JSON.parse(readFileSync(join(import.meta.dirname, `node_modules/${name}/package.json`), 'utf8')).version;
// Peers are rows: a table that people read on a narrow page.
const rows = [
  ['', ...PROBES.map((_, index) => String(index + 1))],
  ...columns.map(({ title, package: name, cells }) => [
    name === undefined ? title : `${title} ${versionOf(name)}`,
    ...cells,
  ]),
];
const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
const table = [
  ...PROBES.map(({ title }, index) => `${index + 1}. ${title}`),
  '',
  line(rows[0]),
  `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
  ...rows.slice(1).map(line),
].join('\n');
console.log(table);

const [begin, end] = ['<!-- written by npm run write in integration/comparison -->', '<!-- end -->'];
const text = readFileSync(PAGE, 'utf8');
if (process.argv.includes('--write') && only.length === 0) {
  const head = text.slice(0, text.indexOf(begin) + begin.length);
  writeFileSync(PAGE, `${head}\n\n${table}\n\n${text.slice(text.indexOf(end))}`);
} else {
  // Columns of the page may be wider.
  const compact = (row) => row.replaceAll(/ +/g, ' ');
  const missing = rows
    .slice(1)
    .map(line)
    .map(compact)
    .filter((row) => !compact(text).includes(row));
  for (const row of missing) console.error(`docs/comparison.md says something else:\n${row}`);
  console.log(`\n${rows.length - 1 - missing.length} passed, ${missing.length} failed`);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
