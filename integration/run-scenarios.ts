/**
 * Runs the scenarios for the framework in the current folder. The folder has `agents.ts`, which makes the agents with the real
 * SDK, and `subjects.ts`, which says what they are and what their framework cannot do. The hosts are processes of their own;
 * they run on the folder's `node`, if it has one. Writes the results to `node_modules/.scenarios.json`.
 */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

import type { HostClient } from './host-client.ts';
import { hostClient } from './host-client.ts';
import type { Scenario, Stage } from './scenarios.ts';
import { runScenario, SCENARIOS } from './scenarios.ts';
import type { ServeSetting } from './serve.ts';

/** An agent of a framework, as the table has it. */
export interface Subject {
  /** Its name among the agents of `agents.ts`. */
  readonly agent: string;
  readonly title: string;
  /** The package whose version the table names, by its folder in `node_modules`. */
  readonly package: string;
  /** What it says to a message that is about no payment, if it does not repeat the message. */
  readonly smallTalk?: RegExp;
  /** False if it keeps no conversation. */
  readonly recalls?: false;
  /** Scenarios that the framework has no means for, and why. */
  readonly cannot?: Readonly<Record<string, string>>;
}

/** What a subject can do. */
export interface SubjectResult {
  readonly title: string;
  readonly version: string;
  readonly node: string;
  readonly cells: readonly Cell[];
}

export interface Cell {
  readonly id: string;
  readonly title: string;
  readonly result: 'yes' | 'failed' | 'no';
  /** Why not. */
  readonly cannot?: string;
}

const LIMIT_MS = 180_000;
/** The lease of a process that is killed in a call: the others take its runs after it. */
const DOOMED_LEASE_MS = 6000;
/** The scenarios that share the process that is killed in a call. */
const DOOMED = new Set(['again', 'finished', 'skip']);
/** The scenario that kills every process. */
const KILL = 'kill';
const framework = process.cwd();
const { SUBJECTS } = (await import(pathToFileURL(join(framework, 'subjects.ts')).href)) as {
  SUBJECTS: readonly Subject[];
};
const ownNode = join(framework, 'node_modules/node/bin/node');
const execPath = existsSync(ownNode) ? ownNode : process.execPath;
mkdirSync(join(framework, 'node_modules'), { recursive: true });
const folder = mkdtempSync(join(framework, 'node_modules/.scenarios-'));
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Processes {
  readonly urls: readonly [string, string];
  readonly expiringUrl: string;
}

await build({
  stdin: {
    contents: `import { createAgents } from './agents.ts';
import { serveAgents } from '../serve.ts';
await serveAgents(createAgents);`,
    resolveDir: framework,
    loader: 'ts',
  },
  outfile: join(folder, 'program.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
});

async function startProcess(setting: ServeSetting): Promise<{ readonly url: string; child: ChildProcess }> {
  const child = fork(join(folder, 'program.mjs'), [JSON.stringify(setting)], {
    execPath,
    execArgv: [],
    cwd: framework,
  });
  children.add(child);
  const ended = once(child, 'exit').then(([code, by]) => {
    children.delete(child);
    throw new Error(`A host ended with ${String(code ?? by)}.`);
  });
  ended.catch(() => undefined);
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
  return { url, child };
}

async function start(setting: ServeSetting): Promise<string> {
  return (await startProcess(setting)).url;
}

/** What happens once, when every participant has come or left. */
interface Barrier {
  readonly done: Promise<void>;
  come(participant: string): void;
  /** For a participant that will not come; nothing for one that has come. */
  leave(participant: string): void;
}

function createBarrier(participants: readonly string[], act: () => Promise<void>): Barrier {
  const left = new Set(participants);
  let hasCome = false;
  let resolve: (value: Promise<void>) => void = () => undefined;
  const done = new Promise<void>((settle) => {
    resolve = settle;
  });
  const leave = (participant: string) => {
    if (left.delete(participant) && left.size === 0 && hasCome) resolve(act());
  };
  return {
    done,
    come(participant) {
      hasCome = true;
      leave(participant);
    },
    leave,
  };
}

/** A process that never ends a payment. SIGKILL ends it when the payments of all participants have begun. */
async function startDoomed(participants: readonly string[]) {
  const { url, child } = await startProcess({ folder: data, hangs: true, leaseMs: DOOMED_LEASE_MS });
  const ended = once(child, 'exit');
  const barrier = createBarrier(participants, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  /** The participant of each amount. */
  const amounts = new Map<number, string>();
  child.on('message', ({ paid }: { paid: number }) => barrier.come(amounts.get(paid) ?? ''));
  return { url, barrier, amounts };
}

async function startAll(data: string): Promise<Processes> {
  // The first one makes the tables.
  const first = await start({ folder: data });
  const [second, expiringUrl] = await Promise.all([
    start({ folder: data }),
    start({ folder: data, ttlMs: 1 }),
  ]);
  return { urls: [first, second], expiringUrl };
}

async function killAll(): Promise<void> {
  const running = [...children];
  const ended = running.map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ended);
}

const data = join(folder, 'data');
mkdirSync(data);
let processes = await startAll(data);

/** What the scenarios of a subject share. */
interface Shared {
  /** The process that is killed in a call. */
  readonly doomed: () => ReturnType<typeof startDoomed>;
  readonly kill: Barrier;
}

function stageOf(
  { agent, smallTalk, recalls }: Subject,
  scenario: Scenario,
  { doomed, kill }: Shared,
): Stage {
  const client = (url: string, scope: string): HostClient => hostClient(url, agent, scope);
  const linesOf = (line: string) => {
    const world = join(data, 'world');
    const lines = existsSync(world) ? readFileSync(world, 'utf8').split('\n') : [];
    return lines.filter((one) => one === line).length;
  };
  return {
    agent,
    clients: (scope = 'a') => [client(processes.urls[0], scope), client(processes.urls[1], scope)],
    expiring: () => client(processes.expiringUrl, 'a'),
    async doomed(amount) {
      const { url, barrier, amounts } = await doomed();
      amounts.set(amount, scenario.id);
      return { client: client(url, 'a'), killed: barrier.done };
    },
    async killAll() {
      kill.come(agent);
      await kill.done;
    },
    started: (amount) => linesOf(`started ${amount}`),
    paid: (amount) => linesOf(`paid ${amount}`),
    smallTalk,
    recalls,
  };
}

async function runOne(subject: Subject, scenario: Scenario, stage: Stage): Promise<'yes' | 'failed'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It took more than ${LIMIT_MS} ms.`)), LIMIT_MS);
  });
  try {
    await Promise.race([runScenario(scenario, stage), limit]);
    return 'yes';
  } catch (error) {
    console.error(`FAILED ${subject.title}: ${scenario.title}\n`, error);
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}

const only = process.argv.slice(2);
const chosen = SCENARIOS.filter(({ id }) => only.length === 0 || only.includes(id));
const canRun = ({ cannot }: Subject, { id }: Scenario) => cannot?.[id] === undefined;

/** Runs scenarios of a subject at once. */
function runCells(subject: Subject, scenarios: readonly Scenario[], kill: Barrier): Promise<readonly Cell[]> {
  const inDoomed = scenarios.filter((one) => DOOMED.has(one.id) && canRun(subject, one));
  let starting: ReturnType<typeof startDoomed> | undefined;
  const doomed = () => (starting ??= startDoomed(inDoomed.map(({ id }) => id)));
  return Promise.all(
    scenarios.map(async (scenario): Promise<Cell> => {
      const { id, title } = scenario;
      const cannot = subject.cannot?.[id];
      if (cannot !== undefined) return { id, title, result: 'no', cannot };
      const result = await runOne(subject, scenario, stageOf(subject, scenario, { doomed, kill }));
      if (id === KILL) kill.leave(subject.agent);
      if (DOOMED.has(id)) (await doomed()).barrier.leave(id);
      return { id, title, result };
    }),
  );
}

const kills = chosen.filter(({ id }) => id === KILL);
const killed = SUBJECTS.filter((subject) => kills.some((scenario) => canRun(subject, scenario)));
const kill = createBarrier(
  killed.map(({ agent }) => agent),
  async () => {
    await killAll();
    processes = await startAll(data);
  },
);
const cells = new Map<Subject, readonly Cell[]>();
for (const subject of SUBJECTS) {
  const others = chosen.filter(({ id }) => id !== KILL);
  cells.set(subject, await runCells(subject, others, kill));
}
// Every process is killed once, after the other scenarios of all subjects.
await Promise.all(
  SUBJECTS.map(async (subject) => {
    const last = await runCells(subject, kills, kill);
    cells.set(subject, [...(cells.get(subject) ?? []), ...last]);
  }),
);
const results = SUBJECTS.map((subject): SubjectResult => {
  const { name, version } = readManifest(subject.package);
  const own = cells.get(subject) ?? [];
  const count = (result: Cell['result']) => own.filter((cell) => cell.result === result).length;
  console.log(
    `${subject.title} (${name} ${version}): ${count('yes')} yes, ${count('no')} no, ${count('failed')} failed`,
  );
  return { title: subject.title, version: `${name} ${version}`, node: nodeVersion(), cells: own };
});
writeFileSync(join(framework, 'node_modules/.scenarios.json'), JSON.stringify(results));
await killAll();
process.exit(results.some(({ cells }) => cells.some(({ result }) => result === 'failed')) ? 1 : 0);

function readManifest(name: string): { readonly name: string; readonly version: string } {
  const text = readFileSync(join(framework, 'node_modules', name, 'package.json'), 'utf8');
  return JSON.parse(text) as { name: string; version: string };
}

function nodeVersion(): string {
  const version = execPath === process.execPath ? process.versions.node : readManifest('node').version;
  return version.split('.')[0] ?? '';
}
